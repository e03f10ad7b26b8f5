"""SageMaker HyperPod with EKS: the templates of `render`, and the lifecycle scripts.

A new EKS cluster is a separate stack before the cluster, and HyperPod's add-ons are one after it.
Between the two, HyperPod's chart must be installed, as README.md explains. Task governance quotas
are the last stack, in regions with the resource types; elsewhere govern.sh creates them.
"""

from __future__ import annotations

import json
from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.hyperpod.cloudformation import CLUSTER
from clustergen.targets.hyperpod_eks import addons, charts, governance
from clustergen.targets.hyperpod_eks.emit import EKS_TEMPLATE

from . import acknowledged, template
from .hyperpod_slurm import HyperPodStack
from .rendered import RenderedCluster


class TemplateStack(cdk.Stack):
    """A template of the bundle; its outputs are exported with the stack's name."""

    def __init__(
        self, scope: Construct, id: str, text: str, imports: dict[str, str], **props: Any
    ) -> None:
        super().__init__(scope, id, **props)
        document = json.loads(text)
        self.exports = {name: f"{id}-{name}" for name in document.get("Outputs", ())}
        """Output name -> export name."""
        self.resources = template.fill(
            self, document, imports=imports, export=self.exports.__getitem__
        )


class GovernanceStack(TemplateStack):
    """Priorities and quotas of HyperPod task governance."""

    def __init__(
        self, scope: Construct, id: str, text: str, imports: dict[str, str], **props: Any
    ) -> None:
        super().__init__(scope, id, text, imports, **props)
        acknowledged.acknowledge(self, acknowledged.TASK_GOVERNANCE)


class HyperPodEksStack(HyperPodStack):
    """The HyperPod cluster, whose nodes join the EKS cluster of the previous stack."""

    def __init__(
        self, scope: Construct, rendered: RenderedCluster, eks: TemplateStack, **props: Any
    ) -> None:
        super().__init__(scope, rendered, {**rendered.imports, **eks.exports}, **props)
        # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-install-packages-using-helm-chart.html
        cdk.Annotations.of(self).add_info(
            f"HyperPod's chart has to be in the EKS cluster before this stack: deploy "
            f"{eks.stack_name}, run ./{charts.INSTALL} of the rendered bundle, then deploy the rest"
        )
        name = rendered.plan.stack(governance.CLUSTER)
        self.export_value(self.resources[CLUSTER].get_att("ClusterArn"), name=name)
        self.exports = {governance.CLUSTER: name}


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    plan, files = rendered.plan, rendered.files
    if EKS_TEMPLATE not in files:
        return [HyperPodStack(scope, rendered, rendered.imports, **props)]
    eks = TemplateStack(scope, plan.stack("eks"), files[EKS_TEMPLATE], rendered.imports, **props)
    acknowledged.eks(eks, plan)
    cluster = HyperPodEksStack(scope, rendered, eks, **props)
    imports = {**rendered.imports, **eks.exports, **cluster.exports}
    later = {
        "addons": (TemplateStack, addons.TEMPLATE),
        "governance": (GovernanceStack, governance.TEMPLATE),
    }
    return [
        eks,
        cluster,
        *(
            kind(scope, plan.stack(stack), files[path], imports, **props)
            for stack, (kind, path) in later.items()
            if path in files
        ),
    ]
