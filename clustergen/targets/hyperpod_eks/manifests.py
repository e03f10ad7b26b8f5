"""Files of Kubernetes objects, with a comment on their purpose."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.artifacts import Artifact, Json
from clustergen.kubernetes import access, ownership, storage_class, timetable, volumes
from clustergen.kubernetes.manifest import file
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import eks_cluster, governance, karpenter, limits

KARPENTER = "manifests/karpenter.yaml"
VOLUMES = "manifests/volumes.yaml"
STORAGE_CLASS = "manifests/storage-class.yaml"
ACCESS = "manifests/access.yaml"
OWNERSHIP = "manifests/ownership.yaml"
TIMETABLE = "manifests/timetable.yaml"


def files(plan: Plan) -> Iterator[Artifact]:
    """The manifests to apply to the EKS cluster after HyperPod's chart."""
    objects = tuple(karpenter.manifests(plan))
    if objects:
        comment = (
            "What HyperPod's Karpenter may start: a node class of instance groups, and",
            "a node pool, for each queue. Pods without room make it add nodes.",
        )
        yield file(KARPENTER, comment, objects)
    if mounted := tuple(volumes.objects(plan, governance.namespaces(plan))):
        comment = (
            "File systems for pods: a volume and its claim for each, in each namespace of jobs.",
            "A pod names the claim among its volumes.",
        )
        yield file(VOLUMES, comment, mounted)
    if eks_cluster.is_new(plan):
        if bindings := tuple(access.objects(plan, governance.by_queue(plan), limits.JOBS)):
            yield file(ACCESS, access.COMMENT, bindings)
        yield file(STORAGE_CLASS, storage_class.COMMENT, storage_class.objects(plan))
    if dated := tuple(_dated(plan)):
        yield file(TIMETABLE, timetable.COMMENT, dated)
    if opened := tuple(_opened(plan)):
        yield file(
            OWNERSHIP, ("Jobs that open new file systems to the users of all pods.",), opened
        )


def _dated(plan: Plan) -> Iterator[Json]:
    """Without queues: HyperPod's task governance manages those."""
    return timetable.objects(plan, _placement(plan), label=limits.GROUP_LABEL, queues=())


def _placement(plan: Plan) -> Json:
    """A node that stays, if there is one: nodes whose capacity ends go first."""
    names = [group.name for group in plan.node_groups if group.capacity.ends]
    stays = {"key": limits.GROUP_LABEL, "operator": "NotIn", "values": names}
    preferred = [{"weight": 100, "preference": {"matchExpressions": [stays]}}]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    return {"affinity": affinity, "tolerations": [{"operator": "Exists"}]}


def _opened(plan: Plan) -> Iterator[Json]:
    namespaces = governance.namespaces(plan)
    labels = governance.pod_labels(namespaces[0])
    return ownership.objects(plan, namespaces, {}, labels, waits=timetable.is_on(plan))


def unknown_paths(plan: Plan) -> dict[str, list[tuple[str, str]]]:
    """By manifest: FSx volumes whose path only FSx knows, and their placeholders."""
    found = [(volume, volumes.path_of(volume)) for volume in volumes.unknown_paths(plan)]
    return {VOLUMES: found} if found else {}
