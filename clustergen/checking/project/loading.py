"""Reading a project file."""

import json
import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clustergen import targets
from clustergen.base.findings import Edit, Finding, Fix
from clustergen.base.patterns import pattern
from clustergen.checking import registry
from clustergen.checking.project import PYPROJECT, Cluster, Project, form, legible
from clustergen.checking.project.rules.file import OUTSIDE, TYPES, UNREADABLE, UNUSED, WRONG
from clustergen.spec.source.nodes import Place, Text

_TABLE = ("tool", "clustergen")
_LINE = pattern(r"at line ([0-9]+)")


def load(
    file: Path, name: str, *, custom_rules: bool | None = False, remember: bool = False
) -> tuple[Project | None, list[Finding]]:
    """The project in ``file``, which findings call ``name``; none if there are errors.

    With ``custom_rules`` it loads them, which runs code of the project; with None only if the user
    has allowed that. With ``remember`` the user allows it from now on.
    """
    try:
        written = file.read_text(encoding="utf-8")
        data: Any = tomllib.loads(written)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        match = _LINE.search(reason)
        line = int(match[1]) - 1 if match else 0
        at = Place(Text.of(name, legible(file)), line, 0, line, 1).span()
        help = "correct it; clustergen reads no spec without it"
        return None, [UNREADABLE.at((), f"cannot read {name}: {reason}", help=help).placed(at)]
    text = Text.of(name, written)
    table = _TABLE if file.name == PYPROJECT else ()
    for key in table:
        data = data.get(key, {})
    findings = list(form.check(data, text, table))
    if not findings:
        loaded = _project(data, text, table, file.parent)
        if data.get("rules"):
            loaded = _with_rules(loaded, file, data["rules"], custom_rules, remember=remember)
        findings = [*_unknown(loaded), *_add_types(loaded, data.get("catalog", {}))]
    return (None if findings else loaded), findings


def when_changed(file: Path) -> tuple[int, ...]:
    """What is another once ``file`` or its types have changed, or its custom rules are allowed."""
    from clustergen.checking.custom_rules import trust  # few projects have rules

    found = [each.stat() for each in (file, *filter(Path.exists, _TYPES.get(file.parent, ())))]
    return trust.when(file), *(stat for s in found for stat in (s.st_mtime_ns, s.st_size))


_TYPES: dict[Path, Sequence[Path]] = {}
"""The files of types that a project named when it was loaded, by its folder."""


def _with_rules(
    project: Project,
    file: Path,
    named: Mapping[str, Sequence[str]],
    custom_rules: bool | None,
    *,
    remember: bool,
) -> Project:
    """The project with its custom rules, or with none if they are not to be loaded."""
    if custom_rules is False:
        return project._replace(rules=None)
    from clustergen.checking.custom_rules.loading import (  # few projects have rules
        Source,
        load,
        waiting,
    )

    sources = [
        Source(name, _place(project, "rules", key).span(), key == "entry_points")
        for key, names in named.items()
        for name in names
    ]
    refused = waiting(file, sources, consent=custom_rules is True)
    if refused:
        return project._replace(rules=None, faults=(refused,))
    rules, faults = load(file, sources, remember=remember)
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
    strict = data.get("strict", False)
    return Project(text, table, clusters, data.get("ignore", {}), strict, out, folder=folder)


def _add_types(project: Project, named: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Adds the instance types that the project describes to the catalog."""
    if not named:
        return
    from clustergen.facts.catalog import described, lookup  # few projects describe types

    own: dict[str, str] = {}
    files = {project.folder / name: name for name in named.get("files", ())}
    _TYPES[project.folder] = (*files,)
    for file, name in files.items():
        try:
            # PowerShell writes UTF-16.
            own = described.own_rows(json.loads(file.read_bytes()), own)
        except (OSError, ValueError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            help = f"write what a current AWS CLI prints to it: `{_DESCRIBE}`"
            at = _place(project, "catalog", "files").span()
            yield TYPES.at((), f"cannot read {name}: {reason}", help=help).placed(at)
    lookup.describe(project.folder, own)


_DESCRIBE = "aws ec2 describe-instance-types --output json --instance-types TYPE ..."


def outside(project: Project) -> Iterator[Finding]:
    """A finding if the output folder is not in the folder of the project file."""
    if project.out is None:
        return
    inside = Path(os.path.abspath(project.folder))
    if not Path(os.path.abspath(project.out)).is_relative_to(inside):
        message = f"{project.out} is not in {project.folder}, the folder of the project file"
        named = shlex.quote(os.path.relpath(project.out))
        help = f"name a folder inside, or allow this one with -o {named}"
        yield OUTSIDE.at((), message, help=help).placed(_place(project, "out").span())


def unused(project: Project, hidden: Sequence[Finding]) -> list[Finding]:
    """Findings about codes that ignore nothing, where ``hidden`` are all ignored findings."""
    codes = {finding.code for finding in hidden}
    found: list[Finding] = []
    for code in project.ignore:
        is_unknown = project.rules is None and registry.may_be_custom(code)
        if is_unknown or any(each.startswith(code) for each in codes):
            continue
        at = _place(project, "ignore", code)
        line = Edit(project.text.name, at.line, 0, at.line + 1, 0, "")
        fix = Fix(edits=(line,)) if form.is_alone(at, code) else None
        message = f"no cluster has a finding {code}"
        finding = UNUSED.at((), message, help="remove the line", fix=fix)
        found.append(finding.placed(at.span()))
    return found
