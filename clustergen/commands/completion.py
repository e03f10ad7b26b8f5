"""``clustergen completion``."""

from __future__ import annotations

import argparse
import sys

import shtab

from clustergen.commands.arguments import parser
from clustergen.commands.exit_status import OK


def run(args: argparse.Namespace) -> int:
    sys.stdout.write(shtab.complete(parser(), shell=args.shell))
    return OK
