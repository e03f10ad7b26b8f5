"""HyperPod's Karpenter: the groups that it scales."""

from collections.abc import Iterator
from dataclasses import dataclass

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan, Taint
from clustergen.services.kubernetes import labels_and_taints
from clustergen.services.kubernetes.karpenter import API, groups, is_karpenter, pool_taints
from clustergen.services.kubernetes.manifest import kubernetes_object
from clustergen.services.kubernetes.names import INSTANCE_TYPE_LABEL
from clustergen.targets.hyperpod_eks.limits import KARPENTER_API

_CLASS = "HyperpodNodeClass"


@dataclass(frozen=True, slots=True)
class Pool:
    """A node pool: the groups that a queue is the first to use."""

    name: str
    groups: tuple[NodeGroup, ...]

    @property
    def taints(self) -> tuple[Taint, ...]:
        """The taints of its first group; a rule checks that the others have the same."""
        return self.taints_of(self.groups[0])

    def taints_of(self, group: NodeGroup) -> tuple[Taint, ...]:
        """The taints of groups; an accelerator taint prevents pods without accelerators from
        starting nodes."""
        kinds = {labels_and_taints.accelerator_taint(group) for group in self.groups}
        return labels_and_taints.taints(group) if len(kinds) == 1 else group.taints

    @property
    def vcpus(self) -> int:
        """The vCPUs of all its nodes at their maximum."""
        return sum(group.max * group.type.vcpus for group in self.groups)


def pools(plan: Plan) -> tuple[Pool, ...]:
    """A pool for each queue with groups to scale; each group is in one pool."""
    found: list[Pool] = []
    taken: set[str] = set()
    for queue in plan.queues:
        mine = tuple(g for g in queue.node_groups if is_karpenter(plan, g) and g.name not in taken)
        taken |= {group.name for group in mine}
        if mine:
            found.append(Pool(queue.name, mine))
    queues = {pool.name for pool in found}
    rest = (g for g in groups(plan) if g.name not in taken)
    return (*found, *(Pool(_own_name(group, queues), (group,)) for group in rest))


def taints(plan: Plan, group: NodeGroup) -> tuple[Taint, ...]:
    """The taints of a group's nodes: those of the spec and of its pool."""
    pool = next((pool for pool in pools(plan) if group in pool.groups), None)
    return pool.taints_of(group) if pool else group.taints


def _own_name(group: NodeGroup, queues: set[str]) -> str:
    """The name of a pool for a group without a queue; a queue may have the name of the group."""
    name = group.object_name
    return f"{name}-group" if name in queues else name


def manifests(plan: Plan) -> Iterator[Json]:
    """A node class and a node pool for each pool.

    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-nodepool.html
    """
    for pool in pools(plan):
        yield _node_class(pool)
        yield _node_pool(pool)


def _node_class(pool: Pool) -> Json:
    spec = {"instanceGroups": [group.name for group in pool.groups]}
    return kubernetes_object(f"{KARPENTER_API}/v1", _CLASS, pool.name, spec=spec)


def _node_pool(pool: Pool) -> Json:
    template: Json = {
        "nodeClassRef": {"group": KARPENTER_API, "kind": _CLASS, "name": pool.name},
        # Replacing a node because of its age would end a training job.
        "expireAfter": "Never",
        "requirements": [{"key": INSTANCE_TYPE_LABEL, "operator": "Exists"}],
        **pool_taints(pool.taints),
    }
    spec: Json = {
        "template": {"spec": template},
        # HyperPod groups have no maximum, so the pool has it.
        "limits": {"cpu": str(pool.vcpus)},
        # Remove nodes only when they are empty, never during a job to save cost.
        "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "10m"},
    }
    return kubernetes_object(API, "NodePool", pool.name, spec=spec)
