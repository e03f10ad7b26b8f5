"""Packages of npm that validators need, beside those of the project."""

import fcntl
import functools
import shutil
import subprocess
from pathlib import Path

from tests.support.paths import ROOT


@functools.cache
def installed(pinned: Path) -> Path:
    """A folder with the packages that `pinned`, a folder with a lock file, names.

    It is filled the first time and when what is pinned changes. Safe when several test processes
    ask at once. Raises RuntimeError with npm's words on failure.
    """
    folder = ROOT / ".validators" / pinned.name
    folder.mkdir(parents=True, exist_ok=True)
    lock = (pinned / "package-lock.json").read_bytes()
    mark = folder / "installed.json"
    with folder.with_name(f"{pinned.name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not mark.exists() or mark.read_bytes() != lock:
            _install(pinned, folder)
            mark.write_bytes(lock)
    return folder


def _install(pinned: Path, folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(pinned / name, folder / name)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"npm: {done.stderr}")
