"""A plan as a CreateCluster request with EKS."""

from __future__ import annotations

from dataclasses import replace

from clustergen.hyperpod import groups
from clustergen.hyperpod.limits import MAX_SUBNETS
from clustergen.hyperpod.request import Eks, InstanceGroup, KubernetesNode, Lifecycle, Request, Vpc
from clustergen.kubernetes.labels_and_taints import MIG_LABEL
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.hyperpod_eks import eks_cluster, karpenter, lifecycle, mig, patching
from clustergen.targets.hyperpod_eks.options import Options

# The policy of the training operator's role lets it see only clusters with this tag.
# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSageMakerHyperPodTrainingOperatorAccess.html
_OPERATOR_TAG = {"SageMaker": "true"}


def request(plan: Plan) -> Request:
    """The cluster; a plan with errors gives one that the service would refuse, never an error."""
    scripts = lifecycle.config(plan)
    scaled = karpenter.on(plan)
    return Request(
        name=plan.name,
        groups=tuple(_group(plan, group, scripts) for group in plan.node_groups),
        vpc=Vpc(eks_cluster.security_groups(plan), (plan.network.private[0].id,)),
        orchestrator=Eks(eks_cluster.arn(plan)),
        recover=plan.resilience.replace_failed_nodes,
        # Spot, Karpenter, MIG and several types in a group need it, and nothing is lost by it:
        # instances that cannot be had are tried for again.
        continuous=True,
        tags={**_OPERATOR_TAG, **plan.tags},
        cluster_role=groups.CLUSTER_ROLE if scaled else None,
        karpenter=scaled,
        tiered_memory_percent=plan.options_as(Options).tiered_checkpoints,
    )


def labels(group: NodeGroup) -> dict[str, str]:
    """The labels of a group's nodes, the one that partitions their GPUs included."""
    name = mig.configuration(group) if group.mig else None
    return {**group.labels, **({MIG_LABEL: name} if name else {})}


def _group(plan: Plan, group: NodeGroup, scripts: Lifecycle) -> InstanceGroup:
    made = groups.of_group(plan, group, lifecycle=scripts)
    scaled = karpenter.scales(plan, group)
    return replace(
        made,
        # Karpenter starts from none, and takes away those it did not start itself.
        count=0 if scaled else made.count,
        vpc=None if scaled else _spread(plan, group),
        kubernetes=KubernetesNode(labels(group), group.taints),
        patching=patching.of(plan),
        update_schedule=plan.options_as(Options).update_schedule,
    )


def _spread(plan: Plan, group: NodeGroup) -> Vpc | None:
    """All private subnets, for nodes that may start in several zones."""
    subnets = plan.network.private[:MAX_SUBNETS]
    if group.one_zone or len(subnets) == 1:
        return None
    return Vpc(eks_cluster.security_groups(plan), tuple(subnet.id for subnet in subnets))
