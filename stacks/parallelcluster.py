"""AWS ParallelCluster, through its own CloudFormation custom resource.

https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudformation-v3.html
"""

from collections.abc import Iterator
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from clustergen.base.documents import change_texts, leaves
from clustergen.services.slurm import collecting
from clustergen.targets.parallelcluster import actions
from clustergen.targets.parallelcluster.limits import VERSION

from . import acknowledged, scripts
from .rendered import RenderedCluster

# One template for each region; it creates the function that runs ParallelCluster, and its role.
PROVIDER = (
    "https://${AWS::Region}-aws-parallelcluster.s3.${AWS::Region}.${AWS::URLSuffix}"
    f"/parallelcluster/{VERSION}/templates/custom_resource/cluster.yaml"
)


class ParallelClusterStack(cdk.Stack):
    """The provider and the cluster; ParallelCluster creates a stack with the cluster's name."""

    def __init__(self, scope: Construct, rendered: RenderedCluster, **props: Any) -> None:
        super().__init__(scope, rendered.stack_name, **props)
        self.provider = self._provider(rendered)
        earlier = scripts.upload(self, uploads(rendered), rendered.imports)
        token = self.provider.get_att("Outputs.ServiceToken")
        self.cluster = cdk.CfnResource(
            self,
            "Cluster",
            type="Custom::PclusterCluster",
            properties={"ServiceToken": token, **properties(rendered)},
        )
        self.cluster.node.add_dependency(earlier)
        self._outputs()

    def _provider(self, rendered: RenderedCluster) -> cdk.CfnStack:
        """The provider, with a new role or the one in `-c provider_role=ARN`."""
        if role := rendered.settings.get("provider_role"):
            parameters = {"CustomLambdaRole": role}
        else:
            parameters = {"AdditionalIamPolicies": _policy(self, rendered).managed_policy_arn}
        url = cdk.Fn.sub(PROVIDER)
        return cdk.CfnStack(self, "Provider", template_url=url, parameters=parameters)

    def _outputs(self) -> None:
        for name, attribute, description in (
            ("HeadNodeInstanceId", "headNode.instanceId", "Instance of the head node"),
            ("HeadNodeAddress", "headNode.privateIpAddress", "Address of the head node"),
            ("ValidationMessages", "validationMessages", "What ParallelCluster had to say"),
        ):
            value = self.cluster.get_att(attribute).to_string()
            cdk.CfnOutput(self, name, value=value, description=description)


def properties(rendered: RenderedCluster) -> dict[str, Any]:
    """The properties of the custom resource: the name, and cluster.yaml with imported values."""
    imports = rendered.imports
    document = change_texts(rendered.document, lambda text: scripts.filled(text, imports))
    return {"ClusterName": rendered.plan.name, "ClusterConfiguration": document}


def uploads(rendered: RenderedCluster) -> dict[str, str]:
    """Key in the scripts bucket -> text; keys for head and login nodes are fixed."""
    plan, made = rendered.plan, scripts.of_bundle(rendered)
    made[actions.current_key(plan)] = actions.hook(plan).text
    if text := collecting.workspace_file(plan):
        made[actions.workspace_key(plan)] = text
    return made


def _policy(scope: Construct, rendered: RenderedCluster) -> iam.ManagedPolicy:
    """Additional permissions of the provider's role for this cluster.

    By default, it can attach only policies of ParallelCluster, and cannot read user buckets:
    https://github.com/aws/aws-parallelcluster/blob/develop/cloudformation/policies/parallelcluster-policies.yaml
    """
    made = iam.ManagedPolicy(
        scope,
        "ProviderPolicy",
        description=f"What ParallelCluster may do for {rendered.plan.name}",
        statements=list(_statements(rendered)),
    )
    acknowledged.provider_policy(made)
    return made


def _statements(rendered: RenderedCluster) -> Iterator[iam.PolicyStatement]:
    values = ((path[-1], value) for path, value in leaves(rendered.document))
    texts = [(key, value) for key, value in values if isinstance(value, str)]
    scripts_of_nodes = (text for key, text in texts if key == "Script" and text.startswith("s3://"))
    objects = {text.removeprefix("s3://") for text in scripts_of_nodes}
    yield iam.PolicyStatement(
        sid="Scripts",
        actions=["s3:GetObject"],
        resources=[_arn(f"s3:::{path}", rendered) for path in sorted(objects)]
        or [_arn("s3:::${ScriptsBucketName}/*", rendered)],
    )
    if policies := sorted({text for key, text in texts if key == "Policy"}):
        roles = "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/parallelcluster/*"
        arns = [scripts.filled(arn, rendered.imports) for arn in policies]
        yield iam.PolicyStatement(
            sid="Policies",
            actions=["iam:AttachRolePolicy", "iam:DetachRolePolicy"],
            resources=[cdk.Fn.sub(roles)],
            conditions={"ArnEquals": {"iam:PolicyARN": arns}},
        )
    if secrets := sorted({text for key, text in texts if key == "PasswordSecretArn"}):
        yield iam.PolicyStatement(
            sid="Secrets", actions=["secretsmanager:DescribeSecret"], resources=secrets
        )


def _arn(rest: str, rendered: RenderedCluster) -> str:
    return f"arn:{cdk.Aws.PARTITION}:{scripts.filled(rest, rendered.imports)}"


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [ParallelClusterStack(scope, rendered, **props)]
