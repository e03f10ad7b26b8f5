"""Checks an overlaid document against the schema of the target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clustergen import schemas
from clustergen.findings import Finding, Path
from clustergen.overlay.changes import reports
from clustergen.overlay.merging import apply
from clustergen.overlay.placing import place
from clustergen.overlay.references import dangling, unchecked
from clustergen.overlay.refusals import once, refusals


def check(
    document: Mapping[str, Any],
    overlay: Mapping[str, Any],
    schema: str,
    path_prefix: Path,
) -> list[Finding]:
    """Findings about ``overlay`` applied to ``document``; none when the overlay is empty.

    ``schema`` names one of :mod:`clustergen.schemas`, whose keys are those of :func:`apply`;
    ``path_prefix`` is the overlay's place in the spec. Problems of ``document`` alone are not
    reported.
    """
    if not overlay:
        return []
    rules = schemas.load(schema)
    keys = rules.list_keys
    merged = apply(document, overlay, keys=keys)
    before = {_identity(violation) for violation in rules.violations(document)}
    found = [*reports(document, overlay, keys)]
    new = [v for v in rules.violations(merged) if _identity(v) not in before]
    for violation in once(new):
        found += refusals(violation, lambda path: place(path, merged, overlay, keys))
    if rules.cloudformation:
        found += unchecked(merged, overlay, rules)
        found += dangling(document, merged, overlay)
    return [replace(finding, path=(*path_prefix, *finding.path)) for finding in found]


def _identity(violation: schemas.Violation) -> tuple[object, ...]:
    return violation.path, violation.keyword, violation.message
