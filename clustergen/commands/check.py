"""``clustergen check``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from clustergen.commands import inputs
from clustergen.commands.request import read
from clustergen.findings import Finding


def run(args: argparse.Namespace) -> int:
    try:
        request = read(args)
        selected = inputs.codes(args.selected, request.project.rules if request.project else ())
    except inputs.UsageError as error:
        return inputs.refuse(error, args)
    findings: list[Finding] = []
    done: list[Sequence[str]] = []
    progress = inputs.Progress(len(request.specs))
    for index, spec in enumerate(request.specs):
        progress.at(index, spec.title)
        checked = request.check(spec)
        findings += checked.findings
        done.append(checked.targets)
    progress.done()
    if request.project and not args.specs and not args.files:
        from clustergen.project.loading import unused

        findings += unused(request.project, request.hidden)
    findings = [f for f in findings if not selected or f.code.startswith(selected)]
    inputs.show(findings, args, custom=request.custom)
    inputs.summarize(done, args)
    return inputs.status(findings, args)
