"""The region of an imported cluster: what the original says is stronger than a flag."""

from collections import Counter

from clustergen.base.findings import Path
from clustergen.base.patterns import pattern
from clustergen.base.text_lists import word_set
from clustergen.facts.catalog.regions import REGIONS, region_of_zone
from clustergen.importing.answers import REGION, Answers
from clustergen.importing.notes import Notes

_ARN = pattern(r"arn:aws[a-z-]*:([a-z0-9-]+):([a-z]{2}(?:-[a-z]+)+-[0-9]):")
_SERVICES = word_set("batch eks pcs sagemaker")
"""Services whose ARNs are those of a cluster and its parts, which are in one region."""


def of_arns(text: str, *, any_service: bool = False) -> str:
    """The region of the cluster's own ARNs in ``text``, or those of any service; may be empty."""
    found = (match[2] for match in _ARN.finditer(text) if any_service or match[1] in _SERVICES)
    ((region, _),) = Counter(found).most_common(1) or (("", 0),)
    return region


def located(answers: Answers, named: str, place: Path, original: str, notes: Notes) -> Answers:
    """``answers`` with a region: that which the ``original`` names, or else that of the flag.

    The flags often serve many files at once; in another region, a cluster would be another one.
    """
    if named in REGIONS:
        return _in(named, answers, place, original, notes)
    if not answers.region:
        text = f"{named} is no region" if named else f"the {original} names no region"
        notes.asked(place, text, "use --region", "region")
        notes.region_known = False
    return answers._replace(region=answers.region or REGION)


def _in(region: str, answers: Answers, place: Path, original: str, notes: Notes) -> Answers:
    zones = answers.zones.items()
    near = {subnet: zone for subnet, zone in zones if region_of_zone(zone) in (None, region)}
    if answers.region not in ("", region):
        text = f"the {original} is for {region}, so --region {answers.region} does not apply"
        notes.decided(place, text, "region")
    else:
        for zone in sorted({zone for subnet, zone in zones if subnet not in near}):
            text = f"the {original} is for {region}, so --zone {zone} does not apply"
            notes.decided(place, text, "network")
    return answers._replace(region=region, zones=near)
