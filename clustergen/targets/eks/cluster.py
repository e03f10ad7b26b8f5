"""The CloudFormation template of an EKS cluster: control plane, nodes, add-ons, Karpenter.

In an existing cluster, of what is added to it: nodes, and drivers that it lacks.
"""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services import foundation
from clustergen.services.aws import cfn, marks
from clustergen.services.eks import addons, control_plane, system_nodes
from clustergen.services.kubernetes.karpenter import is_karpenter, is_on
from clustergen.targets.eks import (
    drivers,
    eks_cluster,
    karpenter,
    monitoring,
    node_groups,
    node_roles,
    size_parameters,
)
from clustergen.targets.eks.options import Options


def template(plan: Plan) -> Json:
    """The template of a plan's stack; outputs of the foundation are parameters."""
    made = dict(_cluster(plan) if plan.creates_cluster else _added(plan))
    looked_up = {} if plan.creates_cluster else eks_cluster.PARAMETERS
    known = cfn.parameters(made, {**foundation.outputs(plan), **looked_up})
    own = {size_parameters.parameter(group): node_groups.size(group) for group in managed(plan)}
    return cfn.template(
        marks.descriptions(plan)["eks"],
        made,
        parameters={**known, **own, **drivers.parameters(plan)},
        conditions=drivers.conditions(plan),
        outputs=_outputs(plan),
    )


def managed(plan: Plan) -> list[NodeGroup]:
    """The node groups of the spec that Karpenter does not scale."""
    return [group for group in plan.node_groups if not is_karpenter(plan, group)]


def _added(plan: Plan) -> Iterator[tuple[str, Json]]:
    """What an existing cluster gets."""
    yield from node_roles.resources(plan)
    for group in managed(plan):
        yield from node_groups.resources(plan, group, after=())
    yield from drivers.resources(plan)


def _cluster(plan: Plan) -> Iterator[tuple[str, Json]]:
    protected = plan.options_as(Options).deletion_protection
    yield from control_plane.resources(plan, deletion_protection=protected)
    yield from node_roles.resources(plan)
    yield from addons.resources(plan, addons.NETWORKING)
    # Nodes need these to become ready.
    ready = [addons.logical_id(addon) for addon in addons.NETWORKING]
    yield from system_nodes.resources(plan, role=node_roles.NODE_ROLE, after=ready)
    for group in managed(plan):
        yield from node_groups.resources(plan, group, after=ready)
    yield from addons.resources(plan, addons.wanted(plan), [system_nodes.SYSTEM_NODES])
    if is_on(plan):
        yield from karpenter.resources(plan)
    yield from monitoring.resources(plan)


def _outputs(plan: Plan) -> dict[str, tuple[str, Json | str]]:
    outputs = {"ClusterName": ("Name of the cluster", eks_cluster.reference(plan))}
    if plan.creates_cluster:
        endpoint = cfn.get_att(control_plane.CLUSTER, "Endpoint")
        theirs = "Security group that EKS made for control plane and nodes"
        outputs["ClusterArn"] = ("ARN of the cluster", control_plane.ARN)
        outputs["ClusterEndpoint"] = ("Address of the Kubernetes API", endpoint)
        outputs["EksSecurityGroupId"] = (theirs, control_plane.SECURITY_GROUP)
    outputs |= node_roles.outputs(plan)
    if plan.creates_cluster and is_on(plan):
        queue = cfn.get_att(karpenter.QUEUE, "QueueName")
        outputs["KarpenterQueueName"] = ("Queue of interruptions", queue)
    return outputs
