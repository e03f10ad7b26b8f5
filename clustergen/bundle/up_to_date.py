"""``render --check``: whether a folder matches what the spec renders to."""

import difflib
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from clustergen.base.artifacts import Artifact, Bundle
from clustergen.base.findings import Finding, Severity
from clustergen.bundle.manifest import bad_paths, content, hashes_in, with_line_feeds
from clustergen.bundle.rules import folder as problems

DIFF_LINES: Final = 40
_DIFF_BYTES: Final = 1_000_000
_RENDER = "render again"
_NO_CRLF = "keep git from converting it, with `out/** -text` in .gitattributes, and render again"


def check(directory: str | os.PathLike[str], bundle: Bundle) -> list[Finding]:
    """Differences between ``directory`` and ``bundle``.

    Files that clustergen did not write are ignored.
    """
    folder = Path(directory)
    if findings := list(bad_paths(bundle)):
        return findings
    if not folder.is_dir():
        if os.path.lexists(folder):
            return [problems.NOT_A_FOLDER.at((), f"{folder} is not a folder")]
        return [problems.MISSING.at((), f"{folder} does not exist", help=_RENDER)]
    compared = [finding for artifact in bundle for finding in compare(folder, artifact)]
    return [*compared, *_superfluous(folder, bundle)]


def compare(folder: Path, artifact: Artifact) -> Iterator[Finding]:
    """Differences between one file of ``folder`` and ``artifact``."""
    path = folder / artifact.path
    try:
        executable = bool(path.stat().st_mode & stat.S_IXUSR)
        found = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        yield problems.MISSING.at((), f"{path} is missing", help=_RENDER)
        return
    except OSError as error:
        yield problems.NOT_WRITTEN.at((), f"cannot read {path}: {error.strerror}")
        return
    if found != content(artifact) and with_line_feeds(found) == content(artifact):
        # In the repository it may be the same: git converts line ends on a checkout.
        message = f"{path} has CRLF line ends, with which scripts do not run on Linux"
        yield problems.DIFFERS.at((), message, help=_NO_CRLF, severity=Severity.WARNING)
    elif found != content(artifact):
        yield problems.DIFFERS.at(
            (), f"{path} is not what the spec renders to", help=_diff(found, artifact)
        )
    if executable != artifact.executable:
        word, flag = ("not executable", "+x") if artifact.executable else ("executable", "-x")
        yield problems.MODE.at((), f"{path} is {word}", help=f"chmod {flag} {path}")


def _superfluous(folder: Path, bundle: Bundle) -> Iterator[Finding]:
    try:
        ours = hashes_in(folder) or {}
    except (OSError, ValueError) as error:
        yield problems.BAD_MANIFEST.at(
            (), f"the manifest in {folder} cannot be read: {error}", help=_RENDER
        )
        return
    for name in sorted(set(ours) - {artifact.path for artifact in bundle}):
        path = folder / name
        if os.path.lexists(path):
            yield problems.SUPERFLUOUS.at((), f"the spec no longer renders to {path}", help=_RENDER)


def _diff(found: bytes, artifact: Artifact) -> str:
    """The first lines of the file's diff, safe to print."""
    if len(found) > _DIFF_BYTES:
        return _RENDER
    before = found.decode("utf-8", "replace").splitlines()
    lines = difflib.unified_diff(
        before, artifact.text.splitlines(), "on disk", "rendered", lineterm="", n=2
    )
    shown = [_printable(line) for line in islice(lines, DIFF_LINES + 1)]
    if len(shown) > DIFF_LINES:
        shown[-1] = "..."
    return "\n".join(shown) or _RENDER


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() or c == "\t" else f"\\x{ord(c):02x}" for c in line)
