"""The targets: what each must provide, and where it is found.

A target is a package of this one with the same few files: ``__init__`` (its ``TARGET``), ``emit.py``,
``support.py``, ``limits.py``, ``checks.py``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clustergen.artifacts import Bundle
from clustergen.features import Support
from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan, Traits


@dataclass(frozen=True, slots=True)
class Target:
    """A service that a spec can be compiled for."""

    traits: Traits
    title: str
    support: Mapping[str, Support]
    """What it makes of each feature, by feature id."""
    rules: tuple[Rule, ...]
    check: Callable[[Plan], Iterator[Finding]]
    document: Callable[[Plan], dict[str, Any]]
    """The primary document of a plan without errors, before the user's overlay."""
    primary: str
    """Path of the artifact that holds the document."""
    schema: str
    """Name of the schema in ``clustergen/schemas`` that the document must satisfy after the overlay."""
    list_keys: tuple[str, ...]
    """What identifies an item in the document's lists, for merging overlays: ``("Name",)``."""
    emit: Callable[[Plan, dict[str, Any]], Bundle]
    """All files but README.md and the foundation, from a plan and its finished document; pure."""
    steps: Callable[[Plan], Sequence[str]]
    """What to do with the bundle, as Markdown list items of its README."""

    @property
    def name(self) -> str:
        return self.traits.name


_MODULES = {
    "parallelcluster": "clustergen.targets.parallelcluster",
    "pcs": "clustergen.targets.pcs",
}
_ALIASES = {"pcluster": "parallelcluster"}

NAMES = tuple(_MODULES)


def resolve(name: str) -> str | None:
    """The target's own name for a name or alias; None when there is no such target."""
    canonical = _ALIASES.get(name, name)
    return canonical if canonical in _MODULES else None


def load(name: str) -> Target:
    """The target called ``name``; its package is imported only now."""
    target: Target = importlib.import_module(_MODULES[name]).TARGET
    return target
