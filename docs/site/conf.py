"""How Sphinx builds the site: https://www.sphinx-doc.org/en/master/usage/configuration.html."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "clustergen"
extensions = ["myst_parser"]
myst_heading_anchors = 4
nitpicky = True

html_theme = "furo"
html_title = "clustergen"
html_baseurl = _PROJECT.get("urls", {}).get("Documentation", "")
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["clustergen.css"]
html_favicon = str(Path(__file__).parent / "static" / "icon.svg")
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
# Excerpts in search results load every page that matches, which browsers do not allow on a disk.
html_show_search_summary = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#6cb2f7", "color-brand-content": "#6cb2f7"},
}


def setup(app: Sphinx) -> None:
    """Called by Sphinx: https://www.sphinx-doc.org/en/master/extdev/appapi.html."""
    app.connect("html-page-context", _share_navigation, priority=400)  # before the theme


_NAVIGATION: dict[str, str] = {}


def _share_navigation(
    app: Sphinx,  # noqa: ARG001
    page: str,
    template: str,  # noqa: ARG001
    context: dict[str, Any],
    doctree: object,  # noqa: ARG001
) -> None:
    """Make the navigation of rules once: it has none of their pages, and takes half of the time."""
    made = context["toctree"]

    def navigation(**how: Any) -> str:
        if str(how) not in _NAVIGATION:
            _NAVIGATION[str(how)] = made(**how)
        return _NAVIGATION[str(how)]

    if page.startswith("rules/"):
        context["toctree"] = navigation
