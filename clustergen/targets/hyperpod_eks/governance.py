"""HyperPod task governance: compute quotas from the queues of the spec.

A queue becomes a team of task governance. Its quota is the capacity of its node groups; a group of
several queues is divided evenly, and each queue borrows idle capacity of the others. The bundle has
requests and, in regions with the resource types, a CloudFormation template.

https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from clustergen import shell
from clustergen.artifacts import Artifact, Json, json_artifact
from clustergen.aws import cfn
from clustergen.catalog import InstanceType
from clustergen.digests import sha256
from clustergen.hyperpod import cluster
from clustergen.hyperpod.names import ml_name
from clustergen.kubernetes.names import PRIORITY_LABEL, QUEUE_LABEL
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.targets.hyperpod_eks import eks_cluster, governance_limits

FOLDER = "governance"
SCRIPT = "govern.sh"
SCHEDULER = f"{FOLDER}/cluster-scheduler-config.json"
TAGS = f"{FOLDER}/tags.json"
TEMPLATE = "governance.template.json"
CLUSTER = "HyperPodClusterArn"
"""The parameter of the template: the output ``ClusterArn`` of the cluster's stack."""
TASK_GOVERNANCE = "amazon-sagemaker-hyperpod-taskgovernance"
"""The add-on that installs Kueue."""
_DESCRIBED = "The nodes of queue "
"""How the description of a queue's quota begins, from which ``govern.sh`` knows its own."""

_PRIORITIES = "Priorities of the queues"


def wanted(plan: Plan) -> bool:
    """Whether Kueue admits jobs; existing EKS clusters are changed only if the spec has queues.

    The quotas of an existing HyperPod cluster share its one scheduler configuration.
    """
    requested = eks_cluster.is_new(plan) or plan.wrote("queues")
    return plan.kubernetes.admission == "kueue" and requested and cluster.is_new(plan)


def files(plan: Plan) -> Iterator[Artifact]:
    """The requests, without values that only ``deploy.sh`` has, and the template if supported."""
    if not wanted(plan):
        # An earlier bundle of this spec may have made quotas.
        if cluster.is_new(plan):
            yield _script(plan)
        return
    yield _script(plan)
    yield json_artifact(SCHEDULER, scheduler(plan))
    for queue in plan.queues:
        yield json_artifact(quotas(plan)[queue.name], quota(plan, queue))
    if plan.tags:
        yield Artifact(TAGS, json.dumps(cfn.tags(plan.tags), indent=2, ensure_ascii=False) + "\n")
    if plan.region in governance_limits.TEMPLATE_REGIONS:
        yield json_artifact(TEMPLATE, template(plan))


def _script(plan: Plan) -> Artifact:
    text = shell.render(
        "hyperpod/govern.sh.j2",
        plan=plan,
        eks_cluster=eks_cluster.name(plan),
        addon=TASK_GOVERNANCE,
        scheduler=SCHEDULER if wanted(plan) else "",
        quotas=quotas(plan),
        described=_DESCRIBED,
        scheduler_described=f"{_PRIORITIES} ",
        tags=f"--tags file://{TAGS} " if plan.tags else "",
    )
    return Artifact(SCRIPT, text, executable=True)


def quotas(plan: Plan) -> dict[str, str]:
    """Name and file of each queue's quota; empty without quotas."""
    queues = plan.queues if wanted(plan) else ()
    return {queue.name: f"{FOLDER}/compute-quota-{queue.name}.json" for queue in queues}


def namespaces(plan: Plan) -> tuple[str, ...]:
    """The namespaces of jobs: those that task governance creates for teams, or else one.

    HyperPod resumes jobs only in kubeflow, which its chart creates, and in hyperpod-ns-*.
    https://github.com/aws/sagemaker-hyperpod-cli (2.0: validate_yaml_content)
    """
    alone = "kubeflow" if plan.resilience.auto_resume else "default"
    return tuple(_namespace(name) for name in quotas(plan)) or (alone,)


def by_queue(plan: Plan) -> dict[str, str]:
    """Queue -> the namespace of its jobs."""
    [first, *_], governed = namespaces(plan), quotas(plan)
    return {q.name: _namespace(q.name) if q.name in governed else first for q in plan.queues}


