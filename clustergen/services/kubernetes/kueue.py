"""Kueue: a flavor for each node group, and a quota for each queue.

Quotas are the capacity of node groups at their maximum, so that a job is admitted only when its
nodes are free. A group of several queues is the quota of their cohort, from which each borrows.
https://kueue.sigs.k8s.io/docs/concepts/ (v1beta2, 2026-08)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, replace

from clustergen.base.artifacts import Json
from clustergen.base.digests import sha256
from clustergen.base.text_lists import word_set
from clustergen.facts.catalog import families
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.kubernetes import (
    capacity,
    claims,
    karpenter,
    kueue_configuration,
    labels_and_taints,
)
from clustergen.services.kubernetes.components import toleration
from clustergen.services.kubernetes.manifest import kubernetes_object
from clustergen.services.kubernetes.names import HOST_LABEL, NETWORK_LABELS

API = "kueue.x-k8s.io/v1beta2"
_TOPOLOGIES = {0: "hosts", 3: "aws-network", 4: "aws-network-4"}
"""Names of topologies by layers of EC2's network that they have above the nodes. In an existing
cluster, which may have others of these names, the name of the plan comes first."""
_SAGEMAKER_LAYERS = 3
"""HyperPod labels its nodes with as many.
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance.html"""

# Regions in which EC2 reports the network topology, for types that the catalog lists. Other nodes
# have no topology labels, so Kueue would not use them.
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology-prerequisites.html
# (2026-11)
_REGIONS = word_set("""
    us-east-1 us-east-2 us-west-1 us-west-2 us-gov-west-1 ca-central-1
    eu-central-1 eu-central-2 eu-north-1 eu-south-2
    eu-west-1 eu-west-2 eu-west-3
    ap-east-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1
    ap-south-2 ap-southeast-2 ap-southeast-3 ap-southeast-4
    af-south-1 il-central-1 me-central-1 me-south-1 sa-east-1
