"""Amazon EKS: the template of `render`, and charts and manifests if the stack installs them."""

from collections.abc import Iterator
from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.plan.model import Plan
from clustergen.services.kubernetes import karpenter
from clustergen.targets.eks import size_parameters
from clustergen.targets.eks.cluster import managed
from clustergen.targets.eks.options import Options

from . import acknowledged, template
from .rendered import RenderedCluster


class EksStack(template.TemplateStack):
    """The cluster with its nodes and add-ons."""

    def __init__(self, scope: Construct, rendered: RenderedCluster, **props: Any) -> None:
        name, document, imports = rendered.stack_name, rendered.template, rendered.imports
        super().__init__(scope, name, document, imports=imports, **props)
        self.plan = rendered.plan
        acknowledged.eks(self, self.plan)
        if self.plan.options_as(Options).by_stack:
            self._install_software(rendered)
        self._output_next_step()

    def _install_software(self, rendered: RenderedCluster) -> None:
        from .software import Software  # loads further parts of the CDK

        outputs = rendered.template["Outputs"]

        def value(name: str) -> str:
            """The value of a placeholder: an output of this stack, or of the foundation's."""
            if name in outputs:
                return cdk.Token.as_string(outputs[name]["Value"])
            return cdk.Fn.import_value(rendered.imports[name])

        self.software = Software(
            self, "Software", plan=self.plan, resources=self.resources, value=value
        )
        acknowledged.kubectl(self.software)

    def _output_next_step(self) -> None:
        """Output the remaining steps, and who can do them."""
        plan = self.plan
        if steps := "; then ".join(_next_steps(plan)):
            what = "What brings software and nodes into the cluster"
            cdk.CfnOutput(self, "NextStep", value=steps, description=what)
        if plan.creates_cluster and not plan.kubernetes.admins:
            cdk.Annotations.of(self).add_warning_v2(
                "clustergen:admins",
                "CloudFormation's role for the CDK creates the cluster; nobody else can use it: "
                "name your role in kubernetes.admins.",
            )
        if karpenter.is_on(plan):
            # Its nodes are in no stack: without its node pools it ends them, and alone.
            command = karpenter.end_nodes(plan)
            what = "Ends the instances of Karpenter, which otherwise outlive the cluster"
            cdk.CfnOutput(self, "BeforeDestroy", value=command, description=what)
            cdk.Annotations.of(self).add_warning_v2(
                "clustergen:karpenter",
                f"Before `cdk destroy`, run `{command}`: no stack has the instances that Karpenter "
                "started, and without the cluster nothing ends them.",
            )


def _next_steps(plan: Plan) -> Iterator[str]:
    if not plan.options_as(Options).by_stack:
        yield "./deploy.sh --install in the rendered bundle"
    if command := size_parameters.command(plan, managed(plan)):
        yield command
    if present := size_parameters.present(plan, managed(plan)):
        yield f"with each cdk deploy, pass the present sizes of groups with dates: {present}"


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [EksStack(scope, rendered, **props)]
