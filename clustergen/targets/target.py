"""What a target consists of."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from clustergen.base import discovery
from clustergen.base.artifacts import Bundle
from clustergen.base.findings import Finding, found
from clustergen.deployment.model import OfTarget
from clustergen.facts.schemas import Schema
from clustergen.plan.features import Support
from clustergen.plan.limits import Limits
from clustergen.plan.model import Plan, Traits

if TYPE_CHECKING:
    from clustergen.services.cost.model import Line
    from clustergen.services.cost.pricing import Prices

_EMITTER = ("deployment", "document", "emit", "values")


class IncompleteTarget(TypeError):
    """An incomplete target; the message names the missing part in one sentence."""


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
    """Module with ``deployment``, ``document``, ``emit``, ``values``; imported for a render."""
    page: str = "readme/page.md.j2"
    """The template of its README, which fills the blocks of the default."""
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

    def attempt(self, plan: Plan, *, flawed: bool) -> dict[str, Any] | None:
        """:meth:`document`; None if it fails for a plan that is ``flawed``, thus has errors.

        Emitters rely on what the rules hold.
        """
        try:
            return self.document(plan)
        except Exception:
            if flawed:
                return None
            raise

    def document_path(self, plan: Plan) -> str:
        """The path of the artifact that holds the document."""
        joins = self.joining and plan.existing.cluster
        return self.joining if joins else self.primary

    def emit(self, plan: Plan, document: dict[str, Any]) -> Bundle:
        """All files except README.md and the foundation, from a plan and its final document."""
        bundle: Bundle = self._emitter().emit(plan, document)
        return bundle

    def deployment(self, plan: Plan, document: dict[str, Any]) -> OfTarget:
        """What ``bundle.json`` says of the target, from a plan and its final document."""
        found: OfTarget = self._emitter().deployment(plan, document)
        return found

    def values(self, plan: Plan) -> Mapping[str, Any]:
        """The values of its :attr:`page`."""
        values: Mapping[str, Any] = self._emitter().values(plan)
        return values

    def _emitter(self) -> ModuleType:
        emitter = importlib.import_module(self.emitter)
        if missing := [name for name in _EMITTER if not hasattr(emitter, name)]:
            raise IncompleteTarget(
                f"target {self.name}: {self.emitter} has no {', '.join(missing)}"
            )
        return emitter
