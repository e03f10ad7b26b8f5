"""Loading the custom rules that a project file names."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from clustergen.custom_rules import FAILURES, declarations, describe, places
from clustergen.custom_rules.rules.declarations import FOREIGN, UNLOADED
from clustergen.findings import Finding, Rule, Span

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
    """A loaded module, or what kept it from loading."""

    content: Any
    at: Span
    findings: tuple[Finding, ...] = ()


def load(file: Path, sources: Sequence[Source]) -> tuple[tuple[Rule, ...], list[Finding]]:
    """The rules in ``sources``, which the project file ``file`` names, and findings about them.

    This runs code of the project.
    """
    if sources and _is_foreign(file):
        message = f"{file} belongs to another user, so its custom rules were not loaded"
        help = "run in its folder if you trust it, or check without them: --no-custom-rules"
        return (), [FOREIGN.at((), message, help=help).placed(sources[0].at)]
    findings: list[Finding] = []
    rules: dict[str, Rule] = {}
    _forget()
    for source in sources:
        modules = [*_installed(source)] if source.installed else [*_files(source, file.parent)]
        findings += (finding for module in modules for finding in module.findings)
        declared = [each for module in modules for each in _declared(module)]
        if not declared and not any(module.findings for module in modules):
            message = f"{source.name} declares no rule"
            help = "declare rules in it with @clustergen.rule(...), or remove it"
            findings.append(UNLOADED.at((), message, help=help).placed(source.at))
        for rule, at in declared:
            found = declarations.problem(rule, rules)
            if found:
                findings.append(found.placed(places.of_rule(rule) or at))
            else:
                rules[rule.code] = rule
    return tuple(map(declarations.read, rules.values())), findings


def _is_foreign(file: Path) -> bool:
    """Whether a project file in a folder above belongs to neither this user nor root."""
    if file.parent == Path.cwd() or not hasattr(os, "getuid"):
        return False
    return file.stat().st_uid not in (os.getuid(), _ROOT_USER)


def _declared(module: _Module) -> Iterator[tuple[Rule, Span]]:
    content = module.content
    values = vars(content).values() if isinstance(content, ModuleType) else content
    return ((value, module.at) for value in values if isinstance(value, Rule))


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
        try:
            with _quietly():
                module = _imported(file)
            yield _Module(module, places.at(str(file), 1))
        except FAILURES as error:
            yield _unloaded(source, f"{_shown(file)}: {describe(error)}", error, str(file))


def _modules(folder: Path) -> list[Path]:
    """The files with rules in a folder and below it; no tests, and none that begin with ``_``."""
    found = sorted(folder.rglob("*.py"))
    names = ("_", ".", "test_", "conftest.")
    return [p for p in found if not any(s.startswith(names) for s in p.relative_to(folder).parts)]


def _imported(file: Path) -> ModuleType:
    """The module in ``file``, in a package of its folder, so that it can import its neighbours."""
    package = _package(file.parent)
    name = f"{package}.{file.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError("a file of rules is a Python file, NAME.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


_PREFIX = "_clustergen_rules_"


def _package(folder: Path) -> str:
    """The name of a package for the modules of ``folder``."""
    name = f"{_PREFIX}{zlib.crc32(str(folder.resolve()).encode()):08x}"
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def _forget() -> None:
    """Forget modules of an earlier load, whose files may have changed."""
    for name in [name for name in sys.modules if name.startswith(_PREFIX)]:
        del sys.modules[name]


def _installed(source: Source) -> Iterator[_Module]:
    """The module, or the list of rules, of an entry point."""
    from importlib.metadata import entry_points  # slow, and few projects have any

    found = [*entry_points(group=GROUP, name=source.name)]
    if not found:
        message = f"no installed package has an entry point {source.name} in {GROUP}"
        yield _unloaded(source, message, None, "")
        return
    try:
        with _quietly():
            loaded = found[0].load()
            content = loaded if isinstance(loaded, ModuleType) else [*loaded]
        yield _Module(content, source.at)
    except FAILURES as error:
        yield _unloaded(source, f"{source.name}: {describe(error)}", error, "")


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep what modules print out of reports, and their compiled form out of the repository."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.dont_write_bytecode = before


def _shown(file: Path) -> str:
    return os.path.relpath(file)
