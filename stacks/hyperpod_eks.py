"""SageMaker HyperPod with EKS: the templates of `render`, and the lifecycle scripts.

A new EKS cluster is a separate stack before the cluster, and HyperPod's add-ons are one after it.
Between the two, HyperPod's chart must be installed, as README.md explains. Task governance quotas
are the last stack, in regions with the resource types.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.services.hyperpod.cloudformation import CLUSTER
from clustergen.targets.hyperpod_eks import addons, governance
from clustergen.targets.hyperpod_eks.emit import EKS_TEMPLATE

from . import acknowledged, scripts
from .rendered import RenderedCluster
from .template import TemplateStack


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> Iterator[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    plan, files = rendered.plan, rendered.files
    if EKS_TEMPLATE not in files:
        yield scripts.NodesStack(scope, rendered, **props)
        return
    eks, exports = _of_template(scope, rendered, "eks", EKS_TEMPLATE, rendered.imports, **props)
    acknowledged.eks(eks, plan)
    imports = {**rendered.imports, **exports}
    cluster = scripts.NodesStack(scope, rendered, imports, **props)
    # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-install-packages-using-helm-chart.html
    cdk.Annotations.of(cluster).add_info(
        f"HyperPod's chart has to be in the EKS cluster before this stack: deploy "
        f"{eks.stack_name}, run ./deploy.sh --install in the rendered bundle, then deploy the rest"
    )
    arn = imports[governance.CLUSTER] = plan.stack(governance.CLUSTER)
    cluster.export_value(cluster.resources[CLUSTER].get_att("ClusterArn"), name=arn)
    yield from (eks, cluster)
    for name, path in (("addons", addons.TEMPLATE), ("governance", governance.TEMPLATE)):
        if path in files:
            made, _ = _of_template(scope, rendered, name, path, imports, **props)
            if path == governance.TEMPLATE:
                acknowledged.acknowledge(made, acknowledged.TASK_GOVERNANCE)
            yield made


def _of_template(
    scope: Construct,
    rendered: RenderedCluster,
    name: str,
    path: str,
    imports: Mapping[str, str],
    **props: Any,
) -> tuple[TemplateStack, dict[str, str]]:
    """A stack with a template of the bundle, and its outputs: output name -> export name."""
    id, document = rendered.plan.stack(name), json.loads(rendered.files[path])
    exports = {output: f"{id}-{output}" for output in document.get("Outputs", ())}
    export = exports.__getitem__
    return TemplateStack(scope, id, document, imports=imports, export=export, **props), exports
