"""Instance types: availability, features, and types that can share a group."""

from collections.abc import Callable, Iterator

from clustergen.base.findings import (
    Path,
    Problem,
    Severity,
    note,
    put,
    rule,
    safe,
    unsafe,
    unwanted,
    warning,
)
from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType, regions
from clustergen.plan.model import CapacityKind, NodeGroup, Plan

# A reservation has On-Demand capacity; SageMaker sells training plans for its types.
_USAGE_CLASS: dict[CapacityKind, str] = {
    "on-demand": "on-demand",
    "spot": "spot",
    "reservation": "on-demand",
    "reservation-group": "on-demand",
    "interruptible-reservation": "on-demand",
    "capacity-block": "capacity-block",
}


@rule(
    "CAP002",
    "Instance type not available with this purchase option",
    why="EC2 offers types as On-Demand, Spot or Capacity Block, but not every type in every way.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html"
    "#API_InstanceTypeInfo_Contents",
    bad="node_groups: [{name: h200, instance_type: hpc7a.96xlarge, capacity: spot}]",
)
def usage_class(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        wanted = _USAGE_CLASS.get(group.capacity.kind)
        for type in group.types:
            if wanted and wanted not in type.usage_classes:
                yield Problem(
                    group.at("capacity"),
                    f"{type.name} is not available as {wanted}",
                    help=_sold(type, wanted),
                    fix=unsafe(put(group.at("capacity"), "on-demand"))
                    if wanted == "spot" and "on-demand" in type.usage_classes
                    else None,
                )


def _sold(type: InstanceType, wanted: str) -> str:
    sold = f"{type.name} is sold as {', '.join(type.usage_classes)}"
    if type.hyperpod and "on-demand" not in type.usage_classes:
        sold += ", and by HyperPod as training_plan"
    if wanted != "capacity-block" or type.accelerator is None:
        return sold
    same = [
        other.name
        for other in catalog.every()
        if other.capacity_block
        and other.accelerator
        and other.accelerator.manufacturer == type.accelerator.manufacturer
    ]
    return f"{sold}; Capacity Blocks exist for {', '.join(same)}"


@warning(
    "CAP003",
    "Instance type not offered in the zone or region",
    why="Instances start only where EC2 has the type. Offerings grow, so this is a warning: it was "
    "true when the catalog was built (`clustergen catalog TYPE` gives the date).",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/"
    "API_DescribeInstanceTypeOfferings.html",
    bad="network: {zone: use1-az3}",
)
def offered(plan: Plan) -> Iterator[Problem]:
    own = {group.path: group.zone for group in plan.node_groups if group.zone}
    for path, type in _named_types(plan):
        zone = own.get(path[:2], plan.network.zone)
        # A type that the spec does not name is a default.
        default = "" if plan.wrote(*path) else f"the default {'.'.join(map(str, path))}, "
        other = f"; write {'.'.join(map(str, path))}: ... to choose another" if default else ""
        if type.offered_in(plan.region) is False:
            somewhere = ", ".join(type.regions) or "no surveyed region"
            yield Problem(
                path,
                f"{default}{type.name} is not offered in {plan.region}",
                help=f"offered in {somewhere}{other}",
            )
        elif zone and regions.is_zone_id(zone) and type.offered_in_zone(zone) is False:
            here = [z for z in type.zone_ids if regions.region_of_zone(z) == plan.region]
            place = (*path[:2], "zone") if path[:2] in own else ("network", "zone")
            yield Problem(
                path,
                f"{default}{type.name} is not offered in {zone}",
                help=f"in {plan.region}: {', '.join(here)}{other}",
                fix=unsafe(put(place, here[0])) if here and plan.network.new else None,
            )


@note(
    "CAP032",
    "Instance type that the project describes",
    why="Its facts are those of a file of `[catalog]` in clustergen.toml. Where it is offered, and "
    "by which services, clustergen does not know; nor its price.",
    source="docs/project.md",
)
def described_by_the_project(plan: Plan) -> Iterator[Problem]:
    for path, type in _named_types(plan):
        if type.own:
            yield Problem(path, f"the facts about {type.name} are the project's own")


def _named_types(plan: Plan) -> Iterator[tuple[Path, InstanceType]]:
    for group in plan.node_groups:
        yield from group.typed
    for machine in plan.machines:
        yield (*machine.path, "instance_type"), machine.type


_Fact = tuple[str, Callable[[InstanceType], object]]
_ARCHITECTURE: _Fact = "architecture", lambda type: type.arch
_MANUFACTURER: _Fact = (
    "accelerator manufacturer",
    lambda type: type.accelerator.manufacturer if type.accelerator else "none",
)
_SIZES: tuple[_Fact, ...] = (
    ("vCPUs", lambda type: type.vcpus),
    ("accelerators", lambda type: type.accelerator.count if type.accelerator else 0),
)


@rule(
    "CAP004",
    "Instance types in a group differ in vCPUs, GPUs or architecture",
    why="A job is placed on the group, not on a type: the scheduler assumes one number of CPUs "
    "and accelerators and one architecture for all of its nodes.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng_create.html",
    bad="""node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.24xlarge], count: 2}""",
    good="""node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge], count: 2}""",
)
def interchangeable(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        differences = [
            f"{other.name} has {fact(other)} ({name}), {first.name} has {fact(first)}"
            for first, *others in (group.types,)
            for other in others
            for name, fact in _facts(plan, group)
            if fact(other) != fact(first)
        ]
        if differences:
            yield Problem(
                group.at("instance_types"),
                differences[0],
                help="put types that differ into separate groups",
                on_key=True,
            )
        elif plan.scheduler == "kubernetes" and (other := _other_count(group)):
            yield Problem(
                group.at("instance_types"),
                f"{other.name} has another number of accelerators than {group.type.name}, by which "
                "the jobs of the bundle count",
                help="put types that differ into separate groups of one queue",
                severity=Severity.WARNING,
                on_key=True,
            )


def _other_count(group: NodeGroup) -> InstanceType | None:
    """A type without as many accelerators as the preferred one."""
    counts = [type.accelerator.count if type.accelerator else 0 for type in group.types]
    each = zip(group.types, counts, strict=True)
    return next((type for type, count in each if count != counts[0]), None)


def _facts(plan: Plan, group: NodeGroup) -> Iterator[_Fact]:
    """Facts that must be equal; fewer where jobs request resources instead of nodes."""
    yield _ARCHITECTURE
    yield from () if plan.limits.mixed_sizes else _SIZES
    yield _MANUFACTURER
    # A launch template that switches SMT off names the number of cores.
    if plan.limits.mixed_sizes and group.switches_smt_off:
        yield "cores", lambda type: type.cores


@rule(
    "CAP010",
    "Threads per core that the instance type does not support",
    fixes="safe or unsafe",
    why="EC2 rejects a thread count that the processor does not have; Graviton and HPC types have "
    "one.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cpu-options-supported-instances-values.html",
    bad="node_groups: [{name: h200, instance_type: hpc7a.96xlarge, threads_per_core: 2}]",
)
def threads_per_core(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        at = group.at("threads_per_core")
        for type in group.types if plan.wrote(*at) else ():
            requested, own = group.threads_per_core, type.threads_per_core
            if requested in (own, *type.valid_threads_per_core):
                continue
            threads = f"{own} thread{'s' if own > 1 else ''} per core"
            # Other types without a choice have none because EC2 lists none for them.
            if type.bare_metal or requested > own:
                message = f"{type.name} has {threads}"
                yield Problem(
                    at, message, help=f"write {own}, or remove it", fix=safe(put(at, own))
                )
            else:
                yield Problem(
                    at,
                    f"EC2 does not say whether {type.name}, which has {threads}, can run with "
                    f"{requested}",
                    help=f"start one such instance first, or write {own}",
                    severity=Severity.WARNING,
                )


@warning(
    "STG050",
    "Scratch on a type without local NVMe",
    why="Scratch is the local instance store. Services and scripts mount nothing where there is "
    "none, and what jobs write there fills the root volume.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/InstanceStorage.html",
    bad="node_groups: [{name: h200, instance_type: m7i.48xlarge, scratch: /scratch}]",
)
def local_disks(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for type in group.types:
            if group.scratch and not type.disk_count:
                yield unwanted(
                    group.at("scratch"),
                    f"{type.name} has no local NVMe",
                    help="remove scratch, or use a type with local disks",
                )
