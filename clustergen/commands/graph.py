"""``clustergen graph``."""

from __future__ import annotations

import argparse
import sys

from clustergen import picture, targets
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK
from clustergen.commands.request import read


def run(args: argparse.Namespace) -> int:
    try:
        request = read(args)
        if len(request.specs) != 1 or len(request.targets) > 1:
            raise inputs.UsageError("graph draws one spec for one target")
    except inputs.UsageError as error:
        return inputs.refuse(error, args)
    (spec,) = request.specs
    checked = request.check(spec)
    if checked.targets == ("",):
        checked = request.check(spec, targets.NAMES[:1])
    name = next((name for name in checked.targets if name in checked.plans), None)
    if name is None:
        shown = argparse.Namespace(output="text", color="auto")
        inputs.show(checked.findings, shown, to_stderr=True)
        return inputs.status(checked.findings, argparse.Namespace(strict=False))
    box = picture.picture(checked.plans[name], targets.load(name))
    sys.stdout.write(picture.render(args.output, box))
    return OK
