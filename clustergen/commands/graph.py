"""``clustergen graph``."""

import argparse
import sys

from clustergen import targets
from clustergen.analysis import graph
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK, UsageError
from clustergen.commands.request import read


def run(args: argparse.Namespace) -> int:
    request = read(args)
    if len(request.specs) != 1 or len(request.targets) > 1:
        raise UsageError("graph draws one spec for one target")
    (spec,) = request.specs
    checked = request.check(spec)
    if checked.targets == ("",):
        checked = request.check(spec, targets.NAMES[:1])
    name = next((name for name in checked.targets if name in checked.plans), None)
    if name is None:
        return inputs.report(checked.findings, args)
    box = graph.diagram(checked.plans[name], targets.load(name))
    sys.stdout.write(graph.render(args.output, box))
    return OK
