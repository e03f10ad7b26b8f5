"""Shared by the commands: arguments, and how findings are shown."""

import argparse
import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from clustergen import output, targets
from clustergen.base import secrets
from clustergen.base.findings import Finding, Rule, Severity
from clustergen.commands.exit_status import FAILED, FOUND, OK, UsageError
from clustergen.spec.source.characters import visible

OUT = "out"


def listed(given: Iterable[str]) -> list[str]:
    """The words of an argument that can be repeated, and can be a list with commas."""
    return [word.strip() for each in given for word in each.split(",")]


def wanted(given: Iterable[str]) -> list[str]:
    """The names of the targets given with ``--target``."""
    names: list[str] = []
    for name in listed(given):
        names += targets.NAMES if name == "all" else [_target(name, "{} or all")]
    return list(dict.fromkeys(names))


def one_target(name: str) -> str:
    return _target(name, "one of {}")


def _target(name: str, choice: str) -> str:
    resolved = targets.resolve(name)
    if resolved is None:
        raise UsageError(f"no target {name!r}; use {choice.format(', '.join(targets.NAMES))}")
    return resolved


def codes(given: Sequence[str], custom: Sequence[Rule] | None = ()) -> tuple[str, ...]:
    """The codes, or beginnings of codes, in comma-separated arguments.

    ``custom`` are the custom rules; None if there are some that are not loaded.
    """
    named = tuple(code.upper() for code in listed(given))
    if not named:
        return ()
    from clustergen.checking import registry  # imports all rules

    known = registry.by_code(custom or ())
    for code in named:
        if not code or not registry.exists(code, known, custom=custom is None):
            raise UsageError(f"no finding has the code {code!r}; {registry.hint(code, known)}")
    return named


def detached(findings: Sequence[Finding], args: argparse.Namespace) -> Iterator[Finding]:
    """The findings without the texts of their specs, of which there may be thousands."""
    edits = args.output in ("json", "sarif")
    return (finding.detached(edits=edits) for finding in findings)


def selected(findings: Sequence[Finding], codes: tuple[str, ...]) -> list[Finding]:
    """The findings with one of the codes, or one that begins so; all without codes."""
    return [f for f in findings if not codes or f.code.startswith(codes)]


def show(
    findings: Sequence[Finding],
    args: argparse.Namespace,
    *,
    to_stderr: bool = False,
    custom: Sequence[Rule] = (),
) -> None:
    """Print findings in the requested format; ``custom`` are the rules of the project.

    Commands that answer something else print it on stdout, so findings are text on stderr.
    """
    reports = getattr(args, "reports", False)
    stream = sys.stderr if to_stderr or not reports else sys.stdout
    rules: Mapping[str, Rule] = {}
    format = args.output if reports else "text"
    if getattr(args, "statistics", False):
        format = "statistics"
    if format in ("json", "sarif", "statistics", "markdown"):
        from clustergen.checking.registry import by_code  # imports all rules

        rules = by_code(custom)
    if format == "sarif":
        from clustergen.checking.examples import complete

        found = {finding.code for finding in findings} & rules.keys()
        rules = {code: complete(rules[code]) for code in found}
    colour = is_coloured(getattr(args, "color", "auto"), stream)
    stream.write(output.render(format, findings, rules, colour=colour))


def is_coloured(choice: str, stream: TextIO) -> bool:
    """Whether to write colour to ``stream``: to a terminal, or if FORCE_COLOR is set.

    NO_COLOR turns it off, ``--color`` decides over both. https://no-color.org, https://force-color.org
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    is_terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
    return is_terminal or bool(os.environ.get("FORCE_COLOR"))


def report(
    findings: Sequence[Finding], args: argparse.Namespace, *, to_stderr: bool = False
) -> int:
    """Print findings; the exit status for them."""
    show(findings, args, to_stderr=to_stderr)
    return status(findings, args)


def could_not(findings: Sequence[Finding]) -> bool:
    """Whether the command failed for a reason other than the contents of the spec."""
    return any(finding.could_not for finding in findings)


def status(findings: Sequence[Finding], args: argparse.Namespace) -> int:
    if could_not(findings):
        return FAILED
    strict = getattr(args, "strict", False)
    heavy = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return FOUND if any(finding.severity in heavy for finding in findings) else OK


def refuse(error: UsageError, args: argparse.Namespace) -> int:
    """Print why the arguments, the project file or a spec are not valid; the exit status."""
    if not error.findings:
        return print_error(str(error))
    return report(error.findings, args) or FAILED


def print_file(text: str) -> None:
    """Print the text of a file, in the encoding of files."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)


def refuse_without_target(title: str) -> int:
    """Print that a spec names no target."""
    names = "|".join((*targets.NAMES, "all"))
    return print_error(f"{title} names no target; add --target {names}")


def print_error(message: str) -> int:
    """Print why a command failed."""
    print(f"clustergen: {visible(secrets.without(message))}", file=sys.stderr)
    return FAILED


def summarize(checked: Sequence[Sequence[str]], args: argparse.Namespace) -> None:
    """Print on stderr how many specs were checked for which targets, unless that is obvious.

    ``checked`` has the targets of each spec; the empty name means none.
    """
    if args.output not in output.FOR_PEOPLE or (len(checked) == 1 and "" not in checked[0]):
        return
    named = [name for name in targets.NAMES if any(name in each for each in checked)]
    bare = sum(1 for each in checked if "" in each)
    specs = f"{len(checked)} spec{'s' if len(checked) != 1 else ''}"
    line = f"checked {specs}{' for ' + ', '.join(named) if named else ''}"
    if bare:
        which = "it names" if len(checked) == 1 else f"{bare} of them name"
        line += f"; {which} no target, so no target rules ran: add --target NAME"
    print(line, file=sys.stderr)


class Progress:
    """A progress line on stderr for several specs; only on a terminal."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._on = total > 1 and sys.stderr.isatty()

    def at(self, index: int, title: str) -> None:
        if self._on:
            sys.stderr.write(f"\r\x1b[K[{index + 1}/{self._total}] {title}")
            sys.stderr.flush()

    def done(self) -> None:
        if self._on:
            sys.stderr.write("\r\x1b[K")