def _namespace(queue: str) -> str:
    return f"hyperpod-ns-{queue}"


def namespace_of(plan: Plan, group: NodeGroup) -> str:
    """The namespace for jobs on a group: that of the first queue that has it."""
    queue = _queue_of(plan, group)
    return _namespace(queue.name) if queue else namespaces(plan)[0]


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
    return _described(_PRIORITIES, {"SchedulerConfig": config})


def quota(plan: Plan, queue: Queue) -> Json:
    """The members that CreateComputeQuota and its update share, for one queue."""
    weight = weights(plan).get(queue.name)
    config = {
        "ComputeQuotaResources": list(resources(plan, queue)),
        "ResourceSharingConfig": {
            "Strategy": "LendAndBorrow",
            "BorrowLimit": governance_limits.BORROW_PERCENT,
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
    return _described(f"{_DESCRIBED}{queue.name}", members)


def weights(plan: Plan) -> dict[str, int]:
    """Weights of queues with a priority; priorities above 100 are scaled down."""
    given = {q.name: q.priority for q in plan.queues if q.priority is not None}
    most, highest = governance_limits.MAX_WEIGHT, max(given.values(), default=0)
    if highest <= most:
        return given
    return {name: round(priority * most / highest) for name, priority in given.items()}


def resources(plan: Plan, queue: Queue) -> Iterator[Json]:
    """The resources of a queue: instances by type, or GPU partitions by kind."""
    counts: dict[tuple[str, str], int] = {}
    owners = _owners(plan)
    for group in queue.node_groups:
        for type, nodes in _by_type(group, _share(owners[group.name], queue, group)):
            for partition, count in _parts(group).items():
                key = (ml_name(type), partition)
                counts[key] = counts.get(key, 0) + nodes * count
    for (type_name, partition), count in counts.items():
        if partition:
            part = {"Type": partition, "Count": count}
            yield {"InstanceType": type_name, "AcceleratorPartition": part}
        else:
            yield {"InstanceType": type_name, "Count": count}


def _by_type(group: NodeGroup, nodes: int) -> Iterator[tuple[InstanceType, int]]:
    """The nodes of a group, divided among its types so that the total is never exceeded."""
    each, rest = divmod(nodes, len(group.types))
    for index, type in enumerate(group.types):
        share = each + (index < rest)
        if share or index == 0:
            yield type, share


def _parts(group: NodeGroup) -> dict[str, int]:
    """The partitions of one node of a group; for whole nodes, the key is ""."""
    if not group.mig:
        return {"": 1}
    return {f"mig-{profile}": n * group.type.gpus for profile, n in group.mig.items()}


def _owners(plan: Plan) -> dict[str, list[str]]:
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


def _described(what: str, members: Json) -> Json:
    """``members`` with a description from which ``deploy.sh`` knows whether they are current."""
    text = json.dumps(members, sort_keys=True)
    return {"Description": f"{what} {sha256(text)[:12]}", **members}


# CloudFormation --------------------------------------------------------------------------------


def template(plan: Plan) -> Json:
    """The quotas as a separate stack, which requires the HyperPod cluster to be in service."""
    tags = {"Tags": cfn.tags(plan.tags)} if plan.tags else {}
    owned = {"ClusterArn": cfn.ref(CLUSTER), **tags}
    made = {
        "Scheduler": {
            "Type": "AWS::SageMaker::ClusterSchedulerConfig",
            "Properties": {"Name": plan.name, **scheduler(plan), **owned},
        }
    }
    for queue in plan.queues:
        made[cfn.logical_id("quota", queue.name)] = {
            "Type": "AWS::SageMaker::ComputeQuota",
            "DependsOn": "Scheduler",
            "Properties": {"Name": queue.name, **quota(plan, queue), **owned},
        }
    return {
        "AWSTemplateFormatVersion": cfn.FORMAT_VERSION,
        "Description": f"HyperPod task governance of {plan.name}: a quota for each queue",
        "Parameters": {
            CLUSTER: {"Type": "String", "Description": "ARN of the HyperPod cluster, in service"}
        },
        "Resources": made,
    }
