"""``clustergen recommend``."""

import argparse
import datetime
import sys
from collections.abc import Sequence
from pathlib import Path

from clustergen import targets
from clustergen.analysis import recommend
from clustergen.analysis.recommend import Need, Recommendation
from clustergen.analysis.recommend import need as needs
from clustergen.analysis.recommend.spec_text import ChangedSpec, Draft, NewSpec
from clustergen.base.findings import Finding, errors
from clustergen.checking import compiler
from clustergen.commands import inputs
from clustergen.commands.cost import hours_of
from clustergen.commands.exit_status import FOUND, OK, UsageError
from clustergen.commands.init import SPEC, write_files
from clustergen.commands.request import project_of, read
from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import NodeGroup, Plan
from clustergen.spec import source

_DURATION = "14d"
"""Without one on the command line or in the spec."""


def run(args: argparse.Namespace) -> int:
    need, draft, failed = _of_spec(args) if args.specs else (*_of_arguments(args), [])
    found = recommend.recommend(need, draft, args.top)
    if args.write:
        _write(found, args)
    sys.stdout.write(recommend.render(args.output, found))
    # The answers may be what corrects them: an instance type that the region has.
    inputs.show(failed, args)
    return OK if found.answers and found.within_budget and not failed else FOUND


def _of_arguments(args: argparse.Namespace) -> tuple[Need, Draft]:
    project_of(args)  # it may describe types
    if not (args.accelerator and args.count):
        raise UsageError("give --accelerator and --count, or a spec")
    types = needs.types_of(args.accelerator, args.count)
    if not types:
        known = ", ".join(needs.names())
        message = f"no instance type with {args.accelerator}; known are {known}, and none for HPC"
        raise UsageError(message)
    device = types[0].accelerator
    what = device.name if device else str(args.accelerator)
    cores = args.accelerator.lower() == "none"
    need = _need(args, needs.CORES if cores else what, types, args.count)
    return need, NewSpec(need)


def _of_spec(args: argparse.Namespace) -> tuple[Need, Draft, list[Finding]]:
    """The need of a spec's largest node group, the spec with another group, and its errors."""
    request = read(args)
    (spec, *more) = request.specs
    if more:
        raise UsageError("recommend reads one spec")
    sets, contents = (*spec.sets, *args.sets), request.contents(spec)
    document, findings = source.read(spec.files, sets, contents)
    if document is None:
        raise UsageError("the spec cannot be read", findings)
    # The nodes are the same in the plans of all targets.
    checked = compiler.check(spec.files, sets=sets, targets=spec.targets[:1], contents=contents)
    plan = next(iter(checked.plans.values()), None)
    if plan is None:
        raise UsageError("the spec cannot be planned", checked.findings)
    index, group = _largest(plan)
    device = group.type.accelerator
    count = group.max * needs.per_node(group.type)
    same = needs.types_of(device.name if device else "none", count)
    types = tuple(dict.fromkeys((*group.types, *same)))
    args.regions = args.regions or [plan.region]
    what = device.name if device and needs.per_node(group.type) else needs.CORES
    args.duration = args.duration or _length(group)
    args.interruptible = args.interruptible or group.capacity.kind == "spot"
    draft = ChangedSpec(document.data, index, group.name)
    return _need(args, what, types, count), draft, errors(checked.findings)


def _length(group: NodeGroup) -> str | None:
    """How long its capacity lasts, if the spec says so."""
    starts, ends = group.capacity.starts, group.capacity.ends
    if not starts or not ends or ends <= starts:
        return None
    return f"{int((ends - starts).total_seconds())}s"


def _largest(plan: Plan) -> tuple[int, NodeGroup]:
    """The group with the most accelerators, else cores."""

    def size(numbered: tuple[int, NodeGroup]) -> tuple[int, int]:
        group, type = numbered[1], numbered[1].type
        return group.max * (type.gpus + type.neuron_devices), group.max * type.cores

    return max(enumerate(plan.node_groups), key=size)


def _need(args: argparse.Namespace, what: str, types: Sequence[InstanceType], count: int) -> Need:
    named = ",".join(args.regions)
    regions = needs.regions_of(named) if named else needs.everywhere()
    if not regions:
        raise UsageError(f"no region {named!r}; write us, eu or us-east-1")
    today = datetime.datetime.now(datetime.UTC).date()
    return Need(
        what=what,
        types=tuple(types),
        count=count,
        hours=hours_of(args.duration or _DURATION),
        regions=regions,
        today=today,
        start=_start(args.start, today),
        budget=args.budget,
        targets=_targets(args),
        interruptible=args.interruptible,
    )


def _start(text: str | None, today: datetime.date) -> datetime.date | None:
    if text is None:
        return None
    try:
        start = datetime.date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a date; write it as {today}") from None
    if start < today:
        raise UsageError(f"{start} is in the past")
    return start


def _targets(args: argparse.Namespace) -> tuple[str, ...]:
    """The services to consider, by --target and --scheduler."""
    chosen = tuple(inputs.wanted(args.targets) or targets.NAMES)
    by_name = {name: targets.load(name).traits.scheduler for name in chosen}
    found = [name for name in chosen if args.scheduler in (None, by_name[name])]
    if not found:
        raise UsageError(f"none of {', '.join(chosen)} has {args.scheduler}")
    return tuple(found)


def _write(found: Recommendation, args: argparse.Namespace) -> None:
    """Write the spec of the chosen answer; a file that exists is not overwritten."""
    if not 1 <= args.answer <= len(found.answers):
        raise UsageError(f"there is no answer {args.answer} to write")
    file = Path(args.write) / SPEC
    if file.exists():
        raise UsageError(f"{file} exists; name another folder")
    write_files({file: found.answers[args.answer - 1].spec}, (), force=True)
    print(f"wrote {file}", file=sys.stderr)
