"""The network of a cluster that exists, from the ids of its subnets."""

from __future__ import annotations

from collections.abc import Iterable

from clustergen.artifacts import Json
from clustergen.importing.answers import STAND_IN_VPC, Answers
from clustergen.importing.notes import Notes


def network(
    found: Iterable[object], part: str, silence: str, answers: Answers, notes: Notes
) -> Json:
    """The VPC and private subnets of a spec; asks for the VPC, which no file names.

    ``part`` is what of the file the question is about, ``silence`` its text.
    """
    subnets = list(dict.fromkeys(id for id in found if isinstance(id, str)))
    if not subnets:  # those of a foundation of clustergen, or of eksctl
        return {"zone": answers.zones.get("") or f"{answers.region}a"}
    if not answers.vpc:
        help = f"use --vpc; `aws ec2 describe-subnets --subnet-ids {subnets[0]}` shows it"
        notes.asked((part,), silence, help, "network")
    return {
        "vpc": answers.vpc or STAND_IN_VPC,
        "private_subnets": [_subnet(id, answers) for id in subnets],
    }


def _subnet(id: str, answers: Answers) -> Json | str:
    zone = answers.zones.get(id) or answers.zones.get("")
    return {"id": id, "zone": zone} if zone else id
