"""The input of the stacks: a cluster's plan, and the files that `render` writes for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clustergen import foundation
from clustergen.plan.model import Plan

TEMPLATE = "cluster.template.json"


@dataclass(frozen=True, slots=True)
class RenderedCluster:
    """One spec, rendered for one target."""

    plan: Plan
    target: str
    document: dict[str, Any]
    """The target's own document, with the user's overlay."""
    files: Mapping[str, str]
    """Every file of the bundle: path to text."""
    settings: Mapping[str, str]
    """Further context values of the command line, by name."""

    @property
    def stack_name(self) -> str:
        """The cluster's stack, called as ``deploy.sh`` calls it.

        Never the name of the cluster alone: ParallelCluster takes that for a stack of its own.
        """
        return f"{self.plan.name}-{self.target}"

    @property
    def foundation_name(self) -> str:
        """The stack that outlives clusters, called as ``deploy.sh`` calls it."""
        return f"{self.plan.name}-foundation"

    @property
    def foundation(self) -> dict[str, Any] | None:
        """The template of the foundation; None where everything exists already."""
        text = self.files.get(foundation.PATH)
        return None if text is None else dict(json.loads(text))

    @property
    def template(self) -> dict[str, Any]:
        """The template of the cluster, for targets that have one."""
        return dict(json.loads(self.files[TEMPLATE]))

    @property
    def imports(self) -> dict[str, str]:
        """What the foundation gives: name of an output to the name under which it is exported."""
        return {name: self.export_name(name) for name in (self.foundation or {}).get("Outputs", ())}

    def export_name(self, output: str) -> str:
        """The name of an output among the exports of the account and region."""
        return f"{self.foundation_name}-{output}"
