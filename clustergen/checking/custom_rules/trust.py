"""Which custom rules a user has allowed to run: those of a project file, until they change.

Otherwise a fresh clone would run code at the first ``check``. The user's state folder has a file
for each project file: the rules that it names, and digests of all code in their folders, or of
their packages. In CI there is none: a runner serves several repositories and branches.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from clustergen.base.digests import sha256


def in_ci() -> bool:
    """Whether this is a job of a CI system, all of which set ``CI``."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def allowed(project: Path, sources: Sequence[str], files: Mapping[Path, str]) -> str | None:
    """None if the user has allowed the rules in ``sources`` as they are; else, why they wait.

    ``files`` has digests of all that they may import from their folders and packages.
    """
    if in_ci():
        return "in CI they run only with --custom-rules"
    try:
        kept: Any = json.loads(_record(project).read_text(encoding="utf-8"))
        same = kept["sources"] == list(sources) and kept["files"] == _written(files)
    except (OSError, ValueError, KeyError, TypeError):
        return "you have not allowed them yet"
    return None if same else "they have changed since you allowed them"


def when(project: Path) -> int:
    """When the user last allowed the rules of ``project``, in nanoseconds; 0 if never."""
    try:
        return _record(project).stat().st_mtime_ns
    except OSError:
        return 0


def remember(project: Path, sources: Sequence[str], files: Mapping[Path, str]) -> None:
    """Keep that the user allows these rules as they are; not in CI."""
    if in_ci():
        return
    record = _record(project)
    data = {"project": str(project), "sources": list(sources), "files": _written(files)}
    with suppress(OSError):  # The rules run now, and wait for consent again the next time.
        record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        record.write_text(json.dumps(data), encoding="utf-8")


def _record(project: Path) -> Path:
    """https://specifications.freedesktop.org/basedir-spec/latest/"""
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    return home / "clustergen" / "rules" / f"{sha256(os.path.realpath(project))[:32]}.json"


def _written(files: Mapping[Path, str]) -> dict[str, str]:
    return {str(file): digest for file, digest in files.items()}
