"""The service quotas that a cluster needs at its maximum."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from clustergen.base.findings import Path
from clustergen.facts.catalog import InstanceType
from clustergen.facts.catalog.quotas import LUSTRE, NETWORK_INTERFACES, OPENZFS, VOLUMES
from clustergen.plan import model

Quota = TypeVar("Quota", tuple[str, bool], tuple[str, str], tuple[str, str, str])


class Need(NamedTuple):
    """A quota, and what the cluster needs of it."""

    service: str
    """The service, as Service Quotas calls it."""
    title: str
    """For quotas of SageMaker, their names in Service Quotas: their codes are not documented."""
    code: str
    """Empty if it is not documented."""
    amount: int
    unit: str = ""
    path: Path = ("node_groups",)
    """The part of the spec that needs most of it."""
    running: bool = False
    """Whether other instances of the cluster count against it, too."""

    @property
    def amount_text(self) -> str:
        return f"{self.amount:,} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class _Fleet:
    """Nodes with the same purchase option; each has one of ``types``."""

    path: Path
    types: tuple[InstanceType, ...]
    most: int
    kind: model.CapacityKind
    volume_gib: int | None = None


def needs(plan: model.Plan, traits: model.Traits) -> Iterator[Need]:
    """Every quota that the cluster counts against."""
    fleets = [*_fleets(plan)]
    if plan.sagemaker:
        yield from _of_instances(fleets)
        yield from _of_clusters(fleets)
        fleets = []
    yield from _of_vcpus([*fleets, *_system_nodes(plan)])
    yield Need(
        "vpc", "VPC network interfaces per Region", NETWORK_INTERFACES, _interfaces(plan, traits)
    )


def _fleets(plan: model.Plan) -> Iterator[_Fleet]:
    for group in plan.node_groups:
        path = group.at("count")
        kind = group.capacity.kind
        yield _Fleet(path, group.types, group.max, kind, group.volume.size_gib)
    for machine in (*plan.all_login, plan.head):
        if machine:
            yield _Fleet(machine.path, (machine.type,), machine.count, "on-demand")


def _system_nodes(plan: model.Plan) -> Iterator[_Fleet]:
    """The system nodes of an EKS cluster, which count as EC2 instances even if the others are
    SageMaker's."""
    if system := plan.system:
        yield _Fleet(system.path, (system.type,), system.count, "on-demand")


_Used = tuple[Quota, Path, int]
"""A quota, a place in the spec that counts against it, and the amount."""


def _summed(used: Iterable[_Used[Quota]]) -> Iterator[_Used[Quota]]:
    """The total of each quota, with the first of its places; sorted."""
    needed: Counter[Quota] = Counter()
    paths: dict[Quota, Path] = {}
    for quota, path, amount in used:
        needed[quota] += amount
        paths.setdefault(quota, path)
    return ((quota, paths[quota], amount) for quota, amount in sorted(needed.items()))


# The names as in Service Quotas (2026-10):
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html
# https://docs.aws.amazon.com/sagemaker/latest/dg/reserve-capacity-with-training-plans.html
_USAGE: Final = "{} for cluster usage"
_SPOT_USAGE: Final = "{} for cluster spot instance usage"
_PLANNED: Final = "Number of {} instances in reserved capacity across training plans per Region"
PER_CLUSTER: Final = "Maximum number instances allowed per SageMaker HyperPod cluster"
ALL_CLUSTERS: Final = "Total number of instances allowed across SageMaker HyperPod clusters"
ALL_SPOT: Final = "Total number of Spot instances allowed across SageMaker HyperPod clusters"
VOLUME: Final = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance"


def _of_instances(fleets: Iterable[_Fleet]) -> Iterator[Need]:
    """SageMaker counts instances by its name of the type."""
    used: list[_Used[tuple[str, bool]]] = []
    for fleet in fleets:
        names = [(_SPOT_USAGE if fleet.kind == "spot" else _USAGE, True)]
        names += [(_PLANNED, False)] * (fleet.kind == "training-plan")
        for type in fleet.types:
            quotas = ((name.format(type.ml_name), running) for name, running in names)
            used += ((quota, fleet.path, fleet.most) for quota in quotas)
    for (title, running), path, amount in _summed(used):
        yield Need("sagemaker", title, "", amount, path=path, running=running)


