"""Parts of Debian, made once and kept: a root file system with Slurm, files of packages.

``python -m tests.support.debian`` makes it ahead of the tests. Only the packages of Debian's own
archive are installed, with the keys that this machine has.
"""

import fcntl
import functools
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from clustergen.base.text_lists import words
from tests.support import control
from tests.support.scripts import completed

SUITES: Mapping[str, str] = {"24.11": "trixie", "26.05": "forky"}
"""The suite of each version of Slurm: https://packages.debian.org/search?keywords=slurm-wlm

PCS offers these two, and 25.05 and 25.11 between them; ParallelCluster has 25.11. No suite has one
of those.
"""
OLDEST, NEWEST = SUITES
MIRROR = "http://deb.debian.org/debian"
PACKAGES = words("""
    gcc iproute2 jq libc6-dev libslurm-dev munge procps python3-minimal slurm-wlm slurmdbd
""")
DATABASE = words("mariadb-server")
"""For the oldest suite only, whose database serves all."""
PYXIS = "/usr/local/lib/slurm/spank_pyxis.so"
_PYXIS_SOURCE = Path(__file__).parent / "spank_pyxis.c"
_MAKE_PYXIS = f"""
mkdir -p {PYXIS.rpartition("/")[0]}
gcc -shared -fPIC -O1 -o {PYXIS} /root/spank_pyxis.c
"""
# The database that the package made gets its user, and a small log.
_MAKE_DATABASE = r"""
set -e
install -d -o mysql -g mysql /run/mysqld
mariadbd --no-defaults --user=mysql --datadir=/var/lib/mysql --innodb-log-file-size=4M \
  --skip-networking --socket=/run/mysqld/s >/dev/null 2>&1 &
client=(timeout 60 mariadb -uroot -S /run/mysqld/s --wait --connect-timeout=30)
until [[ -S /run/mysqld/s ]]; do kill -0 $! || exit 1; sleep 0.1; done
"${client[@]}" -e "CREATE USER slurm@'%' IDENTIFIED BY 'rig'; GRANT ALL ON *.* TO slurm@'%'"
"${client[@]}" -e SHUTDOWN
wait
"""
CACHE = Path(os.environ.get("CLUSTERGEN_TEST_ROOTS", "/var/cache/clustergen-tests"))


@functools.cache
def impossible() -> str:
    """Why this machine cannot have one; empty when it can."""
    if os.geteuid() != 0:
        return "file systems of other machines need root"
    if not shutil.which("apt-get"):
        return "Debian's packages need apt"
    tried = completed("unshare", "--mount", "--net", "--pid", "--fork", "true")
    return f"no namespaces on this machine: {tried.stderr.strip()}" if tried.returncode else ""


def root(version: str = OLDEST) -> Path:
    """The root file system with a version of Slurm.

    Nothing writes to it, so all tests share it.
    """
    suite = SUITES[version]
    packages, steps = _recipe(version)
    parts = "\n".join((*packages, *steps, _PYXIS_SOURCE.read_text()))
    # Those that were made in another way have another name.
    name = f"{suite}-{hashlib.sha256(parts.encode()).hexdigest()[:8]}"
    return _made(name, lambda folder: _make(suite, packages, steps, folder))


def machine(packages: Sequence[str]) -> Path:
    """A root file system with packages, without Slurm."""
    name = f"{SUITES[OLDEST]}-{hashlib.sha256(' '.join(packages).encode()).hexdigest()[:8]}"
    return _made(name, lambda folder: _make(SUITES[OLDEST], packages, (), folder))


def extracted(suite: str, package: str) -> Path:
    """A folder with the files of a package of a suite and of what it depends on."""
    return _made(
        f"{suite}-{package}", lambda folder: _make(suite, [package], (), folder, variant="extract")
    )


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
    """What ``make`` makes, once. Where Debian's packages cannot be had, the test is skipped."""
    CACHE.mkdir(parents=True, exist_ok=True)
    made = CACHE / name
    with (CACHE / f"{name}.lock").open("w") as lock:
        # Two workers of the tests ask at the same time.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            try:
                make(made)
            except subprocess.CalledProcessError as failed:
                control.broken(f"Debian's packages for {name}: {Path(failed.cmd[0]).name} failed")
    return made


def _downloaded(folder: Path, packages: Sequence[str]) -> list[Path]:
    """The files of packages, in ``folder``."""
    folder.chmod(0o755)
    # A new machine has no lists of packages yet.
    subprocess.run(["apt-get", "update", "-qq"], check=False)
    subprocess.run(["apt-get", "download", "-q", *packages], cwd=folder, check=True)
    return sorted(folder.glob("*.deb"))


def _recipe(version: str) -> tuple[list[str], list[str]]:
    """The packages, and what runs once they are installed."""
    if version == OLDEST:
        return [*PACKAGES, *DATABASE], [_MAKE_PYXIS, _MAKE_DATABASE]
    return [*PACKAGES], [_MAKE_PYXIS]


def _make(
    suite: str,
    packages: Sequence[str],
    steps: Sequence[str],
    folder: Path,
    *,
    variant: str = "minbase",
) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as work:
        new = Path(work) / "root"
        subprocess.run(
            [
                *_mmdebstrap(Path(work)),
                *("--quiet", f"--variant={variant}", "--mode=root"),
                # The index of an unreleased suite expires; its signature is still checked.
                '--aptopt=Acquire::Check-Valid-Until "false"',
                *([f"--customize-hook=copy-in {_PYXIS_SOURCE} /root"] if steps else ()),
                *(f'--customize-hook=chroot "$1" bash -c {shlex.quote(step)}' for step in steps),
                *(f"--include={','.join(packages)}", suite, str(new), MIRROR),
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
    print(impossible() or "\n".join(str(root(version)) for version in SUITES))
