"""Reading a project file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clustergen import registry, targets
from clustergen.findings import Edit, Finding, Fix
from clustergen.patterns import pattern
from clustergen.project import PYPROJECT, Cluster, Project, form
from clustergen.project.rules.file import UNREADABLE, UNUSED, WRONG
from clustergen.source.nodes import Place, Text

_TABLE = ("tool", "clustergen")
_LINE = pattern(r"at line ([0-9]+)")


def load(
    file: Path, name: str, *, custom_rules: bool = False
) -> tuple[Project | None, list[Finding]]:
    """The project in ``file``, which findings call ``name``; none if there are errors.

    With ``custom_rules`` it loads them, which runs code of the project.
    """
    try:
        written = file.read_text(encoding="utf-8")
        data: Any = tomllib.loads(written)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        match = _LINE.search(reason)
        line = int(match[1]) - 1 if match else 0
        place = Place(Text.of(name, _text(file)), line, 0, line, 1)
        help = "correct it; clustergen reads no spec without it"
        return None, [
            UNREADABLE.at((), f"cannot read {name}: {reason}", help=help).placed(place.span())
        ]
    text = Text.of(name, written)
    table = _TABLE if file.name == PYPROJECT else ()
    for key in table:
        data = data.get(key, {})
    findings = list(form.check(data, text, table))
    if not findings:
        loaded = _project(data, text, table, file.parent)
        if data.get("rules"):
            loaded = _with_rules(loaded, file, data["rules"], custom_rules)
        findings = list(_unknown(loaded))
    return (None if findings else loaded), findings


def _with_rules(
    project: Project, file: Path, named: Mapping[str, Sequence[str]], custom_rules: bool
) -> Project:
    """The project with its custom rules, or with none if they are not to be loaded."""
    if not custom_rules:
        return project._replace(rules=None)
    from clustergen.custom_rules.loading import Source, load  # few projects have rules

    sources = [
        Source(name, _place(project, "rules", key).span(), key == "entry_points")
        for key, names in named.items()
        for name in names
    ]
    rules, faults = load(file, sources)
    return project._replace(rules=rules, faults=tuple(faults))


def _place(project: Project, *path: str) -> Place:
    """Where a setting is written."""
    return form.place(project.text, (*project.table, *path))


def _unknown(project: Project) -> Iterator[Finding]:
    """Names of targets and codes that do not exist."""
    for name, cluster in project.clusters.items():
        for target in cluster.targets:
            if target != "all" and targets.resolve(target) is None:
                help = f"use {', '.join(targets.NAMES)} or all"
                at = _place(project, "clusters", name, "targets").span()
                yield WRONG.at((), f"there is no target {target}", help=help).placed(at)
    if not project.ignore:
        return
    known = registry.by_code(project.rules or ())
    for code in project.ignore:
        if not registry.exists(code, known, custom=project.rules is None):
            help = registry.hint(code, known)
            at = _place(project, "ignore", code).span()
            yield WRONG.at((), f"no finding has the code {code}", help=help).placed(at)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _project(data: Mapping[str, Any], text: Text, table: tuple[str, ...], folder: Path) -> Project:
    clusters = {
        name: Cluster(
            tuple(folder / file for file in cluster["files"]),
            tuple(cluster.get("set", ())),
            tuple(cluster.get("targets", ())),
        )
        for name, cluster in data.get("clusters", {}).items()
    }
    out = folder / data["out"] if "out" in data else None
    return Project(text, table, clusters, data.get("ignore", {}), data.get("strict", False), out)


def unused(project: Project, hidden: Sequence[Finding]) -> list[Finding]:
    """Findings about codes that ignore nothing, where ``hidden`` are all ignored findings."""
    codes = {finding.code for finding in hidden}
    idle = [
        code
        for code in project.ignore
        if not any(each.startswith(code) for each in codes)
        and not (project.rules is None and registry.is_foreign(code))
    ]
    return [_unused(project, code) for code in idle]


def _unused(project: Project, code: str) -> Finding:
    at = _place(project, "ignore", code)
    line = Edit(project.text.name, at.line, 0, at.line + 1, 0, "")
    fix = Fix(edits=(line,)) if form.is_alone(at, code) else None
    message = f"no cluster has a finding {code}"
    return UNUSED.at((), message, help="remove the line", fix=fix).placed(at.span())
