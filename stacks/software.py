"""Software in the cluster as resources of the stack, for `targets.eks.install: stack`.

A Lambda function in the cluster's subnets runs kubectl and helm, so the API needs no public
endpoint. It installs the same charts, values and manifests as deploy.sh.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import aws_cdk as cdk
import yaml
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks_v2 as eks
from aws_cdk import aws_lambda as lambda_
from constructs import Construct, IConstruct

from clustergen.base.artifacts import Artifact
from clustergen.base.documents import change_texts
from clustergen.base.patterns import pattern
from clustergen.bundle.effects.manifests import KEPT
from clustergen.commands.app import kernel
from clustergen.plan.model import Id, Plan, Ref
from clustergen.services.aws import cfn
from clustergen.services.eks import control_plane
from clustergen.services.eks.system_nodes import SYSTEM_NODES
from clustergen.services.kubernetes import bundle
from clustergen.services.kubernetes.charts import Component
from clustergen.services.kubernetes.components import components

from . import template

_ADDON = "AWS::EKS::Addon"
_PLACEHOLDER = pattern(r"\$\{([A-Za-z0-9]+)\}")


class Software(Construct):
    """Charts and manifests in sequence, and the function that applies them."""

    provider: eks.KubectlProvider
    steps: tuple[IConstruct, ...]
    """In order of installation."""

    def __init__(
        self,
        scope: cdk.Stack,
        id: str,
        *,
        plan: Plan,
        resources: Mapping[str, cdk.CfnResource],
        value: Callable[[str], str],
    ) -> None:
        """``resources`` are the cluster's; ``value`` has the values of placeholders by name."""
        super().__init__(scope, id)
        # Its roles have policies with the partition as a reference, as all other roles do.
        self.node.set_context("@aws-cdk/core:enablePartitionLiterals", False)
        self._value = value
        cluster = resources[control_plane.CLUSTER]
        self.provider = _provider(self, plan, cluster, value)
        self._usable = eks.Cluster.from_cluster_attributes(
            self, "Usable", cluster_name=cluster.ref, kubectl_provider=self.provider
        )
        if self.provider.role is None:
            raise TypeError("a provider that is made here has a role")
        admin = control_plane.admin(plan, self.provider.role.role_arn)
        entry = template.add(scope, "ClusterSoftwareAdmin", admin)
        self.steps = tuple(self._steps(plan))
        for earlier, later in zip((entry, *self.steps), self.steps, strict=False):
            later.node.add_dependency(earlier)
        addons = [each for each in resources.values() if each.cfn_resource_type == _ADDON]
        self.steps[0].node.add_dependency(resources[SYSTEM_NODES], *addons)
        _name_resources(self)

    def _steps(self, plan: Plan) -> Iterator[IConstruct]:
        early, late = bundle.split(plan)
        yield from map(self._manifest, early)
        yield from map(self._chart, components(plan))
        yield from map(self._manifest, late)

    def _manifest(self, artifact: Artifact) -> eks.KubernetesManifest:
        objects = [self._filled(each) for each in yaml.safe_load_all(artifact.text)]
        name = artifact.path.rpartition("/")[2].removesuffix(".yaml")
        # With these objects go those that users have made in them.
        kept = any(each["kind"] in KEPT for each in objects)
        made = eks.KubernetesManifest(
            self,
            f"manifest-{name}",
            cluster=self._usable,
            manifest=objects,
            overwrite=True,
            prune=not kept,
        )
        if kept:
            _of_manifest(made).apply_removal_policy(cdk.RemovalPolicy.RETAIN)
        return made

    def _chart(self, component: Component) -> eks.HelmChart:
        chart = component.chart
        by_address = chart.reference.startswith("oci://")
        return eks.HelmChart(
            self,
            f"chart-{chart.name}",
            cluster=self._usable,
            chart=chart.reference.rpartition("/")[2],
            repository=chart.reference if by_address else chart.repository,
            release=chart.name,
            version=chart.version,
            namespace=chart.namespace,
            create_namespace=True,
            values=self._filled(component.values),
            wait=chart.ready,
            timeout=cdk.Duration.minutes(10),
        )

    def _filled(self, value: Any) -> Any:
        """A document with placeholders replaced by values of the stacks."""
        return change_texts(
            value, lambda text: _PLACEHOLDER.sub(lambda found: self._value(found[1]), text)
        )


def _of_manifest(made: eks.KubernetesManifest) -> cdk.CfnResource:
    """The resource that applies the objects, and deletes them when it leaves the stack."""
    found = made.node.find_child("Resource").node.default_child
    if not isinstance(found, cdk.CfnResource):
        raise TypeError("a manifest has a custom resource")
    return found


def _provider(
    scope: Construct, plan: Plan, cluster: cdk.CfnResource, value: Callable[[str], str]
) -> eks.KubectlProvider:
    def given(id: Id | None) -> str:
        return value(id.name) if isinstance(id, Ref) else str(id)

    network = plan.network
    # Subnets have ids, so that nothing is looked up by zone.
    zones = [subnet.zone or "" for subnet in network.system]
    vpc = ec2.Vpc.from_vpc_attributes(
        scope, "Vpc", vpc_id=given(network.vpc), availability_zones=zones
    )
    group = cluster.get_att("ClusterSecurityGroupId").to_string()
    return eks.KubectlProvider(
        scope,
        "Kubectl",
        cluster=eks.Cluster.from_cluster_attributes(
            scope, "Cluster", cluster_name=cluster.ref, vpc=vpc
        ),
        kubectl_layer=_layer(scope),
        private_subnets=[
            ec2.Subnet.from_subnet_id(scope, f"Subnet{number}", given(subnet.id))
            for number, subnet in enumerate(network.system, 1)
        ],
        security_groups=[
            ec2.SecurityGroup.from_security_group_id(scope, "SecurityGroup", group, mutable=False)
        ],
    )


def _layer(scope: Construct) -> lambda_.ILayerVersion:
    """kubectl and helm. kubectl supports the next older and newer minor versions of the API server.

    https://kubernetes.io/releases/version-skew-policy/#kubectl
    """
    with kernel.installed("kubectl"):
        from aws_cdk.lambda_layer_kubectl_v35 import KubectlV35Layer

        return KubectlV35Layer(scope, "Tools")


def _name_resources(scope: Construct) -> None:
    """Give every resource in ``scope`` a logical id made of its path, without a hash.

    With another id, an update of the stack would delete what a chart or manifest has made.
    """
    root = f"{cdk.Stack.of(scope).node.path}/"
    for construct in scope.node.find_all():
        if isinstance(construct, cdk.CfnResource):
            parts = construct.node.path.removeprefix(root).split("/")
            # By CDK convention, such a child is the main resource of its parent.
            named = (part for part in parts if part not in ("Resource", "Default"))
            construct.override_logical_id(cfn.logical_id(*named))
