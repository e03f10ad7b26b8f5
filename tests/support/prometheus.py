"""Prometheus, Alertmanager and their tools, from Debian's packages, unpacked once and kept.

``python -m tests.support.prometheus`` does it ahead of the tests.
"""

import functools
import subprocess
from pathlib import Path

from clustergen.base.text_lists import words
from tests.support import control, debian

PACKAGES = words("prometheus prometheus-alertmanager prometheus-node-exporter")
PROGRAMS = words("prometheus promtool prometheus-alertmanager amtool prometheus-node-exporter")


@functools.cache
def impossible() -> str:
    """Why this machine cannot have them; empty when it can."""
    return debian.impossible()


@functools.cache
def root() -> Path:
    """The folder with the packages' files: programs are in ``usr/bin``."""
    control.need(_failure)
    return _unpacked()


def _unpacked() -> Path:
    return debian.unpacked("prometheus", PACKAGES)


def _failure() -> str:
    """Why one of the programs does not start."""
    paths = (_unpacked() / "usr/bin" / name for name in PROGRAMS)
    return next(filter(None, (control.failure(path, "--version") for path in paths)), "")


def program(name: str, *arguments: str | Path) -> list[str]:
    """The command that runs one of the programs."""
    return [str(root() / "usr/bin" / name), *map(str, arguments)]


def alertmanager(*arguments: str | Path) -> list[str]:
    """The command of Alertmanager, which reads its templates in /usr/share."""
    share = root() / "usr/share"
    mounted = f'mount --bind {share} /usr/share && exec "$@"'
    own = program("prometheus-alertmanager", *arguments)
    return ["unshare", "--mount", "sh", "-c", mounted, "sh", *own]


def output(name: str, *arguments: str | Path) -> tuple[int, str]:
    """Status of a program that ends, and all that it prints."""
    ran = subprocess.run(
        program(name, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout


if __name__ == "__main__":
    print(impossible() or root())
