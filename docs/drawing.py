"""The picture in ``graph.md``: what ``clustergen graph`` draws of the spec on that page."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path

from clustergen.cli import main

_PAGE = Path(__file__).parent / "graph.md"


def picture() -> str:
    """The SVG."""
    page = _PAGE.read_text(encoding="utf-8")
    (spec,) = re.findall(r"<!-- file: cluster.yaml -->\n```yaml\n(.*?)```", page, re.DOTALL)
    drawn = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("cluster.yaml").write_text(spec, encoding="utf-8")
        with contextlib.redirect_stdout(drawn):
            main(["graph", "cluster.yaml", "--target", "pcs"])
    return drawn.getvalue()
