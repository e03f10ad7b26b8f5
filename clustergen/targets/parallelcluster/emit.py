"""The bundle: ``cluster.yaml``, ``deploy.sh`` and scripts of nodes."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Artifact, Bundle, Json, json_text
from clustergen.base.yaml_text import yaml_text
from clustergen.deployment.kinds import ParallelCluster
from clustergen.deployment.model import OfTarget
from clustergen.facts.schemas import updates
from clustergen.plan.model import Ebs, Efs, Lustre, Plan, Raid, Ref
from clustergen.services.aws.logs import retention
from clustergen.services.aws.members import filled
from clustergen.services.fields import Field, written
from clustergen.services.slurm import accounts, readme, tables, timetable, users, verify
from clustergen.services.slurm.jobs import Cluster
from clustergen.spec import placeholders
from clustergen.targets.parallelcluster import actions, limits, nodes, scheduling
from clustergen.targets.parallelcluster.directory import directory_service
from clustergen.targets.parallelcluster.head_node import head_node, login_nodes
from clustergen.targets.parallelcluster.limits import LOG_RETENTION_DAYS, VERSION
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.storage import shared_storage

CONFIGURATION = "cluster.yaml"


def document(plan: Plan) -> dict[str, Any]:
    """The cluster configuration, with sections in the order of ParallelCluster's documentation."""
    options = plan.options_as(Options)
    return filled(
        Region=plan.region,
        Image=filled(Os=plan.software.os, CustomAmi=nodes.common_image(plan)),
        HeadNode=head_node(plan, plan.head) if plan.head else None,
        LoginNodes=login_nodes(plan),
        Scheduling=scheduling.scheduling(plan),
        SharedStorage=shared_storage(plan),
        CustomS3Bucket=options.bucket,
        DirectoryService=directory_service(options.directory) if options.directory else None,
        Monitoring=_monitoring(plan),
        Tags=[{"Key": key, "Value": value} for key, value in plan.tags.items()],
        Imds={"ImdsSupport": options.imds},
        Iam=filled(
            PermissionsBoundary=options.permissions_boundary or plan.permissions_boundary,
            ResourcePrefix=options.resource_prefix,
        ),
        DeploymentSettings=written(DEFAULT_USER, options.default_user),
        DevSettings=written(TIMEOUTS, options.timeouts),
    )


DEFAULT_USER = (
    Field("sudo", "DisableSudoAccessForDefaultUser", default=True, words={False: True}),
    Field("home", "DefaultUserHome", default="shared", words={"local": "Local"}),
)
"""``targets.parallelcluster.default_user``, in ``DeploymentSettings``."""
TIMEOUTS = (
    Field("head_node", "Timeouts.HeadNodeBootstrapTimeout", spelled="{}s"),
    Field("nodes", "Timeouts.ComputeNodeBootstrapTimeout", spelled="{}s"),
)
"""``targets.parallelcluster.timeouts``, in ``DevSettings``."""


