"""``clustergen completion``."""

from __future__ import annotations

import argparse
import sys

import shtab

from clustergen.cli import OK, parser


def run(args: argparse.Namespace) -> int:
    sys.stdout.write(shtab.complete(parser(), shell=args.shell))
    return OK
