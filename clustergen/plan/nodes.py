"""Node groups, head and login nodes: facts about their types, and resolved defaults."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, cast

from clustergen.base.findings import Finding, Path, Severity, corrected, put, unsafe
from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType, lookup
from clustergen.facts.catalog.ebs import provisioned_iops
from clustergen.plan import nics
from clustergen.plan.model import (
    Capacity,
    CapacityKind,
    Decision,
    Grant,
    Iam,
    Interface,
    Machine,
    NodeGroup,
    Placement,
    Taint,
    Traits,
    Volume,
)
from clustergen.plan.rules.nodes import NO_EFA, UNKNOWN_TYPE, UNLIKE_EFA
from clustergen.spec.validators import PURCHASES

if TYPE_CHECKING:
    from clustergen.spec import nodes as spec
    from clustergen.spec.orchestration import SystemNodes


class MachinePlanner:
    """Plans the nodes for one target, and collects findings and decisions."""

    def __init__(self, traits: Traits) -> None:
        self.traits = traits
        self.findings: list[Finding] = []
        self.decisions: list[Decision] = []

    def groups(self, groups: Sequence[spec.NodeGroup]) -> tuple[NodeGroup, ...]:
        """The groups that can be planned; there is a finding for each of the others."""
        planned = (self._group(group, ("node_groups", i)) for i, group in enumerate(groups))
        return tuple(group for group in planned if group is not None)

    def machine(
        self, machine: spec.HeadNode | spec.Login | SystemNodes | spec.LoginNodes, path: Path
    ) -> Machine | None:
        """Head, login or system nodes."""
        type = self._type(machine.instance_type, (*path, "instance_type"))
        if type is None:
            return None
        given: spec.RootVolume | None = getattr(machine, "root_volume", None)
        subnet: str | None = getattr(machine, "subnet", None)
        return Machine(
            path,
            type,
            getattr(machine, "count", 1),
            getattr(machine, "image", None),
            volume(given) if given else _DEFAULT_VOLUME,
            getattr(machine, "name", ""),
            threads_per_core=getattr(machine, "threads_per_core", None)
            or (None if self.traits.smt else 1),
            subnets=(subnet,) if subnet else tuple(getattr(machine, "subnets", ())),
            security_groups=tuple(getattr(machine, "security_groups", ())),
            ssh_from=getattr(machine, "ssh_from", None),
            iam=iam_of(getattr(machine, "iam", None)),
        )

    def _group(self, group: spec.NodeGroup, path: Path) -> NodeGroup | None:
        types = self._types(group, path)
        if not types:
            return None
        efa = self._efa(group, types, path)
        capacity = _capacity(group.capacity)
        layout = self.traits.efa_layout if group.efa_layout == "auto" else group.efa_layout
        return NodeGroup(
            path=path,
            name=group.name,
            types=types,
            min=group.count.min,
            max=group.count.max,
            capacity=capacity,
            efa=efa,
            efa_layout=layout,
            interfaces=self._interfaces(
                min(types, key=_fabric) if self.traits.every_common_card else types[0], efa, layout
            ),
            placement=self._placement(group, capacity, efa, path),
            threads_per_core=self._threads(group, types),
            image=group.image,
            volume=volume(group.root_volume),
            scratch=group.scratch,
            mig=dict(group.mig),
            health_checks=tuple(group.health_checks),
            labels=dict(group.labels),
            taints=tuple(Taint(t.key, t.value, t.effect) for t in group.taints),
            slurm=dict(group.slurm),
            subnets=tuple(group.subnets),
            zone=group.zone,
            security_groups=tuple(group.security_groups),
            iam=iam_of(group.iam),
            allocation=group.allocation,
            service_name=group.service_name,
            desired=group.count.desired,
            accelerator_taint=group.accelerator_taint is not False,
            tags=dict(group.tags),
            listed=not group.instance_type,
        )

    def _types(self, group: spec.NodeGroup, path: Path) -> tuple[InstanceType, ...]:
        if group.instance_type:
            named = [(group.instance_type, (*path, "instance_type"))]
        else:
            named = [
                (name, (*path, "instance_types", i)) for i, name in enumerate(group.instance_types)
            ]
        types = [self._type(name, at) for name, at in named]
        # One unknown type is enough to stop: facts about the others do not apply to it.
        return tuple(t for t in types if t) if all(types) else ()

    def _type(self, name: str, path: Path) -> InstanceType | None:
        type = catalog.find(name)
        if type is None:
            missing = catalog.explain_missing(name)
            fix = corrected(path, name, missing.nearest) if missing.nearest else None
            help = missing.suggestion
            self.findings.append(UNKNOWN_TYPE.at(path, missing.reason, help=help, fix=fix))
        return type

    def _efa(self, group: spec.NodeGroup, types: Sequence[InstanceType], path: Path) -> bool:
        at, lacking = (*path, "efa"), next((type for type in types if not type.efa), None)
        if group.efa is True and lacking:
            message, fix = f"{lacking.name} has no EFA", unsafe(put(at, "auto"))
            self.findings.append(NO_EFA.at(at, message, help=_with_efa(lacking), fix=fix))
        if group.efa is False or lacking:
            return False
        # SageMaker gives each instance the interfaces of its type.
        alike = types[:1] if self.traits.sagemaker else types
        if unlike := next((t for t in alike if _fabric(t) != _fabric(types[0])), None):
            common, place = self.traits.every_common_card, (*path, "instance_types")
            self.findings.append(_unlike(types[0], unlike, place, common=common))
            if not common:
                return False
        if group.efa == "auto":
            self._decide(at, f"{group.name}: EFA is on, because {types[0].name} supports it")
        return True

    def _interfaces(
        self, type: InstanceType, efa: bool, layout: nics.Layout
    ) -> tuple[Interface, ...]:
        traits = self.traits
        if not efa:
            return nics.plain(type, every_card=traits.every_common_card)
        return nics.with_efa(type, layout, traits.card_device_index, traits.combined_device_index)

    def _placement(
        self, group: spec.NodeGroup, capacity: Capacity, efa: bool, path: Path
    ) -> Placement:
        if not isinstance(group.placement, str):
            return Placement("existing", group.placement.group)
        if group.placement != "auto":
            return Placement(group.placement)
        if not efa or self.traits.sagemaker:
            return Placement("none")
        at = (*path, "placement")
        # A reservation or block determines the location of instances; a placement group would fail.
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cr-cpg.html
        if capacity.reserved:
            self._decide(at, f"{group.name}: its {capacity.title} determines the placement")
            return Placement("none")
        self._decide(at, f"{group.name}: cluster placement group, for EFA")
        return Placement("cluster")

    def _threads(self, group: spec.NodeGroup, types: Sequence[InstanceType]) -> int:
        if group.threads_per_core is not None:
            return group.threads_per_core
        return max(type.threads_per_core for type in types) if self.traits.smt else 1

    def _decide(self, path: Path, text: str) -> None:
        self.decisions.append(Decision(path, text))


def iam_of(given: spec.LoginIam | None) -> Iam:
    """What nodes may do in AWS, as the spec says."""
    if given is None:
        return Iam()
    grants = tuple(Grant(grant.uri, grant.write) for grant in getattr(given, "s3", ()))
    return Iam(tuple(given.policies), grants, given.role, given.instance_profile)


_DEFAULT_VOLUME = Volume(None, "gp3", None, None)


def volume(volume: spec.RootVolume) -> Volume:
    """The root volume from the spec."""
    iops = provisioned_iops(volume.type, volume.iops)
    return Volume(
        volume.size,
        volume.type,
        iops,
        volume.throughput,
        volume.encrypted,
        volume.kms_key,
        volume.on_delete == "retain",
    )


def _capacity(capacity: spec.Capacity) -> Capacity:
    for field in ("spot", *PURCHASES):
        if value := getattr(capacity, field):
            kind = cast("CapacityKind", field.replace("_", "-"))
            id = value if isinstance(value, str) else None
            return Capacity(kind, id, _moment(capacity.starts), _moment(capacity.ends))
    return Capacity("on-demand")


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _fabric(type: InstanceType) -> tuple[int, int]:
    """Facts that the types of a group must share to have the same list of interfaces."""
    return (len(type.cards), type.max_efa)


def _unlike(first: InstanceType, other: InstanceType, path: Path, *, common: bool) -> Finding:
    """The finding about two types; only a warning if nodes have the ``common`` cards."""
    cards = " and ".join(f"{len(t.cards)} (EFA on {t.max_efa})" for t in (first, other))
    help = "give each type a group of its own"
    return UNLIKE_EFA.at(
        path,
        f"{first.name} and {other.name} have {cards} network cards",
        help=help if common else f"{help}, or write efa: false",
        severity=Severity.WARNING if common else None,
        fix=None if common else unsafe(put((*path[:-1], "efa"), False)),
    )


def _with_efa(type: InstanceType) -> str:
    family = lookup.containing(f'"{type.family}.')
    sizes = sorted((t for t in family if t.efa), key=lambda t: t.vcpus)
    if not sizes:
        return f"no size of {type.family} supports it; write efa: false, or use another family"
    return "sizes that have it: " + ", ".join(t.name for t in sizes[:6])
