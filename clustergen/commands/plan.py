"""``clustergen plan``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from clustergen import expansion, report, targets
from clustergen.commands import inputs
from clustergen.commands.exit_status import FAILED, FOUND, OK
from clustergen.commands.request import read
from clustergen.compiler import Checked
from clustergen.expansion import Expansion
from clustergen.findings import Finding, errors


def run(args: argparse.Namespace) -> int:
    try:
        request = read(args)
    except inputs.UsageError as error:
        return inputs.refuse(error, args)
    expanded: list[Expansion] = []
    failed: list[Finding] = []
    for spec in request.specs:
        checked = request.check(spec)
        if "" in checked.plans:
            names = "|".join((*targets.NAMES, "all"))
            return inputs.print_error(f"{spec.title} names no target; add --target {names}")
        expanded += (expansion.expand(checked, name) for name in _sound(checked))
        failed += errors(checked.findings)
    sys.stdout.write(_shown(expanded, args.output))
    sys.stderr.write(report.render("text", failed, {}))
    if inputs.could_not(failed):
        return FAILED
    return FOUND if failed else OK


def _sound(checked: Checked) -> list[str]:
    """The targets for which the spec has no errors."""
    return [name for name in checked.plans if not checked.blocking(name)]


def _shown(expanded: Sequence[Expansion], output: str) -> str:
    if output == "json":
        return expansion.as_json(expanded)
    if output == "yaml":
        return "---\n".join(map(expansion.as_yaml, expanded))
    return "\n".join(map(expansion.as_text, expanded))
