"""Finding the rules of a ``rules`` package.

Rules are not listed anywhere. Every module of a ``rules`` package declares at least one, with
:func:`clustergen.base.findings.rule`. Loading fails for a module without a rule, and for a code
that is declared twice.
"""

import functools
import importlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from clustergen.base.findings import Rule

_ROOT = Path(__file__).parents[1]


@functools.cache
def rules(package: str) -> tuple[Rule, ...]:
    """The rules in the modules of ``package``, without those of packages inside it.

    Sorted by module name and, within a module, in order of declaration.

    :raises TypeError: if a module declares no rule, or two rules have the same code.
    """
    return _distinct(rule for module in _modules(package) for rule in _declared(module))


@functools.cache
def rules_below(package: str) -> tuple[Rule, ...]:
    """The rules of ``package`` and of all packages inside it.

    :raises TypeError: if a module declares no rule, or two rules have the same code.
    """
    folders = (path.parent.name for path in _folder(package).glob("*/__init__.py"))
    nested = (rules_below(f"{package}.{name}") for name in sorted(folders))
    return _distinct((*rules(package), *(rule for found in nested for rule in found)))


def every(root: Path = _ROOT) -> tuple[Rule, ...]:
    """The rules of every package called ``rules`` in the package at ``root``.

    :raises TypeError: if a module declares no rule, or two rules have the same code.
    """
    folders = (path.parent.relative_to(root) for path in sorted(root.rglob("rules/__init__.py")))
    packages = (".".join((root.name, *folder.parts)) for folder in folders)
    return _distinct(rule for package in packages for rule in rules_below(package))


def with_code(code: str, root: Path = _ROOT) -> Rule | None:
    """The rule of the package at ``root`` that has ``code``, without an import of the others."""
    for path in sorted(root.rglob("rules/**/*.py")):
        if path.name != "__init__.py" and f'"{code}"' in path.read_text(encoding="utf-8"):
            name = ".".join((root.name, *path.relative_to(root).with_suffix("").parts))
            for rule in _declared(importlib.import_module(name)):
                if rule.code == code:
                    return rule
    return None


def _modules(package: str) -> Iterator[ModuleType]:
    # Every check does this, and listing the folder is several times as fast as pkgutil.
    for name in sorted(os.listdir(_folder(package))):
        if name.endswith(".py") and name != "__init__.py":
            yield importlib.import_module(f"{package}.{name.removesuffix('.py')}")


def _folder(package: str) -> Path:
    return Path(importlib.import_module(package).__path__[0])


def _declared(module: ModuleType) -> tuple[Rule, ...]:
    found = tuple(value for value in vars(module).values() if isinstance(value, Rule))
    if not found:
        raise TypeError(f"{module.__name__} is in a rules package and declares no rule")
    return found


def _distinct(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    found: dict[str, Rule] = {}
    for rule in rules:
        if rule.code in found:
            titles = f"{found[rule.code].title!r} and {rule.title!r}"
            raise TypeError(f"two rules have the code {rule.code}: {titles}")
        found[rule.code] = rule
    return tuple(found.values())
