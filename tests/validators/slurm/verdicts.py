"""What real slurmctld does with settings: a table, and how to make it again.

The table was made with two root file systems, of Debian trixie and forky::

    mmdebstrap --variant=minbase --include=slurm-wlm,slurmdbd,munge,mariadb-server,procps,iproute2 \
        forky ROOT
    python -m tests.validators.slurm.verdicts ROOT     # as root: one line for each setting
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple, get_args

from clustergen.facts.catalog.slurm import Scope

_FOLDER = Path(__file__).parent
VERSIONS = ("24.11", "26.05")


class Verdict(NamedTuple):
    """A setting, and for each of :data:`VERSIONS` whether Slurm rejects it."""

    scope: Scope
    name: str
    value: str
    rejected: tuple[bool, ...]


def verdicts() -> list[Verdict]:
    """The stored table."""
    found = []
    for scope, setting, *results in _rows():
        assert scope in get_args(Scope)
        name, _, value = setting.partition("=")
        rejected = tuple(result == "refused" for result in results)
        found.append(Verdict(scope, name, value, rejected))  # type: ignore[arg-type]
    return found


def _rows() -> list[list[str]]:
    rows: list[list[str]] = json.loads((_FOLDER / "verdicts.json").read_text())["verdicts"]
    return rows


def main(root: str) -> None:
    """Print what the Slurm in the root file system does with each setting of the table."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as cases:
        cases.writelines(f"{scope}\t{setting}\n" for scope, setting, *_ in _rows())
        cases.flush()
        namespaces = ("--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--mount-proc")
        script = (str(_FOLDER / "slurmctld.sh"), root, cases.name)
        subprocess.run(["unshare", *namespaces, "bash", *script], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
