"""Findings to text: for people, for programs, for code scanning and for GitHub's annotations.

Every format is a module with the same function, ``render(findings, rules, *, colour=False)``; it
sorts the findings and drops duplicates by :func:`ordered`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from clustergen.findings import Finding, Rule
from clustergen.report import github, json, sarif, text
from clustergen.report.order import ordered, summary


class Render(Protocol):
    """What a format is: all findings as one text that ends with a line end, or is empty."""

    def __call__(
        self, findings: Sequence[Finding], rules: Mapping[str, Rule], *, colour: bool = False
    ) -> str: ...


FORMATS: Final[Mapping[str, Render]] = {
    "text": text.render,
    "json": json.render,
    "sarif": sarif.render,
    "github": github.render,
}

__all__ = ["FORMATS", "Render", "ordered", "summary"]
