"""EBS volumes and snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.account import Answer
from clustergen.findings import Path, Problem
from clustergen.plan.model import Ebs, Plan, Storage
from clustergen.preflight import network
from clustergen.preflight.case import Case
from clustergen.preflight.rules import listed, rule

EBS: Final = "https://docs.aws.amazon.com/ebs/latest/userguide/"


def _at(item: Storage) -> Path:
    return item.at("existing", "id")


VOLUMES: Final = "ec2:DescribeVolumes"
SNAPSHOTS: Final = "ec2:DescribeSnapshots"


def _ebs(plan: Plan) -> Mapping[str, Path]:
    """The volumes and snapshots in the spec, and where they are."""
    found: dict[str, Path] = {}
    for item in plan.storage:
        if isinstance(item, Ebs) and item.existing:
            found[str(item.id)] = _at(item)
        elif isinstance(item, Ebs) and item.snapshot:
            found[item.snapshot] = item.at("snapshot")
    return found


def _ebs_by_hand(plan: Plan) -> str:
    ids = listed(_ebs(plan))
    return f"{ids}: available; a volume in the zone of the head node" if ids else ""


@rule(
    "PRE067",
    "The volume or snapshot does not exist, or cannot be used",
    why="A volume is attached in its zone only, and to one instance at a time.",
    source=f"{EBS}ebs-attaching-volume.html",
    calls=(VOLUMES, SNAPSHOTS, network.ZONES, network.SUBNETS),
    by_hand=_ebs_by_hand,
    bad="ec2:DescribeVolumes: []",
    good="ec2:DescribeVolumes: {}",
)
def volume(case: Case) -> Iterator[Problem]:
    for id, path in _ebs(case.plan).items():
        found = _volume(case, id)
        state = found.get("State") if found else None
        if found is None:
            message = f"the account has no {id} in {case.region}"
            yield Problem(path, message, f"aws ec2 describe-volumes --region {case.region}")
        elif state in ("error", "deleting", "deleted", "recoverable"):
            yield Problem(path, f"{id} is {state}", "use another one")
        elif "AvailabilityZone" in found:
            yield from _of_zone(case, id, path, found)


def _volume(case: Case, id: str) -> Answer | None:
    if id.startswith("snap-"):
        wanted = network.filtered("snapshot-id", [id])
        found = case.every(SNAPSHOTS, "Snapshots", Filters=wanted)
    else:
        wanted = network.filtered("volume-id", [id])
        found = case.every(VOLUMES, "Volumes", Filters=wanted)
    return found[0] if found else None


def _of_zone(case: Case, id: str, path: Path, found: Answer) -> Iterator[Problem]:
    head = case.plan.head
    given = case.plan.network.private[:1]
    zones = network.zones_of(
        case,
        [subnet.zone for subnet in given],
        (head.subnets if head else ()) or [subnet.id for subnet in given],
    )
    theirs = network.as_ids(case, [found["AvailabilityZone"]])
    if zones and theirs and zones.isdisjoint(theirs):
        message = f"{id} is in {found['AvailabilityZone']}, and the head node is not"
        help = f"aws ec2 create-snapshot --region {case.region} --volume-id {id}; then `snapshot:`"
        yield Problem(path, message, help)