def of_hyperpod(type: str, *, spot: bool) -> tuple[str, ...]:
    """The quotas that count an instance of a HyperPod cluster; ``type`` as SageMaker names it."""
    usage = (_SPOT_USAGE if spot else _USAGE).format(type)
    return (usage, PER_CLUSTER, ALL_CLUSTERS, *((ALL_SPOT,) if spot else ()))


def _of_clusters(fleets: Iterable[_Fleet]) -> Iterator[Need]:
    fleets = [*fleets]
    total = sum(fleet.most for fleet in fleets)
    yield Need("sagemaker", PER_CLUSTER, "", total, running=True)
    yield Need("sagemaker", ALL_CLUSTERS, "", total, running=True)
    if spot := sum(fleet.most for fleet in fleets if fleet.kind == "spot"):
        yield Need("sagemaker", ALL_SPOT, "", spot, running=True)
    if volume := max((fleet.volume_gib or 0 for fleet in fleets), default=0):
        yield Need("sagemaker", VOLUME, "", volume, "GB")


# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-reservations.html: reserved
# capacity counts, used or not; that of a block does not (ec2-capacity-blocks.html). 2026-11.
_COUNTED: Final = ("on-demand", "spot", "reservation", "reservation-group")


def _of_vcpus(fleets: Iterable[_Fleet]) -> Iterator[Need]:
    counted = [fleet for fleet in fleets if fleet.kind in _COUNTED]
    used = ((quota, each.path, vcpus) for each in counted for quota, vcpus in _vcpus(each).items())
    for (title, code), path, vcpus in _summed(used):
        yield Need("ec2", title, code, vcpus, "vCPUs", path)


def _vcpus(fleet: _Fleet) -> dict[tuple[str, str], int]:
    """vCPUs by quota, as if the whole fleet had the largest type of that quota."""
    needed: dict[tuple[str, str], int] = {}
    for type in fleet.types:
        quota = _quota(type, fleet.kind)
        needed[quota] = max(needed.get(quota, 0), type.vcpus * fleet.most)
    return needed


def _quota(type: InstanceType, kind: model.CapacityKind) -> tuple[str, str]:
    spot = kind == "spot"
    code = type.quota.spot if spot else type.quota.on_demand
    how = "Spot" if spot else "On-Demand"
    return f"EC2 {how} {type.quota.family} instances", code or ""


def _interfaces(plan: model.Plan, traits: model.Traits) -> int:
    interfaces = sum(
        (len(group.interfaces) + traits.interfaces_of_tasks(group)) * group.max
        for group in plan.node_groups
    )
    return interfaces + sum(machine.count for machine in plan.machines)


def of_storage(plan: model.Plan) -> Iterator[Need]:
    """Every quota of storage that the cluster and its new file systems count against."""
    for (service, title, code), path, gib in _summed((*_of_volumes(plan), *_of_file_systems(plan))):
        tib = service == "ebs"
        amount, unit = (-(-gib // 1024), "TiB") if tib else (gib, "GiB")
        if amount:
            yield Need(service, title, code, amount, unit, path)


_Gib = _Used[tuple[str, str, str]]
"""A quota as service, title and code; the place in the spec; GiB."""


def _of_volumes(plan: model.Plan) -> Iterator[_Gib]:
    """Volumes, of the least size where the image has it; those of HyperPod are SageMaker's."""
    image = plan.limits.root_volume
    least = plan.limits.default_root_gib or (image.gib if image else 0)
    for node in filter(None, (plan.system,)) if plan.sagemaker else plan.nodes:
        most = node.max if isinstance(node, model.NodeGroup) else node.count
        yield _volumes(node.volume, node.at("root_volume"), most, least)
    for item in plan.storage:
        if isinstance(item, model.Ebs) and not item.existing:
            yield _volumes(item.volume, item.path, item.raid.volumes if item.raid else 1)


def _volumes(volume: model.Volume, path: Path, number: int, least: int = 0) -> _Gib:
    title = f"EBS storage of {volume.type} volumes"
    return ("ebs", title, VOLUMES[volume.type]), path, number * (volume.size_gib or least)


def _of_file_systems(plan: model.Plan) -> Iterator[_Gib]:
    for item in plan.storage:
        if isinstance(item, model.Lustre) and not item.existing:
            name, code = LUSTRE[item.deployment]
            title = f"FSx Lustre {name} storage capacity"
            yield ("fsx", title, code), item.path, item.size_gib or 0
        elif isinstance(item, model.OpenZfs) and not item.existing:
            title = "FSx OpenZFS SSD storage capacity"
            yield ("fsx", title, OPENZFS), item.path, item.size_gib or 0
