"""The picture in ``graph.md``: what ``clustergen graph`` draws of the spec on that page."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path

from clustergen.cli import main
from tools.docs.contents import DOCS


def spec_of(page: str) -> str:
    """The spec on a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    (spec,) = re.findall(r"<!-- file: cluster.yaml -->\n```yaml\n(.*?)```", text, re.DOTALL)
    return str(spec)


def picture() -> str:
    """The SVG."""
    drawn = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("cluster.yaml").write_text(spec_of("graph.md"), encoding="utf-8")
        with contextlib.redirect_stdout(drawn):
            main(["graph", "cluster.yaml", "--target", "pcs"])
    return drawn.getvalue()
