"""The targets: their interface, and loading them.

A target is a subpackage with the files ``__init__`` (its ``TARGET``), ``options.py``,
``limits.py``, ``support.py``, ``rules/`` and ``emit.py``. :mod:`clustergen.targets.contract` checks
that it is complete.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from clustergen import discovery
from clustergen.artifacts import Bundle
from clustergen.features import Support
from clustergen.findings import Finding, found
from clustergen.plan.limits import Limits
from clustergen.plan.model import Plan, Traits
from clustergen.runbook import Runbook
from clustergen.schemas import Schema
from clustergen.targets import contract

if TYPE_CHECKING:
    from clustergen.cost.model import Line
    from clustergen.cost.pricing import Prices


@dataclass(frozen=True, slots=True)
class Target:
    """A service that a spec can be compiled for."""

    traits: Traits
    title: str
    support: Mapping[str, Support]
    """Support of each feature, by feature id."""
    primary: str
    """Path of the artifact that holds the document."""
    schema: Schema
    """Schema for overlaid documents."""
    emitter: str
    """Module with ``document``, ``emit``, ``steps`` and ``runbook``; imported for a render."""
    joining: str = ""
    """Path of the artifact for nodes that join an existing cluster, if it is not the primary."""
    fee_module: str = ""
    """Module with ``fees``, what the service charges besides its nodes; empty if nothing."""
    rule_packages: tuple[str, ...] = ()
    """Packages with rules about plans for this target."""
    document_rules: str = ""
    """Package with rules about overlaid documents; imported only for specs with an overlay."""

    @property
    def name(self) -> str:
        return self.traits.name

    @property
    def limits(self) -> Limits:
        """The limits of the service."""
        return self.traits.limits

    def check(self, plan: Plan) -> Iterator[Finding]:
        """The findings of this target's rules about ``plan``."""
        for package in self.rule_packages:
            yield from found(discovery.rules(package), plan)

    def fees(self, plan: Plan, at: Prices) -> Iterator[Line]:
        """What the service charges besides nodes, storage and network: lines of a bill."""
        if self.fee_module:
            yield from importlib.import_module(self.fee_module).fees(plan, at)

    def document(self, plan: Plan) -> dict[str, Any]:
        """The primary document of a plan without errors, before the user's overlay."""
        document: dict[str, Any] = self._emitter().document(plan)
        return document

    def document_path(self, plan: Plan) -> str:
        """The path of the artifact that holds the document."""
        joins = self.joining and plan.options.joined
        return self.joining if joins else self.primary

    def emit(self, plan: Plan, document: dict[str, Any]) -> Bundle:
        """All files except README.md and the foundation, from a plan and its final document."""
        bundle: Bundle = self._emitter().emit(plan, document)
        return bundle

    def steps(self, plan: Plan) -> Sequence[str]:
        """The next steps, as Markdown list items for the README of the bundle."""
        steps: Sequence[str] = self._emitter().steps(plan)
        return steps

    def runbook(self, plan: Plan) -> Runbook:
        """The runbook, for the README of the bundle."""
        answers: Runbook = self._emitter().runbook(plan)
        return answers

    def _emitter(self) -> ModuleType:
        emitter = importlib.import_module(self.emitter)
        if missing := [name for name in _EMITTER if not hasattr(emitter, name)]:
            raise contract.IncompleteTarget(
                f"target {self.name}: {self.emitter} has no {', '.join(missing)}"
            )
        return emitter


_EMITTER = ("document", "emit", "steps", "runbook")


_MODULES = {
    "parallelcluster": "clustergen.targets.parallelcluster",
    "pcs": "clustergen.targets.pcs",
    "hyperpod-slurm": "clustergen.targets.hyperpod_slurm",
    "hyperpod-eks": "clustergen.targets.hyperpod_eks",
    "eks": "clustergen.targets.eks",
    "batch": "clustergen.targets.batch",
}
_ALIASES = {
    "aws-batch": "batch",
    "hyperpod": "hyperpod-slurm",
    "pcluster": "parallelcluster",
}

NAMES = tuple(_MODULES)


def package(name: str) -> str:
    """The dotted name of the package of a target."""
    return _MODULES[name]


def register(name: str, module: str) -> None:
    """Make ``module`` the package of the target called ``name``, for the rest of the process."""
    global NAMES  # noqa: PLW0603 all readers look it up here
    _MODULES[name] = module
    NAMES = tuple(_MODULES)


def resolve(name: str) -> str | None:
    """The canonical name for a target's name or alias; None if there is no such target."""
    canonical = _ALIASES.get(name, name)
    return canonical if canonical in _MODULES else None


def supporting(feature: str) -> tuple[str, ...]:
    """The names of the targets that support a feature. Loads all targets."""
    answers = ((name, load(name).support[feature]) for name in NAMES)
    return tuple(name for name, answer in answers if answer.level != "none" and not answer.ignored)


@functools.cache
def load(name: str) -> Target:
    """The target ``name``, whose package is imported on first use.

    :raises IncompleteTarget: if a part of it is missing.
    """
    return contract.verify(name, importlib.import_module(package(name)).TARGET)
