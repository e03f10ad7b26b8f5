"""HyperPod task governance: compute quotas from the queues of the spec.

A queue becomes a team of task governance. Its quota is the capacity of its node groups; a group of
several queues is divided evenly, and each queue borrows idle capacity of the others. The bundle has
requests and, in regions with the resource types, a CloudFormation template.

https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance.html
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from clustergen.base.artifacts import Artifact, Json, json_artifact
from clustergen.base.digests import sha256
from clustergen.deployment.kinds import DESCRIBED, PRIORITIES, QUOTA
from clustergen.facts.catalog import InstanceType
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.aws import cfn, marks
from clustergen.services.aws.members import filled
from clustergen.services.kubernetes.names import PRIORITY_LABEL, QUEUE_LABEL
from clustergen.targets.hyperpod_eks import governance_limits

FOLDER = "governance"
SCHEDULER = f"{FOLDER}/cluster-scheduler-config.json"
TEMPLATE = "governance.template.json"
CLUSTER = "HyperPodClusterArn"
"""The parameter of the template: the output ``ClusterArn`` of the cluster's stack."""
TASK_GOVERNANCE = "amazon-sagemaker-hyperpod-taskgovernance"
"""The add-on that installs Kueue."""


def wanted(plan: Plan) -> bool:
    """Whether Kueue admits jobs; existing EKS clusters are changed only if the spec has queues.

    The quotas of an existing HyperPod cluster share its one scheduler configuration.
    """
    requested = plan.options.creates_eks or plan.wrote("queues")
    return plan.kubernetes.admission == "kueue" and requested and plan.creates_cluster


def files(plan: Plan) -> Iterator[Artifact]:
    """The requests, without values that only a deployment has, and the template if supported."""
    if not wanted(plan):
        return
    yield json_artifact(SCHEDULER, scheduler(plan))
    paths = quotas(plan)
    for name, members in _requests(plan).items():
        yield json_artifact(paths[name], members)
    if plan.region in governance_limits.TEMPLATE_REGIONS:
        yield marks.artifact(TEMPLATE, template(plan), plan)


def quotas(plan: Plan) -> dict[str, str]:
    """Name and file of each queue's quota; empty without quotas."""
    queues = plan.queues if wanted(plan) else ()
    return {queue.name: f"{FOLDER}/compute-quota-{queue.name}.json" for queue in queues}


def namespaces(plan: Plan) -> tuple[str, ...]:
    """The namespaces of jobs: those that task governance creates for teams, and one for others."""
    teams = tuple(_namespace(name) for name in quotas(plan))
    governed = teams and all(_queue_of(plan, group) for group in plan.node_groups)
    return teams if governed else (*teams, _ungoverned(plan))


def _ungoverned(plan: Plan) -> str:
    """A namespace without quotas.

    HyperPod resumes jobs only in kubeflow, which its chart creates, and in hyperpod-ns-*.
    https://github.com/aws/sagemaker-hyperpod-cli (2.0: validate_yaml_content)
    """
    return "kubeflow" if plan.resilience.auto_resume else "default"


def by_queue(plan: Plan) -> dict[str, str]:
    """Queue -> the namespace of its jobs."""
    [first, *_], governed = namespaces(plan), quotas(plan)
    return {q.name: _namespace(q.name) if q.name in governed else first for q in plan.queues}


def _namespace(queue: str) -> str:
    return f"hyperpod-ns-{queue}"


def namespace_of(plan: Plan, group: NodeGroup) -> str:
    """The namespace for jobs on a group: that of the first queue that has it.

    Without a queue, no team has a quota of its nodes.
    """
    queue = _queue_of(plan, group)
    return _namespace(queue.name) if queue else _ungoverned(plan)


def pod_labels(namespace: str) -> dict[str, str]:
    """What task governance requires of every job and pod in the namespace of a team.

    Its admission policy denies those without a queue, also pods of a job that has one:
    https://awslabs.github.io/ai-on-sagemaker-hyperpod/ (2026-11), Namespace and PriorityClass.
    """
    governed = namespace.startswith(_namespace(""))
    return {QUEUE_LABEL: f"{namespace}-localqueue"} if governed else {}


def queue_labels(plan: Plan, group: NodeGroup) -> dict[str, str]:
    """Labels that put a job into the queue of a team; empty without quotas.

    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance-cli.html
    (2026-11)
    """
    queue = _queue_of(plan, group)
    if queue is None:
        return {}
    weighted = queue.name in weights(plan)
    return {
        **pod_labels(_namespace(queue.name)),
        **({PRIORITY_LABEL: f"{queue.name}-priority"} if weighted else {}),
    }


def _queue_of(plan: Plan, group: NodeGroup) -> Queue | None:
    queues = plan.queues if wanted(plan) else ()
    return next((queue for queue in queues if group in queue.node_groups), None)


def scheduler(plan: Plan) -> Json:
    """The members that CreateClusterSchedulerConfig and its update share."""
    classes = [{"Name": name, "Weight": weight} for name, weight in weights(plan).items()]
    config = {**({"PriorityClasses": classes} if classes else {}), "FairShare": "Enabled"}
    if any(mixed(plan)):
        # Quotas guess how many nodes of each type there are: the rest of them may be borrowed.
        config["IdleResourceSharing"] = "Enabled"
    return _described(DESCRIBED[PRIORITIES], {"SchedulerConfig": config})


