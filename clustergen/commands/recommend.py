"""``clustergen recommend``."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Sequence
from pathlib import Path

from clustergen import compiler, recommendation, source, targets
from clustergen.catalog import InstanceType
from clustergen.commands import inputs
from clustergen.commands.cost import hours_of
from clustergen.commands.exit_status import FOUND, OK
from clustergen.commands.request import read
from clustergen.plan.model import NodeGroup, Plan
from clustergen.recommendation import Need, Recommendation
from clustergen.recommendation import need as needs
from clustergen.recommendation.spec_text import ChangedSpec, Draft, NewSpec

_DURATION = "14d"
"""Without one on the command line or in the spec."""


def run(args: argparse.Namespace) -> int:
    try:
        need, draft = _of_spec(args) if args.specs else _of_arguments(args)
        found = recommendation.recommend(need, draft, args.top)
        if args.write:
            _write(found, args)
    except inputs.UsageError as error:
        return inputs.refuse(error, args)
    sys.stdout.write(recommendation.render(args.output, found))
    return OK if found.answers and found.within_budget else FOUND


def _of_arguments(args: argparse.Namespace) -> tuple[Need, Draft]:
    if not (args.accelerator and args.count):
        raise inputs.UsageError("give --accelerator and --count, or a spec")
    types = needs.types_of(args.accelerator, args.count)
    if not types:
        known = ", ".join(needs.names())
        raise inputs.UsageError(
            f"no instance type with {args.accelerator}; known are {known}, and none for HPC"
        )
    cores = args.accelerator.lower() == "none"
    need = _need(args, needs.CORES if cores else _name(types, args), types, args.count)
    return need, NewSpec(need)


def _name(types: Sequence[InstanceType], args: argparse.Namespace) -> str:
    device = types[0].accelerator
    return device.name if device else str(args.accelerator)


def _of_spec(args: argparse.Namespace) -> tuple[Need, Draft]:
    """The need of the largest node group of a spec, and the spec with another group."""
    (spec, *more) = read(args).specs
    if more:
        raise inputs.UsageError("recommend reads one spec")
    sets = (*spec.sets, *args.sets)
    document, findings = source.read(spec.files, sets)
    if document is None:
        raise inputs.UsageError("the spec cannot be read", findings)
    # The nodes are the same in the plans of all targets.
    named = spec.targets or tuple(filter(targets.resolve, document.data.get("targets") or ()))
    checked = compiler.check(spec.files, sets=sets, targets=named[:1])
    plan = next(iter(checked.plans.values()), None)
    if plan is None:
        raise inputs.UsageError("the spec cannot be planned", checked.findings)
    index, group = _largest(plan)
    device = group.type.accelerator
    count = group.max * needs.per_node(group.type)
    same = needs.types_of(device.name if device else "none", count)
    types = tuple(dict.fromkeys((*group.types, *same)))
    args.regions = args.regions or [plan.region]
    what = device.name if device and needs.per_node(group.type) else needs.CORES
    args.duration = args.duration or _length(group)
    args.interruptible = args.interruptible or group.capacity.kind == "spot"
    return _need(args, what, types, count), ChangedSpec(document.data, index, group.name)


def _length(group: NodeGroup) -> str | None:
    """How long its capacity lasts, if the spec says so."""
    starts, ends = group.capacity.starts, group.capacity.ends
    if not starts or not ends or ends <= starts:
        return None
    return f"{int((ends - starts).total_seconds())}s"


def _largest(plan: Plan) -> tuple[int, NodeGroup]:
    """The group that costs the most attention: with the most accelerators, else cores."""
    return max(
        enumerate(plan.node_groups),
        key=lambda each: (
            each[1].max * (each[1].type.gpus + each[1].type.neuron_devices),
            each[1].max * each[1].type.cores,
        ),
    )


def _need(args: argparse.Namespace, what: str, types: Sequence[InstanceType], count: int) -> Need:
    named = ",".join(args.regions)
    regions = needs.regions_of(named) if named else needs.everywhere()
    if not regions:
        raise inputs.UsageError(f"no region {named!r}; write us, eu or us-east-1")
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
        raise inputs.UsageError(f"{text!r} is not a date; write it as {today}") from None
    if start < today:
        raise inputs.UsageError(f"{start} is in the past")
    return start


def _targets(args: argparse.Namespace) -> tuple[str, ...]:
    """The services to consider, by --target and --scheduler."""
    named = inputs.wanted(args.targets)
    chosen = tuple(named or targets.NAMES)
    if not args.scheduler:
        return chosen
    found = [name for name in chosen if targets.load(name).traits.scheduler == args.scheduler]
    if not found:
        raise inputs.UsageError(f"none of {', '.join(chosen)} has {args.scheduler}")
    return tuple(found)


def _write(found: Recommendation, args: argparse.Namespace) -> None:
    """Write the spec of the chosen answer; a file that exists is not overwritten."""
    if not 1 <= args.answer <= len(found.answers):
        raise inputs.UsageError(f"there is no answer {args.answer} to write")
    folder = Path(args.write)
    file = folder / "cluster.yaml"
    if file.exists():
        raise inputs.UsageError(f"{file} exists; name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(found.answers[args.answer - 1].spec, encoding="utf-8")
    except OSError as error:
        raise inputs.UsageError(f"{file}: {error.strerror}") from None
    print(f"wrote {file}", file=sys.stderr)
