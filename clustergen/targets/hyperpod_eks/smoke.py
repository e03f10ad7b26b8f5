"""Smoke tests as jobs on the nodes of instance groups."""

from collections.abc import Iterator
from dataclasses import replace

from clustergen.base.artifacts import Artifact, Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import pods, smoke
from clustergen.services.kubernetes.labels_and_taints import affinity
from clustergen.services.kubernetes.names import INSTANCE_TYPE_LABEL
from clustergen.targets.hyperpod_eks import karpenter
from clustergen.targets.hyperpod_eks.limits import GROUP_LABEL


def files(plan: Plan) -> Iterator[Artifact]:
    """The tests of each group that has accelerators or EFA."""
    yield from smoke.files(replace(with_the_chart(plan), storage=()), placed)


def with_the_chart(plan: Plan) -> Plan:
    """The plan for pods: HyperPod's chart installs plugins and the MPI operator, but no queues."""
    kubernetes = replace(
        plan.kubernetes,
        admission="none",
        scheduler="default",
        devices="plugin",
        jobs="mpi-operator",
    )
    return replace(plan, kubernetes=kubernetes)


def placed(plan: Plan, group: NodeGroup) -> Json:
    """Node selector and tolerations for the pods of a group's test."""
    return pods.on_nodes(_nodes(plan, group), karpenter.taints(plan, group))


def _nodes(plan: Plan, group: NodeGroup) -> Json:
    """The group; Karpenter starts nodes only for resources that it knows from pools and types."""
    pool = next((pool for pool in karpenter.pools(plan) if group in pool.groups), None)
    if pool is None:
        return {"nodeSelector": {GROUP_LABEL: group.name}}
    types = [type.ml_name for type in group.types]
    return {
        "nodeSelector": {"karpenter.sh/nodepool": pool.name},
        "affinity": affinity(INSTANCE_TYPE_LABEL, types),
    }
