"""Loading the custom rules that a project file names."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from clustergen.base.findings import Finding, Rule, Span
from clustergen.checking.custom_rules import (
    FAILURES,
    declarations,
    describe,
    modules,
    places,
    trust,
)
from clustergen.checking.custom_rules.rules.declarations import OTHER_USER, UNALLOWED, UNLOADED

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "clustergen.rules"
"""The group of entry points."""
_ROOT_USER = 0
_WITHOUT = "correct it, or check without custom rules: --no-custom-rules"


class Source(NamedTuple):
    """What a project file names: files and folders, or an entry point, and where it does so."""

    name: str
    """A path, or the name of an entry point."""
    at: Span
    installed: bool = False
    """It is an entry point."""


class _Module(NamedTuple):
    """The rules of a loaded module, or what kept it from loading."""

    rules: tuple[Rule, ...]
    at: Span
    findings: tuple[Finding, ...] = ()


def waiting(file: Path, sources: Sequence[Source], *, consent: bool) -> Finding | None:
    """Why the rules in ``sources``, which the project file ``file`` names, do not run; or None.

    With ``consent`` the user allows them now.
    """
    if not sources:
        return None
    if _is_foreign(file):
        message = f"{file} belongs to another user, so its custom rules were not loaded"
        help = "run in its folder if you trust it, or check without them: --no-custom-rules"
        return OTHER_USER.at((), message, help=help).placed(sources[0].at)
    reason = None if consent else trust.allowed(file, *_consent(sources, file.parent))
    if reason is None:
        return None
    names = [source.name for source in sources]
    message = f"custom rules did not run ({', '.join(names)}): {reason}"
    help = "read them, then allow them with --custom-rules; or go without: --no-custom-rules"
    return UNALLOWED.at((), message, help=help).placed(sources[0].at)


def load(
    file: Path, sources: Sequence[Source], *, remember: bool = False
) -> tuple[tuple[Rule, ...], list[Finding]]:
    """The rules in ``sources``, which the project file ``file`` names, and findings about them.

    This runs code of the project. With ``remember`` the user allows it from now on.
    """
    findings: list[Finding] = []
    rules: dict[str, Rule] = {}
    consent = _consent(sources, file.parent)
    modules.begin(consent[1])
    for source in sources:
        loaded = [*_installed(source)] if source.installed else [*_files(source, file.parent)]
        findings += (finding for module in loaded for finding in module.findings)
        declared = [(rule, module.at) for module in loaded for rule in module.rules]
        if not declared and not any(module.findings for module in loaded):
            message = f"{source.name} declares no rule"
            help = "declare rules in it with @clustergen.rule(...), or remove it"
            findings.append(UNLOADED.at((), message, help=help).placed(source.at))
        for rule, at in declared:
            found = declarations.problem(rule, rules)
            if found:
                findings.append(found.placed(places.of_rule(rule) or at))
            else:
                rules[rule.code] = rule
    if remember and not findings:
        trust.remember(file, *consent)
    return tuple(map(declarations.read, rules.values())), findings


def _consent(sources: Sequence[Source], folder: Path) -> tuple[list[str], dict[Path, str]]:
    """What the user allows: the rules, with what entry points name, and digests of their code."""
    code = modules.digests(folder / each.name for each in sources if not each.installed)
    names: list[str] = []
    for source in sources:
        found = _entry_points(source.name) if source.installed else ()
        names.append(" ".join([source.name, *(entry.value for entry in found)]))
        for entry in found:
            code |= modules.installed(entry.module)
    return names, code


def _entry_points(name: str) -> Sequence[EntryPoint]:
    from importlib.metadata import entry_points  # slow, and few projects have any

    return tuple(entry_points(group=GROUP, name=name))


def _is_foreign(file: Path) -> bool:
    """Whether a project file in a folder above belongs to neither this user nor root."""
    if file.parent == Path.cwd() or not hasattr(os, "getuid"):
        return False
    return file.stat().st_uid not in (os.getuid(), _ROOT_USER)


def _unloaded(source: Source, message: str, error: BaseException | None, file: str) -> _Module:
    at = (places.of_error(error, file) if error else None) or source.at
    return _Module((), at, (UNLOADED.at((), message, help=_WITHOUT).placed(at),))


def _files(source: Source, folder: Path) -> Iterator[_Module]:
    """The modules of a file or of all files in a folder."""
    path = folder / source.name
    if not path.exists():
        yield _unloaded(source, f"there is no {source.name}", None, "")
        return
    for file in _modules(path) if path.is_dir() else [path]:
        loaded = _loaded(source, os.path.relpath(file), partial(modules.imported, file), str(file))
        yield loaded if loaded.findings else loaded._replace(at=places.at(str(file), 1))


def _modules(folder: Path) -> list[Path]:
    """The files with rules in a folder and below it; no tests, and none that begin with ``_``."""
    found = sorted(folder.rglob("*.py"))
    names = ("_", ".", "test_", "conftest.")
    return [p for p in found if not any(s.startswith(names) for s in p.relative_to(folder).parts)]


def _installed(source: Source) -> Iterator[_Module]:
    """The module, or the list of rules, of an entry point."""
    found = _entry_points(source.name)
    if not found:
        message = f"no installed package has an entry point {source.name} in {GROUP}"
        yield _unloaded(source, message, None, "")
        return
    yield _loaded(source, source.name, found[0].load)


def _loaded(source: Source, name: str, load: Callable[[], Any], file: str = "") -> _Module:
    """The rules of a module or of a list; what it prints stays out of reports.

    Its compiled form stays out of the repository.
    """
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        with contextlib.redirect_stdout(sys.stderr):
            content = load()
            values = vars(content).values() if isinstance(content, ModuleType) else [*content]
            return _Module(tuple(each for each in values if isinstance(each, Rule)), source.at)
    except FAILURES as error:
        return _unloaded(source, f"{name}: {describe(error)}", error, file)
    finally:
        sys.dont_write_bytecode = before
