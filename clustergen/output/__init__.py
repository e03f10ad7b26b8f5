"""Findings as text, JSON, SARIF, Markdown, and annotations of GitHub and GitLab.

Every format is a module with the function ``render(findings, rules, colour)``, which sorts
findings and removes duplicates with :func:`ordered`; those of :mod:`.text` are its functions.
"""

import importlib
from collections.abc import Sequence
from typing import Final

from clustergen.base import secrets
from clustergen.base.findings import Finding
from clustergen.output.order import Rules, ordered, summary

_IN_TEXT: Final = ("full", "concise", "statistics")
FORMATS: Final = ("text", *_IN_TEXT, "json", "sarif", "github", "gitlab", "markdown")

FOR_PEOPLE: Final = ("text", "full")
"""Formats beside which commands print other lines on stdout."""


def render(format: str, findings: Sequence[Finding], rules: Rules, *, colour: bool = False) -> str:
    """All findings as text with a final line end, or empty.

    ``rules``, by code, provide titles for some formats.
    """
    module, name = ("text", format) if format in _IN_TEXT else (format, "render")
    writer = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    # Those about a spec have no secret by now; others quote files, and answers of AWS.
    text: str = writer([*map(secrets.masked, findings)], rules, colour)
    return text


__all__ = ["FORMATS", "FOR_PEOPLE", "ordered", "render", "summary"]
