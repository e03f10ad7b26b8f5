"""Findings of earlier runs, so that a spec that has not changed is not checked again.

Findings depend on nothing but the bytes of the spec, the options and clustergen itself, so the hash
of these three is the name of a file that holds them. What cannot be read or written is not
remembered, and nothing is said: the check is then made.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from clustergen.findings import Finding, Severity, Span

VARIABLE = "CLUSTERGEN_CACHE"
"""Names the folder to remember in; ``off`` remembers nothing."""

_PACKAGE = Path(__file__).parent
_MOST = 2000
"""Files kept; each is a few kilobytes."""


def folder() -> Path | None:
    """Where findings are kept, None when they are not."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return None if named in ("", "off") else Path(named)
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    with contextlib.suppress(RuntimeError):  # no home directory
        return Path(caches).expanduser() / "clustergen"
    return None


def key(files: Sequence[str], *options: object) -> str | None:
    """The name of what would be found in ``files``; None when they cannot be read or read again."""
    digest = hashlib.sha256(_fingerprint(_PACKAGE).encode())
    try:
        for name in files:
            content = Path(name).read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode(errors="surrogateescape") + content)
    except (OSError, ValueError):
        return None
    digest.update(repr(options).encode(errors="surrogateescape"))
    return None if "-" in files else digest.hexdigest()


def recall(kept: Path | None, name: str | None) -> tuple[Finding, ...] | None:
    """The findings remembered under ``name``."""
    if kept is None or name is None:
        return None
    try:
        read = json.loads((kept / name).read_bytes())
        return tuple(_finding(entry) for entry in read) if isinstance(read, list) else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def remember(kept: Path | None, name: str | None, findings: Sequence[Finding]) -> None:
    """Keep ``findings`` under ``name``."""
    if kept is None or name is None:
        return
    staged = kept / f".{name}.{os.getpid()}"
    with contextlib.suppress(OSError):
        kept.mkdir(parents=True, exist_ok=True)
        staged.write_text(json.dumps([_entry(finding) for finding in findings]), "ascii")
        staged.replace(kept / name)


def tidy(kept: Path | None) -> None:
    """Forget the oldest findings when there are too many."""
    if kept is None:
        return
    with contextlib.suppress(OSError), os.scandir(kept) as entries:
        files = sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)
        for entry in files[: -_MOST // 2] if len(files) > _MOST else ():
            os.unlink(entry.path)


@functools.cache
def _fingerprint(package: Path) -> str:
    """What tells this clustergen, on this Python, from any other: its files' sizes and times."""
    return "\0".join((sys.version, *_stamps(package)))


def _stamps(folder: Path | str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _stamps(entry.path)
            else:
                status = entry.stat()
                yield f"{entry.path}:{status.st_size}:{status.st_mtime_ns}"


def _entry(finding: Finding) -> list[Any]:
    span = finding.span
    return [
        *(finding.code, str(finding.severity), finding.message, list(finding.path)),
        *(finding.help, finding.note, finding.on_key, finding.target),
        span and [span.file, span.line, span.column, span.end, span.text],
    ]


def _finding(entry: list[Any]) -> Finding:
    code, severity, message, path, help, note, on_key, target, span = entry
    return Finding(
        *(code, Severity(severity), message, tuple(path)),
        *(help, note, on_key, target),
        Span(*span) if span else None,
    )
