"""``clustergen diff``."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from clustergen.analysis import diff
from clustergen.analysis.diff import Diff, Folders, Side, Spec, live
from clustergen.base import account
from clustergen.bundle.effects import KINDS, Kind
from clustergen.commands import inputs, sides
from clustergen.commands.exit_status import FOUND, OK, UsageError

LEVELS: Mapping[str, Kind] = {
    "any": "in-place",
    "leftover": "leftover",
    "drain": "replaces-nodes",
    "terminate": "ends-sessions",
    "stop": "needs-stop",
    "replace": "replaces-resource",
    "refused": "refused",
    "data": "data-at-risk",
}
"""The words of ``--fail-on``: each stands for its kind and all that are more dangerous."""


class Pair(NamedTuple):
    old: Side
    new: Spec | Folders


def run(args: argparse.Namespace) -> int:
    pair = _pair(args)
    found: list[Diff] = []
    failed = [finding for side in pair if isinstance(side, Spec) for finding in side.blocking()]
    for target in _targets(pair, args):
        try:
            compared = diff.compare(pair.old, pair.new, target)
        except live.LiveError as error:
            return inputs.print_error(str(error))
        if compared:
            found.append(compared)
        elif not failed:
            return inputs.print_error(f"{pair.new.title} cannot be compared for {target}")
    if notes := pair.old.forgiven() if isinstance(pair.old, Spec) else []:
        inputs.show(notes, argparse.Namespace(output="text", color=args.color), to_stderr=True)
    if failed:
        return inputs.report(failed, args)
    sys.stdout.write(diff.render(args.output, found, everything=args.all))
    return FOUND if _fails(found, args.fail_on) else OK


def _targets(pair: Pair, args: argparse.Namespace) -> Sequence[str]:
    named = inputs.wanted(args.targets)
    alone = [side for side in pair if isinstance(side, Folders) and side.is_one]
    sides = alone or (pair.new, pair.old)
    return named or list(dict.fromkeys(target for side in sides for target in side.targets))


def _fails(found: Sequence[Diff], wanted: str | None) -> bool:
    """Whether an effect is as dangerous as ``wanted``, or unknown; drift is the least of all."""
    if wanted is None:
        return False
    if wanted == "any" and any(each.drift and each.drift.found for each in found):
        return True
    least = KINDS.index(LEVELS[wanted])
    kinds = {caused.effect.kind for each in found for caused in each.effects}
    return any(kind == "unknown" or KINDS.index(kind) >= least for kind in kinds)


def _pair(args: argparse.Namespace) -> Pair:
    """:raises UsageError: if a side is missing, or cannot be read."""
    named = list(args.specs)
    if len(named) not in (1, 2) or ((args.base or args.live) and len(named) == 2):
        raise UsageError("name OLD and NEW; or one spec, alone or with --base REVISION or --live")
    new = sides.side(named[-1], args)
    if len(named) == 2:
        return Pair(sides.side(named[0], args, old=True), new)
    if isinstance(new, Folders):
        raise UsageError(f"{new.title} has bundles: name what to compare them with")
    if args.live:
        return Pair(live.Live(new, account.clients), new)
    if args.base:
        return Pair(sides.spec(named[0], args, sides.Revision(args.base)), new)
    return Pair(_rendered(new, args), new)


def _rendered(new: Spec, args: argparse.Namespace) -> Folders:
    """The bundles of a spec where ``render`` has written them."""
    folder = Path(args.out or inputs.OUT) / new.name
    found = Folders.below(folder) if new.name else None
    if found is None and new.blocking():
        return Folders(str(folder), {})  # its errors are what counts
    if found is None:
        raise UsageError(
            f"{folder} has no bundles to compare {new.title} with: name OLD, or --base REVISION"
        )
    return found
