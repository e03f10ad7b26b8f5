"""The page as HTML that needs nothing else: one file without scripts, which loads nothing."""

from __future__ import annotations

import base64
import functools
import hashlib
from typing import TYPE_CHECKING

from clustergen.analysis.graph import svg
from clustergen.analysis.report.model import Page
from clustergen.base.resources import tree
from clustergen.base.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

MARK = '<meta name="generator" content="clustergen">'
"""Every report has it in its head."""


def render(page: Page) -> str:
    text = (tree("templates") / "report" / "style.css").read_text(encoding="utf-8")
    style = f"\n{text}{svg.STYLE}\n"
    # What the Content Security Policy names the style by, to allow no other.
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    template = _environment().get_template("report/page.html.j2")
    return template.render(page=page, style=style, digest=digest, version=__version__)


@functools.cache
def _environment() -> Environment:
    """Unlike scripts, pages have every value escaped for HTML."""
    from markupsafe import Markup

    from clustergen.base import compiled_templates

    made = compiled_templates.environment(
        __file__, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    # The diagram escapes its text; the style is ours.
    made.globals["drawing"] = lambda box, prefix: Markup(svg.drawing(box, "", prefix))  # noqa: S704
    made.filters["ours"] = Markup
    return made
