"""The region of an imported cluster: what the original says is stronger than a flag."""

from __future__ import annotations

from clustergen.catalog.regions import REGIONS, region_of_zone
from clustergen.findings import Path
from clustergen.importing.answers import Answers
from clustergen.importing.notes import Notes

_DEFAULT = "us-east-1"


def located(answers: Answers, named: str, place: Path, original: str, notes: Notes) -> Answers:
    """``answers`` with a region: that which the ``original`` names, or else that of the flag.

    The flags often serve many files at once; in another region, a cluster would be another one.
    """
    if named in REGIONS:
        return _in(named, answers, place, original, notes)
    if not answers.region:
        text = f"{named} is no region" if named else f"the {original} names no region"
        notes.asked(place, text, "use --region", "region")
    return answers._replace(region=answers.region or _DEFAULT)


def _in(region: str, answers: Answers, place: Path, original: str, notes: Notes) -> Answers:
    if answers.region in ("", region):
        return answers._replace(region=region)
    text = f"the {original} is for {region}, so --region {answers.region} does not apply"
    notes.decided(place, text, "region")
    zones = {
        subnet: zone
        for subnet, zone in answers.zones.items()
        if region_of_zone(zone) in (None, region)
    }
    return answers._replace(region=region, zones=zones)
