"""The input of stacks: a cluster's plan, and its rendered files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clustergen.deployment import model, reading
from clustergen.deployment.model import Bundle
from clustergen.plan.model import Plan
from clustergen.services import foundation

TEMPLATE = "cluster.template.json"


@dataclass(frozen=True, slots=True)
class RenderedCluster:
    """One spec, rendered for one target."""

    plan: Plan
    target: str
    document: dict[str, Any]
    """The target's own document, with the user's overlay."""
    files: Mapping[str, str]
    """All files of the bundle: path -> text."""
    settings: Mapping[str, str]
    """Additional context values of the command line, by name."""

    @property
    def stack_name(self) -> str:
        """The name of the cluster's stack, as in ``deploy.sh``.

        Never just the name of the cluster: ParallelCluster uses that for its own stack.
        """
        return self.plan.stack(self.target)

    @property
    def foundation_name(self) -> str:
        """The name of the foundation's stack, as in ``deploy.sh``."""
        return self.plan.stack("foundation")

    @property
    def bundle(self) -> Bundle:
        """What the bundle says of its deployment."""
        return reading.parsed(self.files[model.PATH])

    @property
    def foundation(self) -> dict[str, Any] | None:
        """The template of the foundation; None if everything exists already."""
        text = self.files.get(foundation.PATH)
        return None if text is None else dict(json.loads(text))

    @property
    def template(self) -> dict[str, Any]:
        """The template of the cluster, for targets with one."""
        return dict(json.loads(self.files[TEMPLATE]))

    @property
    def imports(self) -> dict[str, str]:
        """Outputs of the foundation: output name -> export name."""
        return {name: self.export_name(name) for name in (self.foundation or {}).get("Outputs", ())}

    def export_name(self, output: str) -> str:
        """The export name of an output, unique in the account and region."""
        return f"{self.foundation_name}-{output}"
