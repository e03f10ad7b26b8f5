"""EBS volumes of a plan: boot volumes, and those that the head node exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from clustergen.catalog.ebs import VOLUME_TYPES, VolumeType
from clustergen.findings import Path
from clustergen.plan import stored
from clustergen.plan.model import Ebs, Plan, Volume


class Placed(NamedTuple):
    """A volume to create, and its place in the spec."""

    path: Path
    volume: Volume
    kind: VolumeType

    def at(self, field: str) -> Path:
        return (*self.path, field)


def volumes(plan: Plan) -> Iterator[Placed]:
    """The volumes of head, login and compute nodes, followed by the exported ones."""
    for machine in plan.machines:
        yield _placed((*machine.path, "root_volume"), machine.volume)
    for group in plan.node_groups:
        yield _placed(group.at("root_volume"), group.volume)
    for item in stored.new(plan, Ebs):
        yield _placed(item.path, item.volume)


def _placed(path: Path, volume: Volume) -> Placed:
    return Placed(path, volume, VOLUME_TYPES[volume.type])
