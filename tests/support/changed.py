"""Run the quick tests of what changed: ``python -m tests.support.changed [REVISION] [OPTION]...``.

The folders of tests mirror those of the package. Compares the working tree with ``REVISION``, by
default HEAD; options go to pytest, such as ``-m "real or repeated"``.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from tests.support.paths import ROOT
from tests.support.tiers import QUICK

ALWAYS = ("tests/golden", "tests/repository/test_rooms.py", "tests/repository/test_layers.py")


def folders(changed: Iterable[str]) -> list[str]:
    """The tests that mirror files of the repository, and those that every change needs."""
    found = {test for path in changed for test in _tests(PurePosixPath(path))}
    inner = {
        path for path in found if any(f"{path}/".startswith(f"{up}/") for up in found - {path})
    }
    return sorted({*found - inner, *ALWAYS})


def _tests(path: PurePosixPath) -> Iterator[str]:
    match path.parts:
        case ("tests", _, *_) if path.name.startswith("test_"):
            yield str(path)
        case ("clustergen" | "tests", *inner):
            # The deepest folder that has tests; below rooms only, whose tests take minutes.
            parts = [*inner[:-1], PurePosixPath(inner[-1]).stem]
            for depth in range(len(parts), 0, -1):
                if (ROOT / "tests").joinpath(*parts[:depth]).is_dir():
                    yield "/".join(("tests", *parts[:depth]))
                    return
        case ("stacks" | "docs" | "templates" as room, *_) | ("tools", room, _):
            yield f"tests/{room}"
        case (".ci" | ".github", *_):
            yield "tests/repository"


def main() -> int:
    """Run pytest; returns its exit status."""
    given = sys.argv[1:]
    revision = given.pop(0) if given and not given[0].startswith("-") else "HEAD"
    tracked = ["git", "diff", "--name-only", revision]
    added = ["git", "ls-files", "--others", "--exclude-standard"]
    names = [
        name
        for command in (tracked, added)
        for name in subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        if (ROOT / name).exists()
    ]
    tests = folders(names)
    print(*tests, sep="\n")
    command = [sys.executable, "-m", "pytest", "-n", "2", "-m", QUICK, *given, *tests]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
