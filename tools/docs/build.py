"""Rebuild the generated pages of ``docs/``: ``python -m tools.docs.build [--check]``.

``--check`` writes nothing and exits 1 if a page is out of date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from clustergen import targets
from clustergen.commands.schema import as_text
from clustergen.commands.targets import as_markdown
from clustergen.deployment import reading
from clustergen.spec.schema import FILE as SCHEMA
from tools.docs import (
    command_line,
    drawing,
    encryption,
    findings,
    language,
    monitoring,
    permissions,
    picture,
    recording,
)
from tools.docs.contents import DOCS, ROOT


def support() -> str:
    """What each target supports."""
    return as_markdown([targets.load(name) for name in targets.NAMES])


def security() -> str:
    """SECURITY.md, of which one part is generated."""
    return permissions.page((ROOT / "SECURITY.md").read_text(encoding="utf-8"))


PAGES: Mapping[str, Callable[[], str]] = {
    SCHEMA: as_text,
    "bundle.schema.json": reading.schema,
    "cli.md": command_line.page,
    "encryption.md": encryption.page,
    "images/graph.svg": drawing.picture,
    "images/overview-dark.svg": picture.dark,
    "images/overview-light.svg": picture.light,
    "images/session.svg": recording.picture,
    "language.md": language.page,
    "monitoring.md": monitoring.page,
    "support.md": support,
    "../SECURITY.md": security,
}


def stale() -> dict[Path, str]:
    """The pages that are out of date, each with its new text."""
    wanted = {DOCS / name: page() for name, page in PAGES.items()}
    wanted |= {DOCS / name: page for name, page in findings.pages()}
    return {path: text for path, text in wanted.items() if _text(path) != text}


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def main() -> int:
    """Write what is stale; with ``--check``, name it and exit 1."""
    pages = stale()
    if sys.argv[1:] == ["--check"]:
        for path in pages:
            print(f"{path} is not up to date; run `python -m tools.docs.build`", file=sys.stderr)
        return 1 if pages else 0
    for path, text in pages.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
