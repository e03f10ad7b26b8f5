"""Effects of other dates of capacity: when nodes stop. Nothing is replaced for that."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from clustergen.base.patterns import pattern
from clustergen.bundle.effects import identity
from clustergen.bundle.effects.model import Effect
from clustergen.plan.timetable import iso
from clustergen.services import schedules
from clustergen.services.fields import value_at
from clustergen.services.hyperpod.scripts import FOLDER as LIFECYCLE
from clustergen.services.slurm import timetable

_STOP_COLUMN = 5
_AT = pattern(r"at\((.+)\)")
_STOPS = pattern(r".+: (.+) stops")
_SCRIPTS = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-lifecycle-best-practices-slurm.html"
_SOURCE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-extend.html"


def effects(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    """For each group whose nodes stop at another time; a group that is new or gone has none."""
    before, after = _stops(old), _stops(new)
    yield from _without_script(old, new)
    for group in before:
        was, becomes = before[group], after.get(group)
        if becomes is None or becomes == was:
            continue
        text = f"stops the nodes of {group} at {becomes} instead of {was}"
        if becomes < was:
            text += ", with the jobs on them; after that time, at once"
            yield Effect("removes-nodes", group, "capacity.ends", text, _SOURCE)
        else:
            yield Effect("in-place", group, "capacity.ends", text, _SOURCE)


def _without_script(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    """HyperPod runs scripts on new nodes only, and the controller is not replaced."""
    path = f"{LIFECYCLE}/{timetable.NAME}"
    if path in new and path not in old:
        text = (
            "does not reach a running controller, which lets jobs outlive their nodes until "
            f"`sudo bash /opt/clustergen/{path} install timetable.json` has run there, with the "
            "files that `deploy.sh` names when it ends"
        )
        yield Effect("new-nodes-only", timetable.NAME, "capacity.ends", text, _SCRIPTS)


def _stops(files: Mapping[str, str]) -> dict[str, str]:
    """When the nodes of each group stop, from what the targets have."""
    return {**_of_schedules(files), **_of_table(files)}


def _of_table(files: Mapping[str, str]) -> dict[str, str]:
    lines = [line.split() for line in files.get(timetable.TABLE, "").splitlines()]
    rows = [words for words in lines if len(words) > _STOP_COLUMN and words[0] != "#"]
    return {
        words[0]: iso(datetime.fromtimestamp(int(words[_STOP_COLUMN]), UTC))
        for words in rows
        if words[_STOP_COLUMN].isdigit() and words[_STOP_COLUMN] != "0"
    }


def _of_schedules(files: Mapping[str, str]) -> dict[str, str]:
    found = {}
    resources = identity.document(files, schedules.PATH).get("Resources")
    for each in resources.values() if isinstance(resources, dict) else ():
        group = _STOPS.fullmatch(str(value_at(each, "Properties.Description")))
        time = _AT.fullmatch(str(value_at(each, "Properties.ScheduleExpression")))
        if group and time:
            found[group[1]] = f"{time[1]}Z"
    return found
