"""Regressions by an overlay: problems of the merged document that the rendered one lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from clustergen.base.findings import Finding, Path, Rule
from clustergen.overlay.rules.schema import BAD_VALUE, COMBINATION


def regressions(
    rules: Iterable[Rule],
    document: Mapping[str, Any],
    merged: Mapping[str, Any],
    place: Callable[[Path], Path],
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


def without_repeats(findings: Iterable[Finding], broken: Iterable[Finding]) -> Iterator[Finding]:
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
