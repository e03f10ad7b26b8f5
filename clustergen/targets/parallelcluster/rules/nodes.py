"""Instance types, placement, EFA and EBS volumes."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, drop, put, unsafe, unwanted
from clustergen.facts.catalog import ebs
from clustergen.facts.catalog.ebs import VolumeType
from clustergen.plan.model import Ebs, Plan, Volume
from clustergen.spec.source.scalars import resolve
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.rules import rule, warning


@rule(
    "CAP103",
    "Types of one group differ in cores, with SMT off",
    why="With SMT off, Slurm counts cores and has one number for all nodes of the group. Types "
    "with the same number of vCPUs differ when one of them has no SMT.",
    source="pcluster.validators.instances_validators: InstancesCPUValidator",
    bad="""node_groups:
  - name: h200
    instance_type: null
    instance_types: [m7i.4xlarge, m7a.4xlarge]
    threads_per_core: 1""",
    good="""node_groups:
  - name: h200
    instance_type: null
    instance_types: [m7i.4xlarge, m6i.4xlarge]
    threads_per_core: 1""",
)
def cores(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        cores = {type.name: type.cores for type in group.types}
        if group.switches_smt_off and len(set(cores.values())) > 1:
            yield Problem(
                group.at("instance_types"),
                ", ".join(f"{name} has {count} cores" for name, count in cores.items()),
                help="keep types with the same number of cores, or remove threads_per_core",
                fix=unsafe(drop(group.at("threads_per_core"))),
            )


@rule(
    "PLC101",
    "Type that does not support cluster placement groups",
    why="ParallelCluster treats every placement group as one with the strategy cluster, existing "
    "ones too.",
    source="pcluster.validators.ec2_validators: InstanceTypePlacementGroupValidator",
    bad="node_groups: [{name: h200, instance_type: vt1.24xlarge, placement: {group: mine}}]",
)
def placement(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for type in group.types:
            if group.placement.kind == "existing" and "cluster" not in type.placement:
                yield Problem(
                    group.at("placement"),
                    f"{type.name} does not support placement groups with the strategy cluster",
                    help="write placement: none",
                    fix=unsafe(put(group.at("placement"), "none")),
                )


@rule(
    "NIC101",
    "ParallelCluster makes EFA interfaces efa-only",
    why="Since 3.15 the primary interface has no EFA and every EFA interface is efa-only, which "
    "takes one address a node. The other type is a developer setting of the whole cluster.",
    source="https://github.com/aws/aws-parallelcluster/releases/tag/v3.15.0",
    bad="node_groups: [{name: h200, efa_layout: efa}]",
)
def efa_layout(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.efa and group.efa_layout == "efa":
            yield Problem(
                group.at("efa_layout"),
                f"{group.name}: ParallelCluster makes no interfaces of type efa",
                help="write efa-only; or set DevSettings.EfaInterfaceType: efa in an overlay",
                fix=unsafe(put(group.at("efa_layout"), "efa-only")),
            )


_CARDS = """node_groups:
  - {{name: h200, instance_type: null, instance_types: [c6in.32xlarge, {}], efa: false}}"""


@warning(
    "NIC102",
    "Network cards that only some types of a group have",
    why="ParallelCluster gives all nodes of a group the cards of the type with the fewest.",
    source="pcluster.validators.instances_validators: InstancesNetworkingValidator",
    bad=_CARDS.format("c6i.32xlarge"),
    good=_CARDS.format("m6in.32xlarge"),
)
def cards(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        # NIC004 is about types that all have EFA.
        plain = plan.wrote(*group.at("efa")) or not all(type.efa for type in group.types)
        fewest, most = (best(group.types, key=lambda type: len(type.cards)) for best in (min, max))
        if plain and not group.efa and len(fewest.cards) < len(most.cards):
            yield Problem(
                group.at("instance_types"),
                f"{most.name} has {len(most.cards)} network cards, and nodes of {group.name} only "
                f"those of {fewest.name}: {len(fewest.cards)}",
                help="give each type a group of its own",
            )


@warning(
    "MON101",
    "Detailed monitoring costs more",
    why="CloudWatch bills the metrics of detailed monitoring like custom metrics, for each "
    "instance. Basic monitoring is free.",
    source="https://aws.amazon.com/cloudwatch/pricing/",
    bad="targets: {parallelcluster: {detailed_monitoring: true}}",
    good="targets: {parallelcluster: {detailed_monitoring: false}}",
)
def detailed(plan: Plan) -> Iterator[Problem]:
    if plan.options_as(Options).detailed_monitoring:
        yield unwanted(
            ("targets", "parallelcluster", "detailed_monitoring"),
            f"CloudWatch bills the detailed metrics of up to {plan.max_nodes} nodes",
            help="remove it, unless you need metrics each minute",
        )


@rule(
    "STG105",
    "Login nodes have the root volume of their image",
    why="ParallelCluster has no setting for the root volume of a login node.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html",
    bad="login: {instance_type: m7i.xlarge, root_volume: {size: 200GiB}}",
)
def login_volume(plan: Plan) -> Iterator[Problem]:
    if plan.wrote("login", "root_volume"):
        yield unwanted(
            ("login", "root_volume"),
            "login nodes keep the root volume of their image",
            help="remove it, or build an image with the volume that you want",
        )


@rule(
    "STG107",
    "An EBS volume outside ParallelCluster's limits",
    why="EBS has raised its limits on size, IOPS and throughput; ParallelCluster has older ones.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#SharedStorage-v3-EbsSettings",
    bad="storage: [{mount: /work, type: ebs, size: 500GiB, iops: 20000}]",
)
def volumes(plan: Plan) -> Iterator[Problem]:
    for item in plan.storage:
        if isinstance(item, Ebs) and not item.existing:
            yield from _out_of_limits(item.path, item.volume)
    if plan.head:
        yield from _out_of_limits((*plan.head.path, "root_volume"), plan.head.volume)
    for group in plan.node_groups:
        yield from _out_of_limits(group.at("root_volume"), group.volume)


def _out_of_limits(at: Path, volume: Volume) -> Iterator[Problem]:
    """Values that EBS supports and ParallelCluster rejects; another rule reports those that EBS
    rejects."""
    ours, theirs = limits.VOLUME_TYPES[volume.type], ebs.VOLUME_TYPES[volume.type]
    for field, number, most, known in (
        ("size", volume.size_gib, theirs.gib, ours.gib),
        ("iops", volume.iops, theirs.iops, _iops(volume, ours)),
        ("throughput", volume.throughput, theirs.mibps, ours.mibps),
    ):
        if number is None or not most or not known or not most[0] <= number <= most[1]:
            continue
        if not known[0] <= number <= known[1]:
            nearest = f"{min(max(number, known[0]), known[1])}{'GiB' if field == 'size' else ''}"
            yield Problem(
                (*at, field),
                f"ParallelCluster accepts {field} {known[0]} to {known[1]}, not {number}",
                help=f"write {nearest}",
                fix=unsafe(put((*at, field), resolve(nearest))),
            )


def _iops(volume: Volume, type: VolumeType) -> tuple[int, int] | None:
    """The maximum IOPS of a volume; the default size is that of official images."""
    if type.iops is None or type.iops_per_gib is None or volume.size_gib:
        return type.iops
    least, most = type.iops
    return least, max(least, min(most, limits.MIN_ROOT_VOLUME_GIB * type.iops_per_gib))