def _monitoring(plan: Plan) -> dict[str, Any]:
    days = retention(plan.monitoring.log_retention_days, LOG_RETENTION_DAYS)
    return {
        **filled(DetailedMonitoring=plan.options_as(Options).detailed_monitoring or None),
        "Logs": {"CloudWatch": {"RetentionInDays": days, "DeletionPolicy": "Retain"}},
        "Dashboards": {"CloudWatch": {"Enabled": plan.monitoring.dashboards == "cloudwatch"}},
    }


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files except those of the foundation and README.md; ``document`` includes the overlay."""
    # ParallelCluster images have EFA and Open MPI, but neither NCCL nor its tests. The name of a
    # compute resource is a Slurm feature.
    slurm = Cluster(
        gpus=True, imex=actions.has_hook(plan), nccl_tests=False, feature=lambda g: g.resource_name
    )
    return (
        Artifact(CONFIGURATION, yaml_text(document)),
        *(script.artifact for script in actions.own_scripts(plan)),
        *_followed(plan),
        *verify.files(plan, slurm, "/opt/slurm"),
    )


def _followed(plan: Plan) -> Bundle:
    dated = timetable.table(
        plan,
        functools.partial(scheduling.node_names, plan),
        functools.partial(scheduling.last_partitions, plan),
    )
    shares = accounts.table(plan) if accounts.needed(plan) else None
    return tables.made(dated, users.table(plan), shares)


def deployment(plan: Plan, document: Json) -> OfTarget:
    """What ``bundle.json`` says of the target."""
    service = ParallelCluster(
        version=VERSION,
        own=tuple(_own(document)),
        subnets=_existing_subnets(plan),
        hook=actions.current_key(plan) if actions.has_hook(plan) else "",
        workspace=actions.workspace_key(plan) if isinstance(plan.monitoring.workspace, Ref) else "",
        ending=tuple(_ending(document)),
        arrays=any(getattr(each, "raid", None) for each in plan.storage),
        reserved=any(group.capacity.id for group in plan.node_groups),
        replacing=tuple(_replacing()),
        terminates=_strategy(document) == "TERMINATE",
    )
    return OfTarget(
        service,
        uploads={s.key: s.artifact.path for s in actions.own_scripts(plan)},
        tables=tables.described(plan, _followed(plan)),
    )


def _existing_subnets(plan: Plan) -> tuple[str, ...]:
    found = (*plan.network.private, *plan.network.public)
    return () if plan.network.new else tuple(str(subnet.id) for subnet in found)


def _ending(document: Mapping[str, Any]) -> Iterator[str]:
    """The type of each storage that goes with the cluster."""
    for item in document.get("SharedStorage", ()):
        settings = item.get(f"{item['StorageType']}Settings", {})
        if settings.get("DeletionPolicy") == "Delete":
            number = settings.get("Raid", {}).get("NumberOfVolumes", 1)
            yield from [_STORAGE[item["StorageType"]]] * number


_STORAGE = {
    "Ebs": "AWS::EC2::Volume",
    "Efs": "AWS::EFS::FileSystem",
    "FsxLustre": "AWS::FSx::FileSystem",
}
"""What ParallelCluster creates."""


def _replacing() -> list[str]:
    """The keys of a queue whose change replaces its nodes."""
    queue = updates.root()["Scheduling"].below["SlurmQueues"]
    return list(updates.wholly(queue, "QUEUE_UPDATE_STRATEGY"))


def _strategy(document: Mapping[str, Any]) -> str:
    """How ParallelCluster replaces nodes; it does not accept such changes otherwise."""
    settings = (document.get("Scheduling") or {}).get("SlurmSettings") or {}
    return str(settings.get("QueueUpdateStrategy", ""))


def _own(document: Mapping[str, Any]) -> list[str]:
    """By what a running cluster is known to be this one: the foundation's part in its head node,
    or its subnet, which never changes."""
    head = document.get("HeadNode")
    network = head.get("Networking") if isinstance(head, Mapping) else None
    subnet = network.get("SubnetId") if isinstance(network, Mapping) else None
    found = sorted(placeholders.names(json_text(head)))
    return [f"${{{name}}}" for name in found] or [str(subnet)]


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/parallelcluster/readme.md.j2``."""
    return {
        **readme.values(plan),
        "desktops": _has_desktops(plan.options_as(Options)),
        "public_head": nodes.entry_subnet(plan.network) in plan.network.public,
        "remaining": list(_remaining(plan)),
        # Nodes of a block are in a reservation of Slurm until it begins.
        "static": any(g.min for g in plan.node_groups if g.capacity.kind != "capacity-block"),
        "user": limits.DEFAULT_USERS.get(plan.software.os),
        "users_with_key": any(user.ssh_key for user in plan.users),
        "version": limits.VERSION,
    }


def _has_desktops(options: Options) -> bool:
    pools = (options.login_pool, *options.more_login_pools)
    return options.dcv is not None or any(pool.dcv for pool in pools)


def _remaining(plan: Plan) -> Iterator[tuple[str, str]]:
    """Volumes and file systems of the cluster that stay, and what deletes them."""
    delete = f"delete-file-system --region {plan.region} --file-system-id ID"
    delete_volume = f"aws ec2 delete-volume --region {plan.region} --volume-id ID"
    if plan.head and plan.head.volume.retain:
        yield "the root volume of the head node", delete_volume
    for item in plan.storage:
        match item:
            case Ebs(existing=False, retain=True, raid=None):
                yield f"the EBS volume of {item.mount}", delete_volume
            case Ebs(existing=False, retain=True, raid=Raid() as raid):
                yield f"each of the {raid.volumes} EBS volumes of {item.mount}", delete_volume
            case Efs(new_in_cluster=True, retain=True):
                yield f"the EFS file system of {item.mount}", f"aws efs {delete}"
            case Lustre(new_in_cluster=True, retain=True):
                yield f"the Lustre file system of {item.mount}", f"aws fsx {delete}"
