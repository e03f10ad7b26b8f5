"""``clustergen catalog``."""

import argparse
import json

from clustergen.commands import inputs
from clustergen.commands.exit_status import OK, UsageError
from clustergen.commands.request import project_of
from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType, select, show


def run(args: argparse.Namespace) -> int:
    project_of(args)  # it may describe types
    types = _types(args)
    if args.output == "json":
        print(json.dumps([show.as_json(type) for type in types], indent=2))
    elif args.where:
        for type in types:
            print(show.as_line(type))
    else:
        print("\n\n".join(show.as_text(type) for type in types))
    return OK


def _types(args: argparse.Namespace) -> list[InstanceType]:
    if bool(args.types) == bool(args.where):
        raise UsageError("name instance types, or select them with --where")
    if args.where:
        try:
            return select.select(args.where)
        except select.SelectionError as error:
            pointer = f"  {args.where}\n  {' ' * error.position}^"
            raise UsageError(f"--where: {error.message}\n{pointer}") from None
    return [_one(name) for name in inputs.listed(args.types)]


def _one(name: str) -> InstanceType:
    type = catalog.find(name)
    if type is None:
        missing = catalog.explain_missing(name)
        raise UsageError(f"{missing.reason}\n  {missing.suggestion}".rstrip())
    return type
