"""``clustergen schema``."""

import argparse
import json
import sys

from clustergen.commands.exit_status import OK
from clustergen.spec import schema


def run(args: argparse.Namespace) -> int:  # noqa: ARG001 - all commands have the same signature
    sys.stdout.write(as_text())
    return OK


def as_text() -> str:
    """The schema file, byte for byte."""
    return json.dumps(schema.schema(), indent=2) + "\n"
