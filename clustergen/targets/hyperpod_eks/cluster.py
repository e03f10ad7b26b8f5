"""A plan as a CreateCluster request with EKS."""

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan, Ref
from clustergen.services.aws import references
from clustergen.services.aws.members import filled, present
from clustergen.services.hyperpod import cluster, groups
from clustergen.services.hyperpod.limits import MAX_SUBNETS
from clustergen.services.kubernetes.karpenter import is_karpenter, is_on
from clustergen.services.kubernetes.labels_and_taints import MIG_LABEL
from clustergen.targets.hyperpod_eks import eks_cluster, karpenter, lifecycle, mig, patching
from clustergen.targets.hyperpod_eks.options import Options

CLUSTER_ROLE = Ref("HyperPodClusterRoleArn")
# The policy of the training operator's role allows only clusters with this tag.
# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSageMakerHyperPodTrainingOperatorAccess.html
_OPERATOR_TAG = {"SageMaker": "true"}


def request(plan: Plan) -> Json:
    """The CreateCluster request."""
    config = lifecycle.config(plan)
    return cluster.request(
        plan,
        (_group(plan, group, config) for group in plan.node_groups),
        vpc=groups.vpc(eks_cluster.security_groups(plan), groups.shared_subnets(plan)),
        tags={**_operator_tag(plan), **plan.tags},
        orchestrator={"Eks": {"ClusterArn": references.text(eks_cluster.arn(plan))}},
        TieredStorageConfig=_tiered(plan.options_as(Options).tiered_checkpoints),
        # Spot, Karpenter, MIG and several types in a group need it, and it is free: HyperPod
        # retries for instances that are not available.
        NodeProvisioningMode="Continuous" if is_continuous(plan) else None,
        **_autoscaling(plan),
    )


def is_continuous(plan: Plan) -> bool:
    return plan.options_as(Options).provisioning == "continuous"


def _operator_tag(plan: Plan) -> dict[str, str]:
    return {} if plan.options_as(Options).leaves_out("operator-tag") else _OPERATOR_TAG


def labels(group: NodeGroup) -> dict[str, str]:
    """The labels of a group's nodes, including the one that partitions GPUs."""
    name = mig.configuration(group) if group.mig else None
    return {**group.labels, **({MIG_LABEL: name} if name else {})}


def _group(plan: Plan, group: NodeGroup, scripts: Json) -> Json:
    scaled, schedule = is_karpenter(plan, group), plan.options_as(Options).update_schedule
    return groups.node_group(
        plan,
        group,
        continuous=is_continuous(plan) and not scaled,
        # Karpenter starts with zero nodes, and removes nodes that it did not start.
        InstanceCount=0 if scaled else group.max,
        LifeCycleConfig=scripts,
        OverrideVpcConfig=_network(plan, group, scaled=scaled),
        ScheduledUpdateConfig={"ScheduleExpression": schedule} if schedule else None,
        AutoPatchConfig=patching.config(plan),
        KubernetesConfig=_kubernetes(plan, group),
    )


def _kubernetes(plan: Plan, group: NodeGroup) -> Json | None:
    taints = [
        present(Key=taint.key, Value=taint.value or None, Effect=taint.effect)
        for taint in karpenter.taints(plan, group)
    ]
    return filled(Labels=labels(group), Taints=taints) or None


def _network(plan: Plan, group: NodeGroup, *, scaled: bool) -> Json | None:
    """The network of a group: its own, or all private subnets if its nodes may start in several
    zones."""
    members = eks_cluster.security_groups(plan)
    subnets = plan.network.private[:MAX_SUBNETS]
    chosen = group.subnets or group.security_groups
    left_out = plan.options_as(Options).leaves_out("one-subnet")
    if chosen or scaled or left_out or group.one_zone or len(subnets) == 1:
        return groups.own_network(plan, group, members)
    return groups.vpc(members, [subnet.id for subnet in subnets])


def _tiered(percent: int | None) -> Json | None:
    if percent is None:
        return None
    return {"Mode": "Enable", "InstanceMemoryAllocationPercentage": percent}


def _autoscaling(plan: Plan) -> Json:
    if not is_on(plan):
        return {}
    return {
        "ClusterRole": references.text(plan.options_as(Options).cluster_role or CLUSTER_ROLE),
        "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"},
    }
