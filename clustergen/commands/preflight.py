"""``clustergen preflight``."""

import argparse
import datetime
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, Self

from clustergen import targets
from clustergen.base import account
from clustergen.base.findings import Finding, Rule, errors
from clustergen.checking import ignoring, preflight
from clustergen.checking.compiler import Checked
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK, UsageError
from clustergen.commands.request import Input, Request, read
from clustergen.plan.model import Plan
from clustergen.spec import source
from clustergen.spec.source import Document


def run(args: argparse.Namespace) -> int:
    if args.policy and not args.specs:
        return _print_policy(None)
    request = read(args)
    specs = [_Spec.read(request, spec) for spec in request.specs]
    if args.policy:
        plans = (plan for spec in specs for plan in spec.plans.values())
        return _print_policy(rule for plan in plans for rule in preflight.concerned(plan))
    findings = _findings(specs, request.ignored)
    inputs.show(findings, args, custom=request.custom)
    return inputs.status(findings, args)


def _print_policy(rules: Iterable[Rule] | None) -> int:
    print(json.dumps(preflight.policy(rules), indent=2))
    return OK


class _Spec(NamedTuple):
    """A checked spec, and its text, for the positions of findings."""

    checked: Checked
    document: Document | None

    @classmethod
    def read(cls, request: Request, spec: Input) -> Self:
        """Read each file once: standard input cannot be read again.

        :raises UsageError: if no target is named.
        """
        read = {file: source.content_of(file) for file in spec.files}
        contents = {file: content for file, content in read.items() if content is not None}
        checked = request.check(spec, contents=contents)
        if checked.targets == ("",):
            raise UsageError(f"{spec.title} names no target: add --target NAME")
        document, _ = source.read(spec.files, (*spec.sets, *request.sets), contents)
        return cls(checked, document)

    @property
    def plans(self) -> dict[str, Plan]:
        """The plans that can be deployed, by target."""
        plans = self.checked.plans.items()
        return {name: plan for name, plan in plans if not self.checked.blocking(name)}


def _findings(specs: Sequence[_Spec], ignored: Sequence[str]) -> list[Finding]:
    """The errors of the specs, and what is wrong in the account for those that can be deployed."""
    findings: list[Finding] = []
    accounts: dict[str, preflight.Account] = {}
    now = datetime.datetime.now(datetime.UTC)
    for spec in specs:
        findings += errors(spec.checked.findings)
        for name, plan in spec.plans.items():
            own = preflight.Account(plan.region, account.clients)
            asked = accounts.setdefault(plan.region, own)
            traits = targets.load(plan.target).traits
            progress = inputs.Progress(len(preflight.concerned(plan)))
            seen = preflight.run(plan, traits, asked, now, progress.at)
            progress.done()
            found = [replace(finding, target=name) for finding in seen]
            if spec.document:
                placed = map(spec.document.place, found)
                findings += ignoring.kept(placed, spec.document.texts, ignored)
            if inputs.could_not(found):
                return findings  # Without credentials, all others would say the same.
    return findings
