"""The screenshot in ``report.md``: ``python -m tools.docs.screenshot`` writes it, with Chromium.

Fonts differ between machines, so that no check compares it.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from clustergen.cli import main
from tools.docs import drawing
from tools.docs.contents import DOCS

IMAGE = DOCS / "images" / "report.png"


def write() -> None:
    """Write what Chromium shows of the report on that page."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("install chromium")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("cluster.yaml").write_text(drawing.spec_of("report.md"), encoding="utf-8")
        main(["report", "cluster.yaml", "-o", "report.html"])
        page = Path("report.html").resolve().as_uri()
        size = ("--window-size=1100,1000", "--hide-scrollbars", "--no-sandbox")
        command = [chromium, "--headless", *size, f"--screenshot={IMAGE}", page]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 our own page


if __name__ == "__main__":
    write()
