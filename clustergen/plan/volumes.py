"""EBS volumes of a plan: boot volumes, and those that the head node exports."""

from collections.abc import Iterator
from typing import NamedTuple

from clustergen.base.findings import Path
from clustergen.facts.catalog.ebs import VOLUME_TYPES, VolumeType
from clustergen.plan import storage_kinds
from clustergen.plan.model import Ebs, Plan, Volume


class Placed(NamedTuple):
    """A volume to create, and its place in the spec."""

    path: Path
    volume: Volume
    kind: VolumeType

    def at(self, field: str) -> Path:
        return (*self.path, field)


def keys(plan: Plan) -> Iterator[tuple[Path, str]]:
    """The KMS keys of root volumes and of storage, and their places in the spec."""
    for placed in _roots(plan):
        if placed.volume.kms_key:
            yield placed.at("kms_key"), placed.volume.kms_key
    for item in plan.storage:
        if item.kms_key:
            yield item.at("kms_key"), item.kms_key


def is_key_here(plan: Plan, arn: str) -> bool:
    """Whether this is the ARN of a KMS key of the region."""
    _, partition, service, region, _, resource = arn.split(":", 5)
    here = (partition, region) == (plan.partition, plan.region)
    return here and service == "kms" and resource.startswith("key/")


def root_keys(plan: Plan) -> list[str]:
    """The KMS keys of root volumes, each once."""
    return sorted({placed.volume.kms_key for placed in _roots(plan) if placed.volume.kms_key})


def volumes(plan: Plan) -> Iterator[Placed]:
    """The volumes of head, login and compute nodes, followed by the exported ones."""
    yield from _roots(plan)
    for item in storage_kinds.new(plan, Ebs):
        yield _placed(item.path, item.volume)


def _roots(plan: Plan) -> Iterator[Placed]:
    for node in plan.nodes:
        yield _placed(node.at("root_volume"), node.volume)


def _placed(path: Path, volume: Volume) -> Placed:
    return Placed(path, volume, VOLUME_TYPES[volume.type])
