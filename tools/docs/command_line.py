"""The page on the command line, from the parser.

Written from the parser's actions and not with ``format_help``, whose text differs between versions
of Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import cast

from clustergen.commands.arguments import parser

_HEAD = """\
# The command line

Generated from the parser by `python -m tools.docs.build`.

Exit status of every command: 0 for success, 1 for findings (or a difference, with `--check`), 2 if
the command could not run. Results go to standard output. Error messages, progress and, with
`render`, the findings in text form go to standard error.
"""


def page() -> str:
    """The page, in Markdown."""
    commands = _commands(parser())
    lines = [_HEAD]
    lines += [
        f"- [`{name}`](#{name.replace(' ', '-')}): {_summary(command)}"
        for name, command in commands.items()
    ]
    for name, command in commands.items():
        lines += ["", *_section(name, command)]
    return "\n".join(lines) + "\n"


def _commands(
    root: argparse.ArgumentParser, prefix: str = ""
) -> dict[str, argparse.ArgumentParser]:
    """The commands by name; those of a group have its name before theirs."""
    group = next(a for a in root._actions if isinstance(a, argparse._SubParsersAction))
    found: dict[str, argparse.ArgumentParser] = {}
    for name, command in cast(Mapping[str, argparse.ArgumentParser], group.choices).items():
        nested = any(isinstance(a, argparse._SubParsersAction) for a in command._actions)
        named = f"{prefix}{name}"
        found |= _commands(command, f"{named} ") if nested else {named: command}
    return found


def _summary(command: argparse.ArgumentParser) -> str:
    summary = command.description or ""
    return summary[:1].lower() + summary[1:].rstrip(".")


def _section(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    actions = [action for action in command._actions if action.dest != "help"]
    optional = ["[options]"] if any(action.option_strings for action in actions) else []
    positional = [_positional(action) for action in actions if not action.option_strings]
    yield from (f"## {name}", "", f"{command.description}", "")
    yield from ("```text", " ".join(["clustergen", name, *optional, *positional]), "```")
    if actions:
        yield from ("", "| argument | |", "|---|---|")
    for action in actions:
        yield f"| {_names(action)} | {_meaning(action)} |"


def _positional(action: argparse.Action) -> str:
    forms = {None: "{0}", "?": "[{0}]", "*": "[{0} ...]", "+": "{0} [{0} ...]"}
    return forms[_arity(action)].format(_metavar(action))


def _arity(action: argparse.Action) -> str | None:
    return action.nargs if isinstance(action.nargs, str) else None


def _names(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"`{_metavar(action)}`"
    value = "" if action.nargs == 0 else f" {_metavar(action)}"
    return ", ".join(f"`{name}{value}`" for name in action.option_strings)


def _metavar(action: argparse.Action) -> str:
    return str(action.metavar or action.dest.upper())


def _meaning(action: argparse.Action) -> str:
    options = ", ".join(f"`{choice}`" for choice in action.choices or ())
    text = (action.help or "").replace("|", "\\|")
    return ": ".join(part for part in (text, options) if part)