""")


def is_on(plan: Plan) -> bool:
    """Whether the cluster has Kueue with queues from this bundle."""
    return plan.kubernetes.admission == "kueue"


def objects(plan: Plan) -> Iterator[Json]:
    """All Kueue objects, in order of creation."""
    used = _used(plan)
    for name, layers in {topology(plan, group): _layers(plan, group) for group in used}.items():
        if name:
            yield _topology(name, layers)
    for group in used:
        yield _flavor(plan, group)
    for name, members in cohorts(plan).items():
        yield _cohort(plan, name, members)
    for queue in plan.queues:
        yield _cluster_queue(plan, queue)
        yield _local_queue(queue)
        if queue.priority is not None:
            yield _priority(queue)


def topology(plan: Plan, group: NodeGroup) -> str | None:
    """The topology for the placement of pods.

    None if nodes start on demand, or if pods use claims: Kueue then does not know for how many pods
    a node has devices. None also if such nodes are in the same queue: Kueue offers a job only the
    flavors with a topology, or only those without.
    https://github.com/kubernetes-sigs/kueue pkg/scheduler/flavorassigner (0.19.2)
    """
    if claims.is_on(plan) or any(karpenter.is_karpenter(plan, g) for g in _together(plan, group)):
        return None
    return _topology_name(plan, group)


def without_topology(plan: Plan) -> Iterator[tuple[NodeGroup, NodeGroup]]:
    """Groups that have no topology because of another one, each with that other one."""
    for group in _used(plan) if is_on(plan) and not claims.is_on(plan) else ():
        others = [g for g in _together(plan, group) if karpenter.is_karpenter(plan, g)]
        if others and group not in others:
            yield group, others[0]


def _together(plan: Plan, group: NodeGroup) -> tuple[NodeGroup, ...]:
    """A group, and all those of its queues and of the queues in their cohort."""
    using = [queue for queue in plan.queues if group in queue.node_groups]
    joined = [cohort for cohort in cohorts(plan).values() if any(q in cohort for q in using)]
    members = [q for cohort in joined for q in cohort] or using
    return (group, *(g for queue in members for g in queue.node_groups))


def _layers(plan: Plan, group: NodeGroup) -> int:
    """The layers of EC2's network that the labels of all nodes of a group have.

    Kueue places no job on a node without a label of its topology.
    """
    known = (families.find(type.family).layers_of(type.size) for type in group.types)
    most = _SAGEMAKER_LAYERS if plan.sagemaker else max(_TOPOLOGIES)
    return min(most, *known) if plan.region in _REGIONS else 0


def _topology_name(plan: Plan, group: NodeGroup) -> str:
    name = _TOPOLOGIES[_layers(plan, group)]
    return name if plan.system or plan.sagemaker else f"{plan.name}-{name}"


def cohorts(plan: Plan) -> Mapping[str, tuple[Queue, ...]]:
    """Cohort name -> queues that share node groups, directly or through others."""
    found: list[tuple[Queue, ...]] = []
    for queue in plan.queues:
        joined = [cohort for cohort in found if any(_share(queue, other) for other in cohort)]
        rest = [cohort for cohort in found if cohort not in joined]
        found = [*rest, (*(q for cohort in joined for q in cohort), queue)]
    several = [tuple(q for q in plan.queues if q in cohort) for cohort in found if len(cohort) > 1]
    return {f"with-{cohort[0].name}": cohort for cohort in several}


def held_in_pause(plan: Plan) -> list[str]:
    """Queues that a pause holds: where Kueue waits for nodes, it deactivates jobs after some tries.

    The owner of an existing cluster may have configured that, too.
    """
    waits = karpenter.groups(plan) or not plan.creates_cluster
    return [queue.name for queue in plan.queues] if waits and is_on(plan) else []


def shared(plan: Plan, group: NodeGroup) -> bool:
    """Whether several queues use a group."""
    return sum(group in queue.node_groups for queue in plan.queues) > 1


def _share(one: Queue, other: Queue) -> bool:
    return any(group in other.node_groups for group in one.node_groups)


def _used(plan: Plan) -> tuple[NodeGroup, ...]:
    return tuple(g for g in plan.node_groups if any(g in q.node_groups for q in plan.queues))


def _topology(name: str, layers: int) -> Json:
    levels = [{"nodeLabel": label} for label in (*NETWORK_LABELS[:layers], HOST_LABEL)]
    return kubernetes_object(API, "Topology", name, spec={"levels": levels})


def flavor_name(plan: Plan, group: NodeGroup) -> str:
    """The name of a group's flavor: that of the group, with a digest where it is not as usual.

    Tolerations and topology of a flavor never change, so that other ones need another flavor.
    """
    usual = replace(group, taints=(), accelerator_taint=True)
    taints, name = labels_and_taints.taints(group), topology(plan, group)
    # Most types have three layers, or none: a fourth is not as usual.
    layers = name == _topology_name(plan, group) and _layers(plan, group) < len(NETWORK_LABELS)
    if taints == labels_and_taints.taints(usual) and layers:
        return group.object_name
    return f"{group.object_name}-{sha256(repr((*map(astuple, taints), name)))[:6]}"


def _flavor(plan: Plan, group: NodeGroup) -> Json:
    spec: Json = {"nodeLabels": {labels_and_taints.NODE_GROUP_LABEL: group.name}}
    if taints := labels_and_taints.taints(group):
        # Kueue adds these to the pods of admitted jobs, so that jobs need no tolerations.
        spec["tolerations"] = [toleration(taint) for taint in taints]
    if name := topology(plan, group):
        spec["topologyName"] = name
    return kubernetes_object(API, "ResourceFlavor", flavor_name(plan, group), spec=spec)


def _cohort(plan: Plan, name: str, members: Sequence[Queue]) -> Json:
    groups = [
        group
        for group in plan.node_groups
        if shared(plan, group) and any(group in queue.node_groups for queue in members)
    ]
    resources = _resources(plan, [g for queue in members for g in queue.node_groups])
    flavors = [_quotas(plan, group, resources, mine=True) for group in groups]
    return kubernetes_object(
        API, "Cohort", name, spec={"resourceGroups": [_group(resources, flavors)]}
    )


def _cluster_queue(plan: Plan, queue: Queue) -> Json:
    cohort = next((name for name, members in cohorts(plan).items() if queue in members), None)
    members = cohorts(plan)[cohort] if cohort else (queue,)
    # Queues of a cohort cover the same resources, so that they can lend all of them.
    resources = _resources(plan, [g for other in members for g in other.node_groups])
    flavors = [
        _quotas(plan, group, resources, mine=not shared(plan, group)) for group in queue.node_groups
    ]
    spec: Json = {
        **({"cohortName": cohort} if cohort else {}),
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": queue.name}},
        "resourceGroups": [_group(resources, flavors)],
    }
    return kubernetes_object(API, "ClusterQueue", queue.name, spec=spec)


def _group(resources: Sequence[str], flavors: list[Json]) -> Json:
    return {"coveredResources": list(resources), "flavors": flavors}


def _resources(plan: Plan, groups: Sequence[NodeGroup]) -> tuple[str, ...]:
    """All resources of the groups; a pod that requests another one is never admitted."""
    each = (name for group in groups for name in _held(plan, group))
    return tuple(dict.fromkeys(each))


def _held(plan: Plan, group: NodeGroup) -> Mapping[str, int]:
    """What all nodes of a group have at its maximum, with devices that pods claim.

    With a topology, Kueue looks at the nodes; Karpenter starts those that fit.
    """
    claimed = kueue_configuration.claimed(plan, group)
    devices = {name: count * group.max for name, count in claimed.items()}
    known = bool(topology(plan, group)) or karpenter.is_karpenter(plan, group)
    return {**capacity.group_capacity(plan, group, largest=known), **devices}


def _quotas(plan: Plan, group: NodeGroup, resources: Sequence[str], *, mine: bool) -> Json:
    """The quota of a queue or cohort for a group: all of it, or none."""
    held = _held(plan, group) if mine else {}
    quotas = [
        {"name": name, "nominalQuota": capacity.quantity(name, held.get(name, 0))}
        for name in resources
    ]
    return {"name": flavor_name(plan, group), "resources": quotas}


def _local_queue(queue: Queue) -> Json:
    spec = {"clusterQueue": queue.name}
    return kubernetes_object(API, "LocalQueue", queue.name, namespace=queue.name, spec=spec)


def _priority(queue: Queue) -> Json:
    """A priority class, for the label kueue.x-k8s.io/priority-class of jobs."""
    return kubernetes_object(
        API,
        "WorkloadPriorityClass",
        queue.name,
        value=queue.priority,
        description=f"Jobs of the queue {queue.name}",
    )
