"""The manifest: the files that clustergen wrote to a folder, and their hashes."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clustergen.base.artifacts import Artifact, Bundle
from clustergen.base.digests import sha256
from clustergen.base.findings import Finding
from clustergen.base.version import __version__
from clustergen.bundle.rules.folder import BAD_PATH

MANIFEST: Final = ".clustergen.json"

Hashes = Mapping[str, str]
"""SHA-256, in hexadecimal, by path within the folder."""


def manifest_of(bundle: Bundle) -> Artifact:
    """The manifest as one more file of ``bundle``."""
    files = {artifact.path: sha256(content(artifact)) for artifact in bundle}
    document = {"clustergen": __version__, "files": dict(sorted(files.items()))}
    return Artifact(MANIFEST, json.dumps(document, indent=2) + "\n")


def content(artifact: Artifact) -> bytes:
    """The bytes of a file: UTF-8, with the line endings of the text on every system."""
    return artifact.text.encode()


def with_line_feeds(found: bytes) -> bytes:
    """The content of a file with CRLF line endings, for example from git, converted back to LF."""
    return found.replace(b"\r\n", b"\n")


def hashes_in(folder: Path) -> Hashes | None:
    """The hashes in the manifest of ``folder``; None if there is no manifest.

    :raises ValueError: when it is not a manifest, or names files outside the folder.
    """
    try:
        document = json.loads((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        return None
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    files = document.get("files") if isinstance(document, dict) else None
    if not isinstance(files, dict) or not all(map(_is_entry, files.items())):
        raise ValueError("not a list of files and hashes")
    return files


def bad_paths(bundle: Bundle) -> Iterator[Finding]:
    """A finding for each path that leaves the folder, or collides with another."""
    taken: dict[str, str] = {MANIFEST.casefold(): "the manifest"}
    for artifact in bundle:
        path, key = artifact.path, artifact.path.casefold()
        if not is_inside(path):
            yield BAD_PATH.at((), f"{path!r} is not a path inside the bundle")
        elif key in taken:
            yield BAD_PATH.at((), f"{path!r} meets {taken[key]}", help="give them different names")
        taken.setdefault(key, repr(path))


def is_inside(path: str) -> bool:
    """Whether ``path`` is relative, with plain names between forward slashes."""
    steps = path.split("/")
    plain = path.isprintable() and "\\" not in path and ":" not in path
    return plain and all(step.strip() not in ("", ".", "..") for step in steps)


def _is_entry(entry: tuple[Any, Any]) -> bool:
    path, hash = entry
    return isinstance(hash, str) and is_inside(path) and path != MANIFEST
