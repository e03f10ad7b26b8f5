"""Finding the rules of a ``rules`` package.

Rules are not listed anywhere. Every module of a ``rules`` package declares at least one, with
:func:`clustergen.findings.rule`. A module without any is a mistake, and loading it says so.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from clustergen.findings import Rule

_ROOT = Path(__file__).parent


@functools.cache
def rules(package: str) -> tuple[Rule, ...]:
    """The rules in the modules of ``package``, without those of packages inside it.

    They come in the order of the modules' names and, within a module, as declared.

    :raises TypeError: when a module declares no rule.
    """
    return tuple(rule for module in _modules(package) for rule in _declared(module))


@functools.cache
def rules_below(package: str) -> tuple[Rule, ...]:
    """The rules of ``package`` and of all packages inside it."""
    inner = (info.name for info in pkgutil.iter_modules(_path(package)) if info.ispkg)
    nested = (rules_below(f"{package}.{name}") for name in sorted(inner))
    return (*rules(package), *(rule for found in nested for rule in found))


def packages() -> tuple[str, ...]:
    """Every package called ``rules``, wherever it lies."""
    folders = (path.parent for path in _ROOT.rglob("rules/__init__.py"))
    return tuple(sorted(".".join((_ROOT.name, *f.relative_to(_ROOT).parts)) for f in folders))


def _modules(package: str) -> Iterator[ModuleType]:
    for info in sorted(pkgutil.iter_modules(_path(package)), key=lambda info: info.name):
        if not info.ispkg:
            yield importlib.import_module(f"{package}.{info.name}")


def _path(package: str) -> list[str]:
    return list(importlib.import_module(package).__path__)


def _declared(module: ModuleType) -> tuple[Rule, ...]:
    found = tuple(value for value in vars(module).values() if isinstance(value, Rule))
    if not found:
        raise TypeError(f"{module.__name__} stands in a rules package and declares no rule")
    return found
