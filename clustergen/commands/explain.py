"""``clustergen explain``."""

import argparse
import sys
import textwrap
from collections.abc import Mapping, Sequence

from clustergen import output
from clustergen.base import discovery, documentation
from clustergen.base.findings import Finding, Rule
from clustergen.checking import examples, registry
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK, UsageError
from clustergen.commands.request import project_of


def run(args: argparse.Namespace) -> int:
    codes = inputs.listed(args.codes)
    asked = {code.upper(): discovery.with_code(code.upper()) for code in codes}
    rules: Mapping[str, Rule] = {code: rule for code, rule in asked.items() if rule}
    if not codes or len(rules) < len(asked):
        rules = registry.by_code(_custom(args))
    if not codes:
        for rule in rules.values():
            print(f"{rule.code}  {rule.title}")
        return OK
    for code in codes:
        if code.upper() not in rules:
            hint = registry.hint(code.upper(), rules)
            return inputs.print_error(f"no finding has the code {code}; {hint}")
    print("\n".join(as_text(rules[code.upper()]) for code in codes), end="")
    return OK


def _custom(args: argparse.Namespace) -> Sequence[Rule]:
    """The rules of the project; findings on stderr name those that are missing."""
    rules: Sequence[Rule] | None = ()
    faults: Sequence[Finding] = ()
    try:
        if found := project_of(args):
            rules, faults = found.rules, found.faults
    except UsageError as error:
        faults = error.findings
    print(output.render("concise", faults, {}), end="", file=sys.stderr)
    return rules or ()


def as_text(rule: Rule) -> str:
    """Title, reason, bad and good example, fix, and source of a rule."""
    rule = examples.complete(rule)
    about = f" ({rule.target})" if rule.target and not rule.by_limits else ""
    parts = [f"{rule.code} {rule.severity}: {rule.title}{about}", textwrap.fill(rule.why, 88)]
    for title, example in zip(("Bad", "Good"), rule.examples, strict=True):
        if example:
            parts.append(f"{title}:\n{textwrap.indent(example.rstrip(), '    ')}")
    if rule.fixes:
        parts.append(f"Fix: {rule.fixes}; `clustergen check --fix`")
    parts.append(f"Source: {rule.source}")
    page = documentation.help_uri(rule)
    if page not in ("", rule.source):
        parts.append(f"Page: {page}")
    return "\n\n".join(parts) + "\n"
