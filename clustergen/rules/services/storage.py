"""Existing file systems."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted
from clustergen.plan import volumes
from clustergen.plan.model import Efs, FileCache, Lustre, NodeGroup, Ontap, OpenZfs, Plan
from clustergen.rules.services import note, rule
from clustergen.services.kubernetes import karpenter

_KINDS = {
    Lustre: "fsx-lustre",
    OpenZfs: "fsx-openzfs",
    Ontap: "fsx-ontap",
    FileCache: "file-cache",
    Efs: "efs",
}


@rule(
    "STG052",
    "Existing storage without its DNS or mount name",
    why="Nodes mount it by a name that does not follow from the id of the file system. "
    "ParallelCluster looks it up; for other targets, the spec has to give it.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0123456789abcdef0}}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, "
    "existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}]",
)
def mount_name(plan: Plan) -> Iterator[Problem]:
    source, kinds = plan.limits.unmounted_source, plan.limits.unmounted
    for item in plan.storage:
        if not item.existing or _KINDS.get(type(item)) not in kinds:
            continue
        if isinstance(item, Lustre | FileCache) and item.mount_name is None:
            yield Problem(
                item.at("existing"),
                f"the mount name of {item.id} is needed to mount it",
                help="add mount_name: ..., the MountName of aws fsx describe-file-systems",
                source=source,
            )
        elif isinstance(item, Ontap) and item.dns_name is None:
            yield Problem(
                item.at("existing"),
                f"the DNS name of the storage virtual machine of {item.id} is needed to mount it",
                help="add dns_name: svm-....fs-....fsx.REGION..., from "
                "aws fsx describe-storage-virtual-machines",
                source=source,
            )


@note(
    "STG053",
    "Name of existing storage that the service looks up",
    why="Some services, and drivers of Kubernetes, take only the id of a file system and look up "
    "the names that it is mounted by.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    target="parallelcluster",
    bad="storage: [{mount: /fsx, type: fsx-lustre, "
    "existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}]",
)
def looked_up(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        kind = _KINDS.get(type(item), "")
        for name in plan.limits.looked_up.get(kind, ()):
            if plan.wrote(*item.at("existing", name)):
                yield unwanted(
                    item.at("existing", name),
                    f"{plan.limits.title} mounts {item.mount} by its id and does not use this name",
                    help="keep it for other targets, or remove it",
                    source=plan.limits.looked_up_source,
                    unused=True,
                )


@note(
    "STG025",
    "Key of root volumes that a service has to use",
    why="A service starts nodes with its own role. This role may use the AWS managed key, but not "
    "a key of yours until you allow it. Nodes would terminate right after they start.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html",
    bad="node_groups: [{name: h200, root_volume: {kms_key: "
    "'arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'}}]",
    good="node_groups: [{name: h200}]",
)
def volume_key(plan: Plan) -> Iterator[Problem]:
    user = plan.limits.volume_key_user
    for node in plan.nodes:
        # Karpenter starts nodes with a role of the bundle.
        by_karpenter = isinstance(node, NodeGroup) and karpenter.is_karpenter(plan, node)
        key = node.volume.kms_key
        if user and key and volumes.is_key_here(plan, key) and not by_karpenter:
            yield Problem(
                node.at("root_volume", "kms_key"),
                f"the policy of the key has to let {user.role} use it and create grants",
                help="see the source for the two statements to add to the policy of the key",
                source=user.source,
            )
