"""SageMaker HyperPod with EKS: the templates of `render`, and the lifecycle scripts.

A new EKS cluster is a stack of its own before the cluster, and HyperPod's add-ons one after it.
"""

from __future__ import annotations

import json
from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.cdk import template
from clustergen.cdk.compiled import Compiled
from clustergen.targets.hyperpod_eks import addons
from clustergen.targets.hyperpod_eks.emit import EKS_TEMPLATE
from stacks.hyperpod_slurm import HyperPodStack


class TemplateStack(cdk.Stack):
    """A template of the bundle; what it makes is exported under the stack's name."""

    def __init__(
        self, scope: Construct, id: str, text: str, imports: dict[str, str], **props: Any
    ) -> None:
        super().__init__(scope, id, **props)
        document = json.loads(text)
        self.exports = {name: f"{id}-{name}" for name in document.get("Outputs", ())}
        """Name of an output -> name under which it is exported."""
        self.resources = template.fill(
            self, document, imports=imports, export=self.exports.__getitem__
        )


def stacks(scope: Construct, compiled: Compiled, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    name, files = compiled.plan.name, compiled.files
    if EKS_TEMPLATE not in files:
        return [HyperPodStack(scope, compiled, compiled.imports, **props)]
    eks = TemplateStack(scope, f"{name}-eks", files[EKS_TEMPLATE], compiled.imports, **props)
    imports = {**compiled.imports, **eks.exports}
    made = [eks, HyperPodStack(scope, compiled, imports, **props)]
    if addons.TEMPLATE in files:
        text = files[addons.TEMPLATE]
        made.append(TemplateStack(scope, f"{name}-addons", text, imports, **props))
    return made
