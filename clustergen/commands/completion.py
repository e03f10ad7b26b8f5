"""``clustergen completion``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping

import shtab

from clustergen import registry, resources, targets
from clustergen.catalog import lookup
from clustergen.commands.arguments import parser
from clustergen.commands.exit_status import OK


def run(args: argparse.Namespace) -> int:
    sys.stdout.write(shtab.complete(_completing(parser()), shell=args.shell))
    return OK


_FILES = ("specs", "files", "file", "outputs")
_FOLDERS = ("dir", "out", "write")


def _completing(root: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser, with what may be completed: files, folders and names."""
    names = _names()
    for action in _actions(root):
        if action.dest in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.dest in names:
            action.choices = names[action.dest]
    return root


def _names() -> Mapping[str, list[str]]:
    """The values of an argument, by its name in the parser."""
    codes = list(registry.by_code())
    return {
        "targets": [*targets.NAMES, "all"],
        "code": codes,
        "ignored": codes,
        "selected": codes,
        "types": list(lookup.names()),
        "preset": [*resources.presets(), "list"],
    }


def _actions(root: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in root._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action
