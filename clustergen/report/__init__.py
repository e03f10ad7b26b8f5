"""Findings as text, as JSON, for code scanning and as GitHub annotations.

Every format is a module with the same function, ``render(findings, rules, *, colour=False)``; it
sorts the findings and drops duplicates by :func:`ordered`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Final

from clustergen.findings import Finding, Rule
from clustergen.report.order import ordered, summary

Rules = Mapping[str, Rule]

FORMATS: Final = ("text", "json", "sarif", "github")
"""Each the name of a module with ``render(findings, rules, *, colour=False)``."""


def render(format: str, findings: Sequence[Finding], rules: Rules, *, colour: bool = False) -> str:
    """All findings as one text that ends with a line end, or is empty.

    ``rules`` give titles to the formats that have them, by code.
    """
    module = importlib.import_module(f"{__name__}.{format}")
    text: str = module.render(findings, rules, colour=colour)
    return text


__all__ = ["FORMATS", "ordered", "render", "summary"]
