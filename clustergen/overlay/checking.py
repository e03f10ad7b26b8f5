"""Whether a document is still one of the target's after an overlay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from clustergen import schemas
from clustergen.findings import Finding, Path
from clustergen.overlay.changes import reports
from clustergen.overlay.merging import apply, called, naming
from clustergen.overlay.references import dangling, unchecked
from clustergen.overlay.refusals import once, refusals


def check(
    document: Mapping[str, Any],
    overlay: Mapping[str, Any],
    schema: str,
    path_prefix: Path,
) -> list[Finding]:
    """What there is to say of ``overlay`` laid on ``document``; nothing when it is empty.

    ``schema`` names one of :mod:`clustergen.schemas`, whose keys are those of :func:`apply`;
    ``path_prefix`` is where the overlay stands in the spec. What is wrong with ``document`` alone
    is not reported.
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
        found += refusals(violation, lambda path: _place(path, merged, overlay, keys))
    if rules.cloudformation:
        found += unchecked(merged, overlay, rules)
        found += dangling(document, merged, overlay)
    return [replace(finding, path=(*path_prefix, *finding.path)) for finding in found]


def _identity(violation: schemas.Violation) -> tuple[object, ...]:
    return violation.path, violation.keyword, violation.message


def _place(path: Path, merged: Any, overlay: Any, keys: Sequence[str]) -> Path:
    """Where the overlay says what stands at ``path`` of the merged document, as far as it does."""
    place: Path = ()
    for step in path:
        if isinstance(overlay, Mapping) and step in overlay:
            place, overlay = (*place, step), overlay[step]
        elif (
            isinstance(overlay, list) and (index := _index(step, merged, overlay, keys)) is not None
        ):
            place, overlay = (*place, index), overlay[index]
        else:
            break
        merged = merged.get(step) if isinstance(merged, Mapping) else merged[step]
    return place


def _index(step: str | int, merged: Any, overlay: Any, keys: Sequence[str]) -> int | None:
    """Which item of the overlay's list became item ``step`` of the merged one."""
    if not isinstance(overlay, list) or not isinstance(step, int) or not merged:
        return None
    name = naming(merged, overlay, keys)
    if name is None:
        return step if len(merged) == len(overlay) else None
    wanted = called(merged[step], name)
    return next((i for i, item in enumerate(overlay) if called(item, name) == wanted), None)
