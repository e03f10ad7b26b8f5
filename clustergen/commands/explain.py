"""``clustergen explain``."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Mapping, Sequence

from clustergen import documentation, registry, report
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK
from clustergen.commands.request import project_of
from clustergen.findings import Rule
from clustergen.retired import RETIRED


def run(args: argparse.Namespace) -> int:
    rules = registry.by_code()
    codes = inputs.listed(args.codes)
    if not codes or any(code.upper() not in rules for code in codes):
        rules = registry.by_code(_custom(args))
    if not codes:
        for rule in rules.values():
            print(f"{rule.code}  {rule.title}")
        return OK
    for code in codes:
        if code.upper() not in {**rules, **RETIRED}:
            hint = registry.hint(code.upper(), rules)
            return inputs.print_error(f"no finding has the code {code}; {hint}")
    print("\n".join(_explained(code.upper(), rules) for code in codes), end="")
    return OK


def _explained(code: str, rules: Mapping[str, Rule]) -> str:
    return _as_text_of_retired(code, rules) if code in RETIRED else as_text(rules[code])


def _custom(args: argparse.Namespace) -> Sequence[Rule]:
    """The rules of the project; findings on stderr name those that are missing."""
    try:
        found = project_of(args)
    except inputs.UsageError as error:
        print(report.render("concise", error.findings, {}), end="", file=sys.stderr)
        return ()
    if found and found.faults:
        print(report.render("concise", found.faults, {}), end="", file=sys.stderr)
    return (found.rules if found else ()) or ()


def _as_text_of_retired(code: str, rules: Mapping[str, Rule]) -> str:
    successor, why = RETIRED[code]
    if not successor:
        return f"{code} is retired. {why}\n"
    return f"{code} is now {successor}. {why}\n\n{as_text(rules[successor])}"


def as_text(rule: Rule) -> str:
    """Title, reason, bad and good example, fix, and source of a rule."""
    about = f" ({rule.target})" if rule.target and not rule.by_limits else ""
    parts = [f"{rule.code} {rule.severity}: {rule.title}{about}", textwrap.fill(rule.why, 88)]
    for title, example in (("Bad", rule.bad), ("Good", rule.good)):
        if example:
            parts.append(f"{title}:\n{textwrap.indent(example.rstrip(), '    ')}")
    if rule.fixes:
        parts.append(f"Fix: {rule.fixes}; `clustergen check --fix`")
    parts.append(f"Source: {rule.source}")
    page = documentation.help_uri(rule)
    if page not in ("", rule.source):
        parts.append(f"Page: {page}")
    return "\n\n".join(parts) + "\n"
