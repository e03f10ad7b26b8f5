"""Rules that hold for every target: one module for each concern, discovered automatically."""

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
    return tuple(importlib.import_module(name) for name in names)


def rules() -> Iterator[Rule]:
    """What the findings of this package mean."""
    for module in modules():
        yield from (value for value in vars(module).values() if isinstance(value, Rule))


def check(plan: Plan) -> Iterator[Finding]:
    """The findings of every rule."""
    for module in modules():
        if hasattr(module, "check"):
            yield from module.check(plan)
        else:
            for value in vars(module).values():
                if isinstance(value, Rule):
                    yield from value.find(plan)
