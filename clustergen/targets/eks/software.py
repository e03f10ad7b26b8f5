"""Software in the cluster as resources of the stack, for `targets.eks.install: stack`.

A Lambda function in the cluster's subnets runs kubectl and helm, so the API needs no public
endpoint. It installs the same charts, values and manifests as install.sh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import aws_cdk as cdk
import yaml
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks_v2 as eks
from aws_cdk import aws_lambda as lambda_
from constructs import Construct, IConstruct

from clustergen.artifacts import Artifact
from clustergen.cdk import kernel
from clustergen.cdk.inputs import Inputs
from clustergen.eks.control_plane import ControlPlane
from clustergen.kubernetes import bundle
from clustergen.kubernetes.charts import Component
from clustergen.kubernetes.components import components
from clustergen.patterns import pattern
from clustergen.plan.model import Plan, Ref

_PLACEHOLDER = pattern(r"\$\{([A-Za-z0-9]+)\}")


class Software(Construct):
    """Charts and manifests in sequence, and the function that applies them."""

    provider: eks.KubectlProvider
    steps: tuple[IConstruct, ...]
    """In order of installation."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        plan: Plan,
        inputs: Inputs,
        control_plane: ControlPlane,
        outputs: Mapping[str, str],
    ) -> None:
        """``outputs`` has values of the cluster's stack, by the names in manifests."""
        super().__init__(scope, id)
        self._value = _values(inputs, outputs)
        self._cluster = _imported(self, plan, inputs, control_plane)
        self.provider = _provider(self, plan, inputs, self._cluster, control_plane)
        self._usable = eks.Cluster.from_cluster_attributes(
            self,
            "Usable",
            cluster_name=control_plane.name,
            kubectl_provider=self.provider,
        )
        if self.provider.role is None:
            raise TypeError("a provider that is made here has a role")
        entry = control_plane.grant_admin("SoftwareAdmin", self.provider.role.role_arn)
        self.steps = tuple(self._steps(plan))
        for earlier, later in zip((entry, *self.steps), self.steps, strict=False):
            later.node.add_dependency(earlier)

    def _steps(self, plan: Plan) -> Iterator[IConstruct]:
        early, late = bundle.split(plan)
        for artifact in early:
            yield self._manifest(artifact)
        for component in components(plan):
            yield self._chart(component)
        for artifact in late:
            yield self._manifest(artifact)

    def _manifest(self, artifact: Artifact) -> eks.KubernetesManifest:
        objects = [self._filled(each) for each in yaml.safe_load_all(artifact.text)]
        name = artifact.path.rpartition("/")[2].removesuffix(".yaml")
        return eks.KubernetesManifest(
            self, f"manifest-{name}", cluster=self._usable, manifest=objects, overwrite=True
        )

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
        if isinstance(value, Mapping):
            return {key: self._filled(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._filled(inner) for inner in value]
        if isinstance(value, str):
            return _PLACEHOLDER.sub(lambda found: self._value(found[1]), value)
        return value


def _values(inputs: Inputs, outputs: Mapping[str, str]) -> Callable[[str], str]:
    return lambda name: outputs[name] if name in outputs else inputs.value(Ref(name))


def _imported(
    scope: Construct, plan: Plan, inputs: Inputs, control_plane: ControlPlane
) -> eks.ICluster:
    """The cluster as an interface of the CDK."""
    network = plan.network
    return eks.Cluster.from_cluster_attributes(
        scope,
        "Cluster",
        cluster_name=control_plane.name,
        vpc=ec2.Vpc.from_vpc_attributes(
            scope,
            "Vpc",
            vpc_id=inputs.value(network.vpc),
            # Subnets have ids, so that nothing is looked up by zone.
            availability_zones=[subnet.zone or "" for subnet in network.system],
        ),
    )


def _provider(
    scope: Construct,
    plan: Plan,
    inputs: Inputs,
    cluster: eks.ICluster,
    control_plane: ControlPlane,
) -> eks.KubectlProvider:
    subnets = [
        ec2.Subnet.from_subnet_id(scope, f"Subnet{number}", inputs.value(subnet.id))
        for number, subnet in enumerate(plan.network.system, 1)
    ]
    group = ec2.SecurityGroup.from_security_group_id(
        scope, "SecurityGroup", control_plane.security_group, mutable=False
    )
    return eks.KubectlProvider(
        scope,
        "Kubectl",
        cluster=cluster,
        kubectl_layer=_layer(scope),
        private_subnets=subnets,
        security_groups=[group],
    )


def _layer(scope: Construct) -> lambda_.ILayerVersion:
    """kubectl and helm. kubectl supports the next older and newer minor versions of the API server.

    https://kubernetes.io/releases/version-skew-policy/#kubectl
    """
    with kernel.installed("kubectl"):
        from aws_cdk.lambda_layer_kubectl_v35 import KubectlV35Layer

        return KubectlV35Layer(scope, "Tools")
