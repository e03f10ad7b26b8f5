"""The project file: the clusters of a repository, and settings for all of them.

``clustergen.toml``, or the table ``tool.clustergen`` of ``pyproject.toml``, in the working folder
or in the nearest folder above that has one::

    strict = true
    out = "out"

    [ignore]
    K8S532 = "our jobs end on their own"

    [clusters.prod]
    files = ["specs/base.yaml", "specs/prod.yaml"]
    set = ["tags.stage=prod"]
    targets = ["pcs", "eks"]

    [rules]
    files = ["rules"]

    [catalog]
    files = ["types.json"]

Paths are relative to the file.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from clustergen.base.findings import Finding, Rule
from clustergen.spec.source.nodes import Text

FILE = "clustergen.toml"
PYPROJECT = "pyproject.toml"


class Cluster(NamedTuple):
    """A spec of the project: its files, in merge order, and how it is compiled."""

    files: tuple[Path, ...]
    sets: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


class Project(NamedTuple):
    """A project file."""

    text: Text
    table: tuple[str, ...]
    """The table that has the settings; empty in ``clustergen.toml``."""
    clusters: Mapping[str, Cluster]
    ignore: Mapping[str, str]
    """Reasons by code, or beginning of codes."""
    strict: bool = False
    out: Path | None = None
    rules: tuple[Rule, ...] | None = ()
    """The custom rules; None if they were not loaded."""
    faults: tuple[Finding, ...] = ()
    """Findings about custom rules."""
    folder: Path = Path()


def find(folder: Path) -> Path | None:
    """The project file of ``folder``: there, or in the nearest folder above that has one."""
    for each in (folder, *folder.parents):
        if (each / FILE).is_file():
            return each / FILE
        if "[tool.clustergen" in legible(each / PYPROJECT):
            return each / PYPROJECT
    return None


def legible(file: Path) -> str:
    """The text of a file as far as it can be read, perhaps none."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
