"""``clustergen compare``."""

import argparse
import sys

from clustergen import targets
from clustergen.analysis import compare
from clustergen.analysis.compare import Comparison
from clustergen.commands import inputs
from clustergen.commands.request import read


def run(args: argparse.Namespace) -> int:
    request = read(args)
    names = request.targets or targets.NAMES
    compared: list[Comparison] = []
    for spec in request.with_progress():
        checked = request.check(spec, names)
        compared.append(compare.compare(spec.title, checked, names))
    sys.stdout.write(compare.render(args.output, compared))
    # A spec that could not be planned was not compared.
    failed = [finding for one in compared if not one.standings for finding in one.findings]
    return (inputs.status if args.output == "json" else inputs.report)(failed, args)
