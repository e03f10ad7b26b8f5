"""``clustergen check``."""

import argparse
from collections.abc import Sequence

from clustergen.base.findings import Finding
from clustergen.commands import inputs
from clustergen.commands.exit_status import UsageError
from clustergen.commands.request import read


def run(args: argparse.Namespace) -> int:
    try:
        _usage(args)
        request = read(args)
        selected = inputs.codes(args.selected, request.project.rules if request.project else ())
    except UsageError as error:
        if args.fix and error.findings:
            from clustergen.commands import fixes

            if fixes.repair(error.findings):
                return run(args)
        raise
    if args.fix or args.diff:
        from clustergen.commands import fixes

        return fixes.run(request, args, selected)
    findings: list[Finding] = []
    done: list[Sequence[str]] = []
    for spec in request.with_progress():
        checked = request.check(spec)
        findings += inputs.detached(checked.listed, args)
        done.append(checked.targets)
    if request.project and not args.specs and not args.files:
        from clustergen.checking.project.loading import unused

        findings += unused(request.project, request.hidden)
    findings = inputs.selected(findings, selected)
    inputs.show(findings, args, custom=request.custom)
    inputs.summarize(done, args)
    return inputs.status(findings, args)


def _usage(args: argparse.Namespace) -> None:
    if args.unsafe_fixes and not (args.fix or args.diff):
        raise UsageError("--unsafe-fixes needs --fix or --diff")
    if args.fix and args.diff:
        raise UsageError("--diff changes no file; leave out --fix")
    if args.specs.count("-") > 1:
        raise UsageError("standard input can be read only once")
