"""Findings as text, JSON, SARIF, Markdown, and annotations of GitHub and GitLab.

Every format is a module with the function ``render(findings, rules, *, colour=False)``, which sorts
findings and removes duplicates with :func:`ordered`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Final

from clustergen.findings import Finding, Rule
from clustergen.report.order import ordered, summary

Rules = Mapping[str, Rule]

FORMATS: Final = ("text", "concise", "statistics", "json", "sarif", "github", "gitlab", "markdown")
"""Names of modules with ``render(findings, rules, *, colour=False)``."""


def render(format: str, findings: Sequence[Finding], rules: Rules, *, colour: bool = False) -> str:
    """All findings as text with a final line end, or empty.

    ``rules``, by code, provide titles for some formats.
    """
    module = importlib.import_module(f"{__name__}.{format}")
    text: str = module.render(findings, rules, colour=colour)
    return text


__all__ = ["FORMATS", "ordered", "render", "summary"]
