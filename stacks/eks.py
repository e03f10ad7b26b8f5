"""Amazon EKS: the construct of the whole cluster in a stack, with inputs from the foundation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen import targets
from clustergen.cdk.inputs import Imports
from clustergen.cdk.stack import ClusterStack
from clustergen.cdk.synth import FLAGS
from clustergen.kubernetes import karpenter
from clustergen.kubernetes.bundle import filled
from clustergen.plan.model import Plan
from clustergen.targets.eks import sizes
from clustergen.targets.eks.cluster import EksCluster
from clustergen.targets.eks.options import Options
from clustergen.targets.eks.synth import description

from . import acknowledged, overlaid
from .rendered import RenderedCluster


class EksStack(ClusterStack):
    """The cluster; `cluster` has its parts, for subclasses."""

    def __init__(self, scope: Construct, rendered: RenderedCluster, **props: Any) -> None:
        plan = rendered.plan
        super().__init__(
            scope,
            rendered.stack_name,
            plan=plan,
            description=description(plan),
            env=props.get("env"),
        )
        for key, value in (props.get("tags") or {}).items():
            self.add_stack_tag(key, value)
        for flag, on in FLAGS.items():
            self.node.set_context(flag, on)
        self.cluster = EksCluster(
            self,
            "Default",
            plan=plan,
            inputs=Imports(rendered.imports),
            software=plan.options_as(Options).by_stack,
        )
        self._output_next_step()
        acknowledged.eks(self.cluster)
        if plan.overlay:
            before = targets.load(rendered.target).document(plan)
            overlaid.apply(self, before, rendered.document, rendered.imports)

    def _output_next_step(self) -> None:
        """Output the remaining steps, and who can do them."""
        plan = self.cluster.plan
        steps = list(_next_steps(plan))
        if steps:
            cdk.CfnOutput(
                self,
                "NextStep",
                value="; then ".join(steps),
                description="What brings software and nodes into the cluster",
            )
        if not plan.options_as(Options).by_stack and not plan.kubernetes.admins:
            cdk.Annotations.of(self).add_warning_v2(
                "clustergen:admins",
                "CloudFormation's role for the CDK creates the cluster; nobody else can use it: "
                "name your role in kubernetes.admins, or write targets.eks.install: stack.",
            )
        if karpenter.is_on(plan):
            self._tell_how_to_destroy()

    def _tell_how_to_destroy(self) -> None:
        """Nodes of Karpenter are in no stack: without its node pools it ends them, and alone."""
        command = karpenter.END_NODES
        cdk.CfnOutput(
            self,
            "BeforeDestroy",
            value=command,
            description="Ends the instances of Karpenter, which otherwise outlive the cluster",
        )
        cdk.Annotations.of(self).add_warning_v2(
            "clustergen:karpenter",
            f"Before `cdk destroy`, run `{command}`: no stack has the instances that Karpenter "
            "started, and without the cluster nothing ends them.",
        )


def _next_steps(plan: Plan) -> Iterator[str]:
    if not plan.options_as(Options).by_stack:
        yield f"aws eks update-kubeconfig --region {plan.region} --name {plan.name}"
        yield f"in the rendered bundle, ./install.sh{_outputs(plan)}"
    groups = [group for group in plan.node_groups if not karpenter.is_karpenter(plan, group)]
    if groups:
        yield sizes.command(plan, groups)


def _outputs(plan: Plan) -> str:
    """The option of install.sh where its files have values of the stacks."""
    return " --outputs FILE, which cdk deploy --outputs-file FILE writes" if filled(plan) else ""


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [EksStack(scope, rendered, **props)]
