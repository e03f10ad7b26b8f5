"""Instance types, volumes, EFA and health checks of nodes."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, unsafe, unwanted
from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import Plan, Volume
from clustergen.services.hyperpod import limits, names
from clustergen.services.hyperpod.options import Options
from clustergen.services.hyperpod.rules import note, rule, warning

_VOLUME = (
    "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterEbsVolumeConfig.html"
)
_KEYS = "https://docs.aws.amazon.com/sagemaker/latest/dg/smcluster-cmk.html"
_KEY = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
# The support table already rejects these families.
_UNSUPPORTED_FAMILIES = ("inf", "hpc")


@rule(
    "CAP300",
    "Instance type that HyperPod does not offer",
    why="HyperPod has its own names for instance types, such as ml.p5en.48xlarge, and does not "
    "offer all types of EC2.",
    source=f"{limits.INSTANCE_GROUP}#sagemaker-Type-ClusterInstanceGroupSpecification-InstanceType",
    bad="node_groups: [{name: h200, instance_type: c7i.8xlarge}]",
    good="node_groups: [{name: h200, instance_type: c6i.8xlarge}]",
)
def offered_type(plan: Plan) -> Iterator[Problem]:
    for path, type in _types(plan):
        unsupported = type.family.startswith(_UNSUPPORTED_FAMILIES)
        if type.hyperpod is None and not (type.own or unsupported):
            yield Problem(path, f"HyperPod has no {type.name}", help=names.alternatives(type))


@rule(
    "STG300",
    "Volume larger than HyperPod attaches",
    why="The root volume has 100 GB; the spec's size is that of the second volume, "
    "/opt/sagemaker, which has up to 16,384 GB.",
    source=_VOLUME,
    bad="node_groups: [{name: h200, root_volume: {size: 20000GiB}}]",
)
def volume_size(plan: Plan) -> Iterator[Problem]:
    for path, volume in _volumes(plan):
        if volume.size_gib and not _fits(volume):
            yield Problem(
                (*path, "size"),
                f"{volume.size_gib} GiB",
                help=f"write {limits.VOLUME_GB[1]}GiB or less",
                fix=unsafe(put((*path, "size"), f"{limits.VOLUME_GB[1]}GiB")),
            )


@warning(
    "STG301",
    "Volume setting that HyperPod does not have",
    why="HyperPod lets you choose the size of a volume, but not its type, IOPS or throughput.",
    source=_VOLUME,
    bad="node_groups: [{name: h200, root_volume: {throughput: 500}}]",
    good="node_groups: [{name: h200, root_volume: {size: 1024GiB}}]",
)
def volume_settings(plan: Plan) -> Iterator[Problem]:
    for path, _ in _volumes(plan):
        for field in ("type", "iops", "throughput"):
            if plan.wrote(*path, field):
                yield unwanted(
                    (*path, field),
                    f"HyperPod does not let you choose the {field} of a volume",
                    help=f"remove {field}",
                )


@note(
    "STG302",
    "The size applies to the second volume",
    why="HyperPod's root volume always has 100 GB. The volume of the size that you choose is "
    "attached at /opt/sagemaker, where containers and their images are stored.",
    source=_VOLUME,
    bad="node_groups: [{name: h200, root_volume: {size: 1024GiB}}]",
    good="node_groups: [{name: h200}]",
)
def second_volume(plan: Plan) -> Iterator[Problem]:
    for path, volume in _volumes(plan):
        if volume.size_gib and _fits(volume):
            yield Problem(
                (*path, "size"),
                f"the root volume has {limits.ROOT_GB} GB; {volume.size_gib} GiB are attached at "
                "/opt/sagemaker",
                help="keep large files in /opt/sagemaker or on a shared file system",
            )


@rule(
    "STG303",
    "KMS key without continuous provisioning",
    why="HyperPod encrypts volumes with a key of yours only where it provisions nodes one by one.",
    source=_KEYS,
    bad=f"""node_groups: [{{name: h200, root_volume: {{kms_key: {_KEY!r}}}}}]
targets:
  hyperpod-slurm: {{provisioning: all-at-once}}
  hyperpod-eks: {{provisioning: all-at-once}}""",
    good=f"node_groups: [{{name: h200, root_volume: {{kms_key: {_KEY!r}}}}}]",
)
def volume_key(plan: Plan) -> Iterator[Problem]:
    if plan.options_as(Options).provisioning == "continuous":
        return
    for path, volume in _volumes(plan):
        if volume.kms_key:
            yield unwanted(
                (*path, "kms_key"),
                "HyperPod takes a key of yours only with continuous provisioning",
                help="write provisioning: continuous, or remove the key",
            )


@warning(
    "NIC300",
    "EFA cannot be turned off",
    why="HyperPod attaches EFA to every instance whose type supports it.",
    source=limits.PREREQUISITES,
    bad="node_groups: [{name: h200, efa: false}]",
)
def efa(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        supported = all(type.efa for type in group.types)
        if supported and not group.efa and plan.wrote(*group.at("efa")):
            yield unwanted(
                group.at("efa"),
                f"HyperPod attaches EFA to the nodes of {group.name} anyway",
                help="remove efa, or use an instance type without it",
            )


@rule(
    "CAP304",
    "Deep health checks on nodes without accelerators",
    why="They stress GPUs and Trainium, and the connections between them; HyperPod rejects them on "
    "other nodes.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-eks-resiliency-deep-health-checks.html",
    bad="node_groups: [{name: h200, instance_type: c6i.8xlarge, health_checks: [instance-stress]}]",
    good="node_groups: [{name: h200, health_checks: [instance-stress]}]",
)
def deep_health_checks(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        deep = [check for check in group.health_checks if check in limits.HEALTH_CHECKS]
        if deep and not all(type.gpus or type.neuron_devices for type in group.types):
            yield unwanted(
                group.at("health_checks"),
                f"{group.type.name} has no accelerators for {deep[0]} to check",
                help="remove health_checks",
            )


def _types(plan: Plan) -> Iterator[tuple[Path, InstanceType]]:
    for machine in (plan.head, plan.login):
        if machine:
            yield (*machine.path, "instance_type"), machine.type
    for group in plan.node_groups:
        yield from group.typed


def _volumes(plan: Plan) -> Iterator[tuple[Path, Volume]]:
    for machine in (plan.head, plan.login):
        if machine:
            yield (*machine.path, "root_volume"), machine.volume
    for group in plan.node_groups:
        yield group.at("root_volume"), group.volume


def _fits(volume: Volume) -> bool:
    smallest, largest = limits.VOLUME_GB
    return smallest <= (volume.size_gib or 0) <= largest


@rule(
    "CAP305",
    "Node recovery both set and left out",
    why="Without NodeRecovery in the request, the service decides whether it replaces failed "
    "nodes.",
    source=limits.CREATE_CLUSTER,
    bad="resilience: {replace_failed_nodes: false}\n"
    "targets: {hyperpod-slurm: {leave_out: [node-recovery]}}",
    good="resilience: {replace_failed_nodes: false}",
)
def recovery(plan: Plan) -> Iterator[Problem]:
    path = ("resilience", "replace_failed_nodes")
    if plan.wrote(*path) and plan.options_as(Options).leaves_out("node-recovery"):
        yield unwanted(
            path,
            "leave_out has node-recovery, so that this has no effect",
            help="remove one of the two",
        )
