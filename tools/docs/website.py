"""Build the site: ``python -m tools.docs.website [FOLDER]``, by default ``build/site``.

Needs the extra ``docs``. Warnings of Sphinx and broken links fail the build.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.docs import links, staging
from tools.docs.contents import ROOT


def build(site: Path) -> int:
    """Build the site into ``site``; returns the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        staging.stage(Path(folder))
        shutil.rmtree(site, ignore_errors=True)
        done = subprocess.run(_sphinx(folder, site), check=False)  # noqa: S603 our own words
    if done.returncode:
        return 1
    problems = links.broken(site)
    for problem in problems:
        print(problem, file=sys.stderr)
    pages = sum(1 for _ in site.rglob("*.html"))
    print(f"{site}: {pages} pages, {len(problems)} broken links")
    return 1 if problems else 0


def _sphinx(sources: str, site: Path) -> list[str]:
    options = ("--quiet", "--fail-on-warning", "--keep-going", "--jobs", "2")
    config = ("--conf-dir", str(ROOT / "docs" / "site"))
    # Without its cache, the site has only what a reader needs.
    cache = ("--doctree-dir", f"{sources}/.doctrees")
    return [sys.executable, "-m", "sphinx", *options, *config, *cache, sources, str(site)]


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1] if sys.argv[1:] else ROOT / "build" / "site")))
