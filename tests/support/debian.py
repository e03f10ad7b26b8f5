"""Parts of Debian, made once and kept: a root file system with Slurm, files of packages.

``python -m tests.support.debian`` makes it ahead of the tests. Only the packages of Debian's own
archive are installed, with the keys that this machine has.
"""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from clustergen.words import words

SUITE = "trixie"
"""Slurm 24.11, the oldest that a service offers: https://packages.debian.org/trixie/slurm-wlm"""
MIRROR = "http://deb.debian.org/debian"
PACKAGES = words("""
    gcc iproute2 jq libc6-dev libslurm-dev mariadb-server munge procps python3-minimal
    slurm-wlm slurmdbd
""")
CACHE = Path(os.environ.get("CLUSTERGEN_TEST_ROOTS", "/var/cache/clustergen-tests"))


@functools.cache
def impossible() -> str:
    """Why this machine cannot have one; empty when it can."""
    if os.geteuid() != 0:
        return "file systems of other machines need root"
    if not shutil.which("apt-get"):
        return "Debian's packages need apt"
    tried = subprocess.run(
        ["unshare", "--mount", "--net", "--pid", "--fork", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    return f"no namespaces on this machine: {tried.stderr.strip()}" if tried.returncode else ""


def root() -> Path:
    """The root file system; nobody writes to it, so all tests share it."""
    return _made(f"{SUITE}-slurm", _make)


def unpacked(name: str, packages: Sequence[str]) -> Path:
    """A folder with the files of packages for this machine, which are not installed."""

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory(dir=CACHE) as work:
            new = Path(work) / "root"
            for package in _downloaded(Path(work), packages):
                subprocess.run(["dpkg", "-x", str(package), str(new)], check=True)
            new.rename(folder)

    return _made(name, make)


def _made(name: str, make: Callable[[Path], None]) -> Path:
    """What ``make`` makes, once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    made = CACHE / name
    with (CACHE / "lock").open("w") as lock:
        # Two workers of the tests ask at the same time.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            make(made)
    return made


def _downloaded(folder: Path, packages: Sequence[str]) -> list[Path]:
    """The files of packages, in ``folder``."""
    folder.chmod(0o755)
    # A new machine has no lists of packages yet.
    subprocess.run(["apt-get", "update", "-qq"], check=False)
    subprocess.run(["apt-get", "download", "-q", *packages], cwd=folder, check=True)
    return sorted(folder.glob("*.deb"))


def _make(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as work:
        new = Path(work) / "root"
        subprocess.run(
            [
                *_mmdebstrap(Path(work)),
                *("--quiet", "--variant=minbase", "--mode=root"),
                *(f"--include={','.join(PACKAGES)}", SUITE, str(new), MIRROR),
            ],
            check=True,
        )
        new.rename(folder)


def _mmdebstrap(work: Path) -> list[str]:
    """The program: this machine's, or the one of the package, which is a single script."""
    if found := shutil.which("mmdebstrap"):
        return [found]
    [package] = _downloaded(work, ["mmdebstrap"])
    subprocess.run(["dpkg", "-x", str(package), str(work / "tool")], check=True)
    return ["perl", str(work / "tool/usr/bin/mmdebstrap")]


if __name__ == "__main__":
    print(impossible() or root())
