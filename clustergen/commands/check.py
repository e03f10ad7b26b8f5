"""``clustergen check``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from clustergen.commands import inputs
from clustergen.commands.request import read
from clustergen.findings import Finding


def run(args: argparse.Namespace) -> int:
    try:
        _usage(args)
        request = read(args)
        selected = inputs.codes(args.selected, request.project.rules if request.project else ())
    except inputs.UsageError as error:
        if args.fix and error.findings:
            from clustergen.commands import fixes

            if fixes.repair(error.findings):
                return run(args)
        return inputs.refuse(error, args)
    if args.fix or args.diff:
        from clustergen.commands import fixes

        return fixes.run(request, args, selected)
    findings: list[Finding] = []
    done: list[Sequence[str]] = []
    progress = inputs.Progress(len(request.specs))
    for index, spec in enumerate(request.specs):
        progress.at(index, spec.title)
        checked = request.check(spec)
        findings += inputs.detached(checked.findings, args)
        done.append(checked.targets)
    progress.done()
    if request.project and not args.specs and not args.files:
        from clustergen.project.loading import unused

        findings += unused(request.project, request.hidden)
    findings = inputs.selected(findings, selected)
    inputs.show(findings, args, custom=request.custom)
    inputs.summarize(done, args)
    return inputs.status(findings, args)


def _usage(args: argparse.Namespace) -> None:
    if args.unsafe_fixes and not (args.fix or args.diff):
        raise inputs.UsageError("--unsafe-fixes needs --fix or --diff")
    if args.fix and args.diff:
        raise inputs.UsageError("--diff changes no file; leave out --fix")
    if args.specs.count("-") > 1:
        raise inputs.UsageError("standard input can be read only once")
