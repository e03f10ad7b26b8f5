"""Checking open texts, the way ``clustergen check`` does.

A file of the project file's clusters is checked as part of them: merged with their other files,
with their settings and for their targets. Any other file is a spec of its own.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from clustergen import targets
from clustergen.base.findings import Finding
from clustergen.base.patterns import pattern
from clustergen.checking import compiler, fixing, project
from clustergen.checking.compiler import Checked
from clustergen.checking.project import Cluster, Project
from clustergen.checking.project.loading import load, when_changed
from clustergen.editor import choices, fields
from clustergen.editor.scanner import outline
from clustergen.editor.texts import Text
from clustergen.spec.schema import FILE as SCHEMA
from clustergen.spec.source import limits


class Context(NamedTuple):
    """What the project file says about a file."""

    project: Project | None = None
    clusters: tuple[Cluster, ...] = ()
    problems: tuple[Finding, ...] = ()
    """Errors in the project file, which then has no effect, or in its custom rules."""
    file: Path | None = None


def context(name: str, *, custom_rules: bool = False) -> Context:
    """The context of the file called ``name``.

    With ``custom_rules``, code of the project runs if the user has allowed it on the command line.
    """
    try:
        file = project.find(Path(os.path.abspath(name)).parent)
        changed = when_changed(file) if file else ()
    except OSError:  # removed in the meantime, or not readable
        return Context()
    if file is None:
        return Context()
    found, problems = _loaded(file, custom_rules, changed)
    path = os.path.realpath(name)
    clusters = found.clusters.values() if found else ()
    mine = (c for c in clusters if path in {os.path.realpath(each) for each in c.files})
    return Context(found, tuple(mine), problems, file)


@lru_cache(maxsize=8)
def _loaded(
    file: Path,
    custom_rules: bool,
    changed: tuple[int, ...],  # noqa: ARG001 a changed file is loaded again
) -> tuple[Project | None, tuple[Finding, ...]]:
    found, problems = load(file, shown(file), custom_rules=None if custom_rules else False)
    choices.forget()
    return found, (*problems, *(found.faults if found else ()))


def shown(file: str | os.PathLike[str]) -> str:
    """The name of a file in findings: relative if it is below the working folder."""
    path = Path(os.path.abspath(file))
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def names_beside(name: str, about: Context) -> list[str]:
    """The files that are checked together with ``name``, itself first."""
    others = (shown(file) for cluster in about.clusters for file in cluster.files)
    return list(dict.fromkeys((name, *others)))


def check(name: str, about: Context, unsaved: Mapping[str, str]) -> list[Finding]:
    """The findings about a spec; ``unsaved`` has the open texts by name."""
    contents = _encoded(unsaved)
    clusters = _clusters(name, about)
    return [f for each in clusters for f in _check(name, about, each, contents).findings]


def fixed(name: str, about: Context, unsaved: Mapping[str, str]) -> str:
    """The text called ``name`` after all safe fixes; its other files stay as they are."""
    contents = _encoded(unsaved)
    for cluster in _clusters(name, about):
        contents |= _fixed(name, about, cluster, contents)
    return contents[name].decode("utf-8", "surrogatepass")


def _fixed(
    name: str, about: Context, cluster: Cluster, contents: Mapping[str, bytes]
) -> Mapping[str, bytes]:
    def check_again(changed: Mapping[str, bytes]) -> Checked:
        return _check(name, about, cluster, {**contents, **changed})

    return fixing.fix({name: contents[name]}, check_again, wanted=is_safe).contents


def is_safe(finding: Finding) -> bool:
    """Whether a finding has a fix that decides nothing for the user."""
    return finding.fix is not None and finding.fix.is_safe


def _encoded(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()}


def _clusters(name: str, about: Context) -> Sequence[Cluster]:
    return about.clusters or (Cluster((Path(name),)),)


def _check(name: str, about: Context, cluster: Cluster, contents: Mapping[str, bytes]) -> Checked:
    targets = list(_targets(cluster.targets))
    return compiler.check(
        [name if _same(file, name) else shown(file) for file in cluster.files],
        sets=cluster.sets,
        targets=targets,
        ignore=tuple(about.project.ignore) if about.project else (),
        rules=about.project.rules if about.project else (),
        contents=contents,
        declared=targets,
    )


def _same(file: Path, name: str) -> bool:
    return str(file) == name or os.path.realpath(file) == os.path.realpath(name)


def _targets(named: Iterable[str]) -> Iterator[str]:
    for name in named:
        yield from targets.NAMES if name == "all" else (name,)


_KEY = pattern(r"""(?:^|(?<=\r))["']?([a-z_]+)["']?\s*:(?:[ \t]+(\S+))?""", re.MULTILINE)
_SCHEMA = pattern(rf"\$schema\b.*{re.escape(SCHEMA)}")
_COMMON = frozenset(("version", "name", "tags", "network", "storage", "users", "targets"))
"""Keys of the language that other files have, too."""


def is_spec(content: str, about: Context) -> bool:
    """Whether a text is a spec, and not some other YAML file that the editor shows us.

    The project file names it, or it names the schema, or it has two keys of the language that
    others do not have, or its version is 1 and it has no keys but those of the language, or one
    that others do not have. Other files may be large and change often, so only their keys are read.
    """
    if about.clusters:
        return True
    if len(content) > limits.SIZE:
        return False
    if _SCHEMA.search(content):
        return True
    keys = _keys(content)
    own = keys.keys() & fields.top_level() - _COMMON
    others = keys.keys() - fields.top_level()
    return len(own) > 1 or (keys.get("version") == "1" and bool(own or not others))


def has_version(content: str) -> bool:
    """Whether a text begins as a spec does."""
    return len(content) <= limits.SIZE and _keys(content).get("version") == "1"


def _keys(content: str) -> Mapping[str, str]:
    """The keys of the first level, with the first word behind each."""
    if not content.lstrip("\ufeff \t\r\n").startswith("{"):
        return dict(_KEY.findall(content))
    root = outline(Text("", content).lines)[0]
    return {key: root.text_at(key) for key in root.keys()}  # noqa: SIM118 keys of an outline
