"""``clustergen compare``."""

from __future__ import annotations

import argparse
import sys

from clustergen import comparison, compiler, report, targets
from clustergen.commands import inputs
from clustergen.commands.exit_status import FAILED, FOUND, OK
from clustergen.comparison import Comparison


def run(args: argparse.Namespace) -> int:
    requested = [name for given in args.targets for name in given.split(",")]
    try:
        specs, names = inputs.specs(args), inputs.wanted(requested) or list(targets.NAMES)
    except inputs.UsageError as error:
        return inputs.print_error(str(error))
    compared: list[Comparison] = []
    progress = inputs.Progress(len(specs))
    for index, spec in enumerate(specs):
        progress.at(index, spec.title)
        checked = compiler.check(spec.files, sets=args.sets, targets=names)
        compared.append(comparison.compare(spec.title, checked, names))
    progress.done()
    sys.stdout.write(comparison.render(args.output, compared))
    return _status(compared, args)


def _status(compared: list[Comparison], args: argparse.Namespace) -> int:
    """The exit status; a spec that could not be planned was not compared."""
    failed = [finding for one in compared if not one.standings for finding in one.findings]
    if failed and args.output != "json":
        sys.stderr.write(report.render("text", failed, {}))
    if inputs.could_not(failed):
        return FAILED
    return FOUND if failed else OK
