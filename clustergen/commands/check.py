"""``clustergen check``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from clustergen import compiler
from clustergen.commands import inputs
from clustergen.findings import Finding


def run(args: argparse.Namespace) -> int:
    try:
        specs, targets = inputs.specs(args), inputs.wanted(args.targets)
        ignored, selected = inputs.codes(args.ignored), inputs.codes(args.selected)
    except inputs.UsageError as error:
        return inputs.print_error(str(error))
    findings: list[Finding] = []
    done: list[Sequence[str]] = []
    progress = inputs.Progress(len(specs))
    for index, spec in enumerate(specs):
        progress.at(index, spec.title)
        checked = compiler.check(
            spec.files,
            sets=args.sets,
            targets=targets,
            allow_unsupported=args.allow_unsupported,
            ignore=ignored,
        )
        findings += (f for f in checked.findings if not selected or f.code.startswith(selected))
        done.append(checked.targets)
    progress.done()
    inputs.show(findings, args)
    inputs.summarize(done, args)
    return inputs.status(findings, args)
