"""Files of Kubernetes objects, with a comment on their purpose."""

import functools
from collections.abc import Iterable, Iterator

from clustergen.base.artifacts import Artifact, Json
from clustergen.plan.model import Plan
from clustergen.services.kubernetes import (
    access,
    bundle,
    joining,
    ownership,
    storage_class,
    timetable,
    volumes,
)
from clustergen.services.kubernetes.bundle import Manifest
from clustergen.targets.hyperpod_eks import governance, karpenter, limits


# next_steps reads it, too.
@functools.lru_cache(maxsize=8)
def files(plan: Plan) -> tuple[Artifact, ...]:
    """The manifests to apply to the EKS cluster after HyperPod's chart."""
    return tuple(bundle.rendered(plan, _KINDS))


def _access(plan: Plan) -> Iterable[Json]:
    new = plan.options.creates_eks
    return access.objects(plan, governance.by_queue(plan), limits.JOBS) if new else ()


def _storage_class(plan: Plan) -> Iterable[Json]:
    return storage_class.objects(plan) if plan.options.creates_eks else ()


def _dated(plan: Plan) -> Iterator[Json]:
    """Without queues: HyperPod's task governance manages those."""
    name = timetable.of_bundle(plan)
    return timetable.objects(plan, _placement(plan), label=limits.GROUP_LABEL, queues=(), name=name)


def _placement(plan: Plan) -> Json:
    """A node that stays, if there is one: nodes whose capacity ends go first."""
    names = [group.name for group in plan.node_groups if group.capacity.ends]
    stays = {"key": limits.GROUP_LABEL, "operator": "NotIn", "values": names}
    preferred = [{"weight": 100, "preference": {"matchExpressions": [stays]}}]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    return {"affinity": affinity, "tolerations": [{"operator": "Exists"}]}


def _opened(plan: Plan) -> Iterator[Json]:
    namespace = _of_present_nodes(plan)
    labels = governance.pod_labels(namespace)
    new = plan.options.creates_eks
    nodes = {} if new else joining.on_own_nodes(plan, limits.GROUP_LABEL)
    return ownership.objects(
        plan, [namespace], nodes, labels, waits=timetable.is_on(plan) or not new
    )


def _of_present_nodes(plan: Plan) -> str:
    """A namespace whose jobs wait for no capacity that starts later, if there is one."""
    last, spaces = governance.namespaces(plan)[-1], governance.by_queue(plan)
    dated = {group.name for group in plan.node_groups if group.capacity.starts}
    present = (q.name for q in plan.queues if dated.isdisjoint(g.name for g in q.node_groups))
    return spaces[next(present, plan.queues[0].name)] if governance.pod_labels(last) else last


_KINDS = (
    Manifest(
        "karpenter",
        (
            "What HyperPod's Karpenter may start: a node class of instance groups, and",
            "a node pool, for each queue. Pods without room make it add nodes.",
        ),
        karpenter.manifests,
    ),
    Manifest(
        "volumes",
        (
            "File systems for pods: a volume and its claim for each, in each namespace of jobs.",
            "A pod names the claim among its volumes.",
        ),
        lambda plan: volumes.objects(plan, governance.namespaces(plan)),
    ),
    Manifest("access", access.COMMENT, _access),
    Manifest("storage-class", storage_class.COMMENT, _storage_class),
    Manifest("timetable", timetable.COMMENT, _dated),
    Manifest("ownership", ("Jobs that open new file systems to the users of all pods.",), _opened),
)
