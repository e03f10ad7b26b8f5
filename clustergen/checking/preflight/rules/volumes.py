"""EBS volumes and snapshots."""

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.base.account import Answer
from clustergen.base.findings import Path, Problem, rule
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about
from clustergen.plan.model import Ebs, Plan

EBS: Final = "https://docs.aws.amazon.com/ebs/latest/userguide/"
VOLUMES: Final = "ec2:DescribeVolumes"
SNAPSHOTS: Final = "ec2:DescribeSnapshots"


def _ebs(plan: Plan) -> Mapping[str, Path]:
    found: dict[str, Path] = {}
    for item in plan.storage:
        if isinstance(item, Ebs) and item.existing:
            found[str(item.id)] = item.at("existing", "id")
        elif isinstance(item, Ebs) and item.snapshot:
            found[item.snapshot] = item.at("snapshot")
    return found


@rule(
    "PRE067",
    "The volume or snapshot does not exist, or cannot be used",
    why="A volume is attached in its zone only, and to one instance at a time.",
    source=f"{EBS}ebs-attaching-volume.html",
    calls=(VOLUMES, SNAPSHOTS, network.ZONES, network.SUBNETS),
    by_hand=about(_ebs, "{names}: available; a volume in the zone of the head node"),
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
    is_snapshot = id.startswith("snap-")
    call, member = (SNAPSHOTS, "Snapshots") if is_snapshot else (VOLUMES, "Volumes")
    wanted = network.filtered("snapshot-id" if is_snapshot else "volume-id", [id])
    return next(iter(case.every(call, member, Filters=wanted)), None)


def _of_zone(case: Case, id: str, path: Path, found: Answer) -> Iterator[Problem]:
    head, given = case.plan.head, case.plan.network.private[:1]
    zones = network.zones_of(case, given, head.subnets if head else ())
    theirs = network.as_ids(case, [found["AvailabilityZone"]])
    if zones and theirs and zones.isdisjoint(theirs):
        message = f"{id} is in {found['AvailabilityZone']}, and the head node is not"
        help = f"aws ec2 create-snapshot --region {case.region} --volume-id {id}; then `snapshot:`"
        yield Problem(path, message, help)
