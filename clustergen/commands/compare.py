"""``clustergen compare``."""

from __future__ import annotations

import argparse
import sys

from clustergen import comparison, report, targets
from clustergen.commands import inputs
from clustergen.commands.exit_status import FAILED, FOUND, OK
from clustergen.commands.request import read
from clustergen.comparison import Comparison


def run(args: argparse.Namespace) -> int:
    try:
        request = read(args)
    except inputs.UsageError as error:
        return inputs.refuse(error, args)
    names = request.targets or targets.NAMES
    compared: list[Comparison] = []
    progress = inputs.Progress(len(request.specs))
    for index, spec in enumerate(request.specs):
        progress.at(index, spec.title)
        checked = request.check(spec, names)
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
