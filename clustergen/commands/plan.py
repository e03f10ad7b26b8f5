"""``clustergen plan``."""

import argparse
import sys
from collections.abc import Sequence

from clustergen.analysis import plan
from clustergen.analysis.plan import ExpandedSpec
from clustergen.base.findings import Finding, errors
from clustergen.commands import inputs
from clustergen.commands.request import read


def run(args: argparse.Namespace) -> int:
    request = read(args)
    expanded: list[ExpandedSpec] = []
    failed: list[Finding] = []
    for spec in request.with_progress():
        checked = request.check(spec)
        if "" in checked.plans:
            return inputs.refuse_without_target(spec.title)
        sound = (name for name in checked.plans if not checked.blocking(name))
        expanded += (plan.expand(checked, name) for name in sound)
        failed += errors(checked.findings)
    sys.stdout.write(_shown(expanded, args.output))
    return inputs.report(failed, args)


def _shown(expanded: Sequence[ExpandedSpec], output: str) -> str:
    if output == "json":
        return plan.as_json(expanded)
    if output == "yaml":
        return "---\n".join(map(plan.as_yaml, expanded))
    return "\n".join(map(plan.as_text, expanded))
