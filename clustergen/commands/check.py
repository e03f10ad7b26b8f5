"""``clustergen check``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from clustergen import memory
from clustergen.commands import inputs
from clustergen.findings import Finding

Check = Callable[[Sequence[str]], Sequence[Finding]]


def run(args: argparse.Namespace) -> int:
    findings: list[Finding] = []
    check: Check | None = None
    kept = memory.folder()
    try:
        specs = inputs.specs(args)
        progress = inputs.Progress(len(specs))
        for index, spec in enumerate(specs):
            progress.at(index, spec.title)
            name = memory.key(spec.files, args.sets, args.targets, args.allow_unsupported)
            found = memory.recall(kept, name)
            if found is None:
                check = check or _compiler(args)
                found = tuple(check(spec.files))
                memory.remember(kept, name, found)
            findings += found
        progress.done()
        if check is not None:
            memory.tidy(kept)
    except inputs.UsageError as error:
        return inputs.complain(str(error))
    inputs.show(findings, args)
    return inputs.status(findings, args)


def _compiler(args: argparse.Namespace) -> Check:
    """The check itself; imported for the first spec that nothing is remembered of."""
    from clustergen import compiler
    from clustergen.commands import targeting

    targets = targeting.wanted(args.targets)

    def check(files: Sequence[str]) -> Sequence[Finding]:
        return compiler.check(
            files, sets=args.sets, targets=targets, allow_unsupported=args.allow_unsupported
        ).findings

    return check
