"""Checking open texts, the way ``clustergen check`` does.

A file of the project file's clusters is checked as part of them: merged with their other files,
with their settings and for their targets. Any other file is a spec of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from clustergen import compiler, project, targets
from clustergen.findings import Finding
from clustergen.language_server.outline import Node
from clustergen.project import Cluster, Project
from clustergen.project.loading import load
from clustergen.spec.schema import FILE as SCHEMA


class Context(NamedTuple):
    """What the project file says about a file."""

    project: Project | None = None
    clusters: tuple[Cluster, ...] = ()
    """The clusters that the file is a part of."""
    problems: tuple[Finding, ...] = ()
    """Errors in the project file, which then has no effect, or in its custom rules."""
    file: Path | None = None
    """The project file."""


def context(name: str, *, custom_rules: bool = False) -> Context:
    """The context of the file called ``name``; with ``custom_rules``, code of the project runs."""
    file = project.find(Path(os.path.abspath(name)).parent)
    if file is None:
        return Context()
    status = file.stat()
    found, problems = _loaded(file, custom_rules, (status.st_mtime_ns, status.st_size))
    path = os.path.realpath(name)
    clusters = found.clusters.values() if found else ()
    mine = (c for c in clusters if path in {os.path.realpath(each) for each in c.files})
    return Context(found, tuple(mine), problems, file)


@lru_cache(maxsize=8)
def _loaded(
    file: Path,
    custom_rules: bool,
    changed: tuple[int, int],  # noqa: ARG001 a changed file is loaded again
) -> tuple[Project | None, tuple[Finding, ...]]:
    found, problems = load(file, shown(file), custom_rules=custom_rules)
    return found, (*problems, *(found.faults if found else ()))


def shown(file: str | os.PathLike[str]) -> str:
    """The name of a file in findings: relative if it is below the working folder."""
    path = os.path.abspath(file)
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def names_beside(name: str, about: Context) -> list[str]:
    """The files that are checked together with ``name``, itself first."""
    others = (shown(file) for cluster in about.clusters for file in cluster.files)
    return list(dict.fromkeys((name, *others)))


def check(name: str, about: Context, unsaved: Mapping[str, str]) -> list[Finding]:
    """The findings about a spec; ``unsaved`` has the open texts by name."""
    ignored = tuple(about.project.ignore) if about.project else ()
    contents = {name: text.encode("utf-8", "surrogatepass") for name, text in unsaved.items()}
    findings: list[Finding] = []
    for cluster in about.clusters or (Cluster((Path(name),)),):
        files = [name if _same(file, name) else shown(file) for file in cluster.files]
        checked = compiler.check(
            files,
            sets=cluster.sets,
            targets=list(_targets(cluster.targets)),
            ignore=ignored,
            rules=about.project.rules if about.project else (),
            contents=contents,
        )
        findings += checked.findings
    return findings


def _same(file: Path, name: str) -> bool:
    return str(file) == name or os.path.realpath(file) == os.path.realpath(name)


def _targets(named: Iterable[str]) -> Iterator[str]:
    for name in named:
        yield from targets.NAMES if name == "all" else (name,)


_OWN_KEYS = frozenset(("node_groups", "head_node", "queues", "targets", "kubernetes", "slurm"))


def is_spec(root: Node, content: str, about: Context) -> bool:
    """Whether a text is a spec, and not some other YAML file that the editor shows us.

    The project file names it, or it names the schema, or it has ``version: 1`` and a key of the
    language.
    """
    if about.clusters or SCHEMA in content:
        return True
    keys = set(root.keys())
    return root.text_at("version") == "1" and bool(keys & {*_OWN_KEYS, "region"})
