"""``clustergen move``."""

from __future__ import annotations

import argparse
import sys

from clustergen import moving
from clustergen.commands import inputs
from clustergen.commands.exit_status import FOUND, OK
from clustergen.commands.render import OUT
from clustergen.commands.request import read


def run(args: argparse.Namespace) -> int:
    try:
        request = read(args)
        [old], [new] = inputs.wanted([args.old]), inputs.wanted([args.new])
        if old == new:
            raise inputs.UsageError(f"{old} is both: for an upgrade, see docs/how-to/upgrade.md")
        if len(request.specs) != 1:
            raise inputs.UsageError("name one spec")
    except inputs.UsageError as error:
        return inputs.refuse(error, args)
    spec = request.specs[0]
    named = request.check(spec)
    known = [target for target in named.targets if target and target != new]
    before = request.check(spec, list(dict.fromkeys((*known, old))))
    after = request.check(spec, list(dict.fromkeys((*known, old, new))))
    move = moving.plan(before, after, old, new, args.out or OUT)
    if not after.plans:
        inputs.show(after.findings, argparse.Namespace(output="text", color="auto"), to_stderr=True)
        return inputs.status(after.findings, argparse.Namespace(strict=False)) or FOUND
    sys.stdout.write(moving.render(args.output, move))
    return FOUND if move.blocked else OK
