"""Checking an overlaid document against the target's schema and document rules."""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from clustergen.base.findings import Finding, Path, Rule
from clustergen.facts.schemas import Schema, Violation
from clustergen.overlay.changes import reports
from clustergen.overlay.merging import apply, place
from clustergen.overlay.parts import Json
from clustergen.overlay.references import dangling, unchecked
from clustergen.overlay.refusals import Place, once, refusals
from clustergen.overlay.rules.schema import BAD_VALUE, COMBINATION
from clustergen.overlay.rules.used import RENAMED
from clustergen.overlay.used import taken_away


def check(  # noqa: PLR0913 what an overlay is checked with
    document: Json,
    overlay: Json,
    schema: Schema,
    path_prefix: Path,
    *,
    rules: Iterable[Rule] = (),
    flawed: bool = False,
) -> list[Finding]:
    """Findings about ``overlay`` applied to ``document``; none if the overlay is empty.

    The keys of ``schema`` are those of :func:`apply`; ``path_prefix`` is the path of the overlay in
    the spec; ``rules`` are those of the document. Each finding is at the deepest path of the
    overlay that leads to the problem. Problems that ``document`` already has are not reported. Of a
    ``flawed`` document, what the bundle uses may become something else, so that the overlay may
    well replace it, and rules report only what the overlay itself says.
    """
    if not overlay:
        return []
    keys = schema.list_keys
    merged = apply(document, overlay, keys=keys)
    placed = functools.partial(place, merged=merged, overlay=overlay, keys=keys)
    found = [*reports(document, overlay, keys)]
    new = schema.violations(merged)
    if new:
        before = {_identity(violation) for violation in schema.violations(document)}
        new = [violation for violation in new if _identity(violation) not in before]
    for violation in once(new):
        found += refusals(violation, placed)
    if schema.cloudformation:
        found += unchecked(merged, overlay, schema)
        found += dangling(document, merged, overlay)
    used = () if flawed else taken_away(document, merged, overlay, keys)
    # Of a document that the service rejects, what has become of the rest is not the question.
    found += (finding for finding in used if finding.code == RENAMED.code or not new)
    broken = _regressions(rules, document, merged, placed, flawed=flawed)
    return [finding.below(path_prefix) for finding in _without_repeats(found, broken)]


def broken(document: Json, schema: Schema, rules: Iterable[Rule]) -> Iterator[Finding]:
    """What the schema and the rules reject of a whole document, at its paths."""
    violations = once(schema.violations(document))
    rejected = (each for violation in violations for each in refusals(violation, lambda path: path))
    yield from _without_repeats(rejected, (each for rule in rules for each in rule.find(document)))


def _identity(violation: Violation) -> tuple[object, ...]:
    return violation.path, violation.keyword, violation.message


def _regressions(
    rules: Iterable[Rule],
    document: Json,
    merged: Json,
    place: Place,
    *,
    flawed: bool,
) -> Iterator[Finding]:
    """Findings of document rules about ``merged`` alone, at their ``place`` in the overlay.

    Of a ``flawed`` document, only what the overlay itself says is reported.
    """
    for rule in rules:
        found = [*rule.find(merged)]
        before = set(rule.find(document)) if found else ()
        for finding in found:
            if finding not in before:
                path = place(finding.path)
                if not flawed or len(path) == len(finding.path):
                    yield replace(finding, path=path, fix=None)


def _without_repeats(findings: Iterable[Finding], broken: Iterable[Finding]) -> Iterator[Finding]:
    """``findings`` of the schema followed by ``broken``, without repetitions.

    For keys that cannot be combined, a document rule explains more than the schema. What a rule
    says of a value that the schema rejects follows from it.
    """
    findings = list(findings)
    wrong = [finding.path for finding in findings if finding.code == BAD_VALUE.code]
    broken = [each for each in broken if not any(_within(each.path, path) for path in wrong)]
    explained = [finding.path for finding in broken]
    for finding in findings:
        covers = any(path[: len(finding.path)] == finding.path for path in explained)
        if finding.code != COMBINATION.code or not covers:
            yield finding
    yield from broken


def _within(one: Path, other: Path) -> bool:
    """Whether one of two places is in the other."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]
