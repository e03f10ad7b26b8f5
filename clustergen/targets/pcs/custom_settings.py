"""The Slurm settings that a spec writes, and which of them PCS accepts at which level."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from clustergen.findings import Path
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits

_CLUSTER = "slurm.settings"
_QUEUE = "a queue's slurm"
_NODE_GROUP = "a node group's slurm"
_SLURMDBD = "slurm.slurmdbd_settings"
_CGROUP = "slurm.cgroup_settings"

_ACCEPTED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        _CLUSTER: limits.CLUSTER_SETTINGS,
        _QUEUE: limits.QUEUE_SETTINGS,
        _NODE_GROUP: limits.NODE_GROUP_SETTINGS,
        _SLURMDBD: limits.SLURMDBD_SETTINGS,
        _CGROUP: limits.CGROUP_SETTINGS,
    }
)
"""The names that PCS accepts at each level."""

_INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "suspendtime": "write slurm.idle_timeout",
        "grestypes": "remove it: PCS derives it from the instance types",
        "prioritytype": "remove it: PCS weighs jobs by the PriorityWeight settings",
        "topologyplugin": "remove it: PCS chooses it for UltraServers",
        "accountingstoragetype": "write slurm.accounting: managed",
        "state": "remove it: PCS manages it",
    }
)
"""What replaces a setting that PCS manages itself, by lower-case name."""


class CustomSetting(NamedTuple):
    """A setting as the spec writes it; Slurm ignores the case of names."""

    path: Path
    level: str
    name: str
    value: str

    @property
    def accepted(self) -> bool:
        """Whether PCS accepts the setting at its level, in some version of Slurm."""
        return self.name.lower() in {name.lower() for name in _ACCEPTED[self.level]}

    @property
    def since(self) -> str:
        """The first Slurm version on PCS that has the setting; empty when all have it."""
        name = self.name.lower()
        if self.level == _SLURMDBD:
            return ""
        if name == "selecttypeparameters" and "cr_socket" in self.value.lower():
            return limits.SOCKET_SELECTION_SINCE
        return limits.SETTING_SINCE.get(name, "")

    @property
    def instead(self) -> str:
        """What to write in place of a setting that PCS does not accept."""
        name = self.name.lower()
        if name in _INSTEAD:
            return _INSTEAD[name]
        by_lower = {accepted.lower(): accepted for accepted in _ACCEPTED[self.level]}
        if near := difflib.get_close_matches(name, by_lower, n=1, cutoff=0.75):
            return f"did you mean {by_lower[near[0]]}?"
        for level, accepted in _ACCEPTED.items():
            if name in {known.lower() for known in accepted}:
                return f"it belongs in {level}"
        return f"remove it; the page lists the {len(by_lower)} settings of {self.level}"


def custom_settings(plan: Plan) -> Iterator[CustomSetting]:
    """Every setting that the spec writes."""
    for path, level, given in _written(plan):
        for name, value in given.items():
            yield CustomSetting((*path, name), level, name, value)


def _written(plan: Plan) -> Iterator[tuple[Path, str, Mapping[str, str]]]:
    slurm = plan.slurm
    yield ("slurm", "settings"), _CLUSTER, slurm.settings
    yield ("slurm", "slurmdbd_settings"), _SLURMDBD, slurm.slurmdbd_settings
    yield ("slurm", "cgroup_settings"), _CGROUP, slurm.cgroup_settings
    for group in plan.node_groups:
        yield group.at("slurm"), _NODE_GROUP, group.slurm
    for queue in plan.queues:
        yield queue.at("slurm"), _QUEUE, queue.slurm
