"""Checking an overlaid document against the target's schema and document rules."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clustergen.base.findings import Finding, Path, Rule
from clustergen.facts.schemas import Schema, Violation
from clustergen.overlay.changes import reports
from clustergen.overlay.merging import apply
from clustergen.overlay.placing import place
from clustergen.overlay.references import dangling, unchecked
from clustergen.overlay.refusals import once, refusals
from clustergen.overlay.regressions import regressions, without_repeats
from clustergen.overlay.rules.used import RENAMED
from clustergen.overlay.used import taken_away


def check(  # noqa: PLR0913 what an overlay is checked with
    document: Mapping[str, Any],
    overlay: Mapping[str, Any],
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
    broken = regressions(rules, document, merged, placed, flawed=flawed)
    return [finding.below(path_prefix) for finding in without_repeats(found, broken)]


def broken(document: Mapping[str, Any], schema: Schema, rules: Iterable[Rule]) -> Iterator[Finding]:
    """What the schema and the rules reject of a whole document, at its paths."""
    violations = once(schema.violations(document))
    rejected = (each for violation in violations for each in refusals(violation, lambda path: path))
    yield from without_repeats(rejected, (each for rule in rules for each in rule.find(document)))


def _identity(violation: Violation) -> tuple[object, ...]:
    return violation.path, violation.keyword, violation.message
