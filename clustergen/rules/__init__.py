"""Cross-target rules: one small module each, found by itself.

A rule module has ``RULES`` (or ``RULE``), what its findings mean, and ``check``, which looks at a
plan and yields them.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan


@functools.cache
def modules() -> tuple[ModuleType, ...]:
    """Every rule module, in the order of their names."""
    packages = pkgutil.walk_packages(__path__, f"{__name__}.")
    names = sorted(info.name for info in packages if not info.ispkg)
    found = (importlib.import_module(name) for name in names)
    return tuple(module for module in found if hasattr(module, "check"))


def rules() -> Iterator[Rule]:
    """What the findings of this package mean."""
    for module in modules():
        yield from module.RULES if hasattr(module, "RULES") else (module.RULE,)


def check(plan: Plan) -> Iterator[Finding]:
    """The findings of every rule."""
    for module in modules():
        yield from module.check(plan)