def _requests(plan: Plan) -> dict[str, Json]:
    """The members that CreateComputeQuota and its update share, by queue."""
    given, shared = weights(plan), owners(plan)
    return {q.name: _quota(q, given.get(q.name), shared) for q in plan.queues}


def _quota(queue: Queue, weight: int | None, owners: Mapping[str, Sequence[str]]) -> Json:
    config = {
        "ComputeQuotaResources": list(resources(queue, owners)),
        "ResourceSharingConfig": {
            "Strategy": "LendAndBorrow",
            "BorrowLimit": _borrow_percent(queue, owners),
        },
        "PreemptTeamTasks": "LowerPriority",
    }
    target: Json = {"TeamName": queue.name}
    if weight is not None:
        target["FairShareWeight"] = weight
    members = {
        "ComputeQuotaConfig": config,
        "ComputeQuotaTarget": target,
        "ActivationState": "Enabled",
    }
    return _described(DESCRIBED[QUOTA].format(queue.name), members)


def weights(plan: Plan) -> dict[str, int]:
    """Weights of queues with a priority; priorities above 100 are scaled down."""
    given = {q.name: q.priority for q in plan.queues if q.priority is not None}
    most, highest = governance_limits.MAX_WEIGHT, max(given.values(), default=0)
    if highest <= most:
        return given
    return {name: round(priority * most / highest) for name, priority in given.items()}


def resources(queue: Queue, owners: Mapping[str, Sequence[str]]) -> Iterator[Json]:
    """The resources of a queue: instances by type, or GPU partitions by kind."""
    counts: dict[tuple[str, str], int] = {}
    for group in queue.node_groups:
        for type, nodes in shares(queue, group, owners):
            for partition, count in _parts(group).items():
                key = (type.ml_name, partition)
                counts[key] = counts.get(key, 0) + nodes * count
    for (type_name, partition), count in counts.items():
        if partition:
            part = {"Type": partition, "Count": count}
            yield {"InstanceType": type_name, "AcceleratorPartition": part}
        else:
            yield {"InstanceType": type_name, "Count": count}


def shares(
    queue: Queue, group: NodeGroup, owners: Mapping[str, Sequence[str]]
) -> Iterator[tuple[InstanceType, int]]:
    """A queue's nodes of a group, divided among its types so that the total is never exceeded."""
    each, rest = divmod(_share(owners[group.name], queue, group), len(group.types))
    for index, type in enumerate(group.types):
        share = each + (index < rest)
        if share or index == 0:
            yield type, share


def _parts(group: NodeGroup) -> dict[str, int]:
    """The partitions of one node of a group; for whole nodes, the key is ""."""
    if not group.mig:
        return {"": 1}
    return {f"mig-{profile}": n * group.type.gpus for profile, n in group.mig.items()}


def owners(plan: Plan) -> dict[str, list[str]]:
    """The names of the queues that each node group is in."""
    owners: dict[str, list[str]] = {}
    for queue in plan.queues:
        for group in queue.node_groups:
            owners.setdefault(group.name, []).append(queue.name)
    return owners


def _share(owners: Sequence[str], queue: Queue, group: NodeGroup) -> int:
    """The nodes of ``group`` for ``queue``; the first queues get the remainder."""
    whole, rest = divmod(group.max, len(owners))
    return whole + (owners.index(queue.name) < rest)


def _borrow_percent(queue: Queue, owners: Mapping[str, Sequence[str]]) -> int:
    """What brings a queue all nodes of its groups while they are idle."""
    percent = governance_limits.ALL_IDLE_PERCENT
    for group in queue.node_groups:
        for _, share in shares(queue, group, owners):
            percent = max(percent, -(100 * (share - group.max) // share) if share else 0)
    return min(percent, governance_limits.MAX_BORROW_PERCENT)


def without_share(plan: Plan) -> Iterator[tuple[Queue, NodeGroup]]:
    """Queues with groups of which they get no node, and so can borrow none."""
    shared = owners(plan)
    for queue in plan.queues:
        for group in queue.node_groups:
            if group.max and not _share(shared[group.name], queue, group):
                yield queue, group


def mixed(plan: Plan) -> Iterator[tuple[Queue, NodeGroup]]:
    """Queues with groups of several types, by which Kueue counts here."""
    for queue in plan.queues if wanted(plan) else ():
        yield from ((queue, group) for group in queue.node_groups if len(group.types) > 1)


def _described(what: str, members: Json) -> Json:
    """``members`` with a description from which a deployment knows whether they are current."""
    text = json.dumps(members, sort_keys=True)
    return {"Description": f"{what} {sha256(text)[:12]}", **members}


# CloudFormation --------------------------------------------------------------------------------


def template(plan: Plan) -> Json:
    """The quotas as a separate stack, which requires the HyperPod cluster to be in service."""
    owned = {"ClusterArn": cfn.ref(CLUSTER), **filled(Tags=cfn.tags(plan.tags))}
    config = {"Name": plan.name, **scheduler(plan), **owned}
    made = {"Scheduler": cfn.resource("AWS::SageMaker::ClusterSchedulerConfig", config)}
    for name, members in _requests(plan).items():
        made[cfn.logical_id("quota", name)] = {
            "Type": "AWS::SageMaker::ComputeQuota",
            "DependsOn": "Scheduler",
            "Properties": {"Name": name, **members, **owned},
        }
    return cfn.template(
        f"HyperPod task governance of {plan.name}: a quota for each queue",
        made,
        parameters={CLUSTER: cfn.text("ARN of the HyperPod cluster, in service")},
    )
