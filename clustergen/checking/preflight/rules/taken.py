"""Stacks and clusters that have the names of the plan already."""

from collections.abc import Iterator
from typing import Final

from clustergen.base.findings import Problem, Severity, rule
from clustergen.checking.preflight import names
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about, listed
from clustergen.deployment.model import Stack
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.aws import marks
from clustergen.services.foundation import deployment
from clustergen.services.monitoring import stack as monitoring
from clustergen.targets.batch import names as batch

PCS: Final = "pcs:ListClusters"
PCS_GROUPS: Final = "pcs:ListComputeNodeGroups"
PCS_QUEUES: Final = "pcs:ListQueues"
EKS: Final = "eks:DescribeCluster"
SUMMARY: Final = "cloudformation:GetTemplateSummary"
EKS_GROUPS: Final = "eks:ListNodegroups"
QUEUES: Final = "batch:DescribeJobQueues"
STATES: Final = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html"
)


@rule(
    "PRE080",
    "A stack of this name cannot be updated",
    why="CloudFormation does not update a stack after some failures, nor while it changes.",
    source=STATES,
    calls=(names.STACKS,),
    by_hand=about(lambda plan: [plan.name], "no stack of {names} is in a failed state"),
    bad="cloudformation:DescribeStacks: {StackStatus: UPDATE_ROLLBACK_FAILED}",
    good="cloudformation:DescribeStacks: {StackStatus: UPDATE_COMPLETE}",
)
def stack(case: Case) -> Iterator[Problem]:
    plan = case.plan
    for name in (plan.stack("foundation"), monitoring.name(plan), *names.cluster_stacks(plan)):
        found = names.stack(case, name)
        status = found["StackStatus"] if found else ""
        of_stack = f"--region {case.region} --stack-name {name}"
        if status == "UPDATE_ROLLBACK_FAILED":
            help = f"aws cloudformation continue-update-rollback {of_stack}"
            yield Problem(("name",), f"the stack {name} is {status}", help)
        elif status in ("CREATE_FAILED", "ROLLBACK_FAILED", "DELETE_FAILED"):
            help = f"aws cloudformation delete-stack {of_stack}"
            yield Problem(("name",), f"the stack {name} is {status}", help)
        elif status.endswith("_IN_PROGRESS") and status != "REVIEW_IN_PROGRESS":
            message, help = f"the stack {name} is {status}", "wait: deploy.sh waits as well"
            yield Problem(("name",), message, help, severity=Severity.WARNING)


def _owned(plan: Plan) -> dict[str, Stack]:
    """The stacks of clustergen's, by name."""
    found = dict(deployment.stacks(plan))
    if not foundation.build(plan).resources:
        del found["foundation"]
    return {each.name: each for each in found.values()}


@rule(
    "PRE082",
    "A stack of this name belongs to others",
    why="deploy.sh changes and deletes only stacks whose template is marked as this bundle's, and "
    "those of earlier versions and of adopted clusters.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/metadata-section-structure.html",
    calls=(names.STACKS, SUMMARY),
    by_hand=about(
        _owned,
        "stacks that are called {names} are of this spec (`aws cloudformation "
        "get-template-summary --stack-name NAME --query Metadata`)",
    ),
    bad="cloudformation:DescribeStacks: {}\n"
    "cloudformation:GetTemplateSummary: {Metadata: '{}', Description: Another}",
    good="cloudformation:DescribeStacks: {}\ncloudformation:GetTemplateSummary: {}",
)
def stack_is_not_ours(case: Case) -> Iterator[Problem]:
    for name, own in _owned(case.plan).items():
        found = names.stack(case, name)
        if found is None or found["StackStatus"] == "REVIEW_IN_PROGRESS":
            continue
        shown = case.ask(SUMMARY, StackName=name)
        mark = marks.owner(shown.get("Metadata", ""))
        # The overlay of an adopted stack is its template, with a description of its own.
        adopts = case.plan.overlay is not None and "Description" in case.plan.overlay
        known = mark is None and (shown.get("Description") in own.described or adopts)
        if mark == own.mark or known:
            continue
        of = f"{mark.cluster} ({mark.target})" if mark else "an unknown owner"
        help = "write another name, or delete the stack if nobody needs it"
        yield Problem(("name",), f"the stack {name} is of {of}, and deploy.sh stops there", help)


def _by_hand(plan: Plan) -> str:
    if plan.target == "batch":
        return f"no other job queue is called {listed(_queues(plan))}" if plan.queues else ""
    if joined := names.existing_hyperpod(plan):
        groups = [group.name for group in plan.node_groups]
        return f"{listed([joined])} has no instance groups {listed(groups)} that others created"
    if joined := _joined(plan):
        if plan.target == "eks":
            found = listed(_groups(plan))
            return f"{listed([joined])} has no node groups {found} that others created"
        members = dict.fromkeys((*_groups(plan), *(queue.name for queue in plan.queues)))
        found = listed(members)
        return f"{listed([joined])} has no node groups or queues {found} that others created"
    return f"no other cluster is called {listed([plan.name])}" if plan.target else ""


@rule(
    "PRE081",
    "Another cluster has the name",
    why="Names of clusters are unique in an account and region. Stacks do not take over what they "
    "did not create.",
    source=STATES,
    calls=(*names.DEPLOYED, PCS, PCS_GROUPS, PCS_QUEUES, EKS, EKS_GROUPS, QUEUES),
    by_hand=_by_hand,
    bad="pcs:ListClusters: {name: example}",
    good="pcs:ListClusters: []",
)
def cluster(case: Case) -> Iterator[Problem]:
    if what := _other(case):
        message = f"the account has {what}, which no bundle of this spec created"
        yield Problem(("name",), message, "write another name, or delete what has this one")


def _other(case: Case) -> str:
    """What has the name of the cluster without its stack; empty if nothing has."""
    plan = case.plan
    if plan.target == "parallelcluster":
        return _stack_without_tag(case)
    if plan.sagemaker and ((known := _hyperpod(case)) or not plan.system):
        return known
    if any(names.stack(case, name) for name in names.cluster_stacks(plan)):
        return ""
    match plan.target:
        case "pcs" if _joined(plan):
            return _member(case, _joined(plan))
        case "eks" if _joined(plan):
            return _node_group(case, _joined(plan))
        case "pcs":
            clusters = case.every(PCS, "clusters")
            found = any(each["name"] == plan.name for each in clusters)
            return f"a PCS cluster {plan.name}" if found else ""
        case "batch":
            queues = case.every(QUEUES, "jobQueues", jobQueues=_queues(plan))
            taken = ", ".join(each["jobQueueName"] for each in queues)
            return f"a job queue {taken}" if taken else ""
    exists = case.find(EKS, name=plan.name) is not None
    return f"an EKS cluster {plan.name}" if exists else ""


def _joined(plan: Plan) -> str:
    """The existing cluster of PCS or EKS to which node groups are added; empty for a new one."""
    return plan.existing.cluster if plan.target in ("pcs", "eks") else ""


def _groups(plan: Plan) -> list[str]:
    """Names of the node groups, which are unique in a cluster of PCS or EKS."""
    return [*(group.name for group in plan.node_groups), *(["login"] if plan.login else [])]


def _member(case: Case, cluster: str) -> str:
    """What an existing PCS cluster has under a name of the plan."""
    queues = [queue.name for queue in case.plan.queues]
    return " and ".join(
        f"a {kind} {each['name']} in {cluster}"
        for kind, call, member, wanted in (
            ("node group", PCS_GROUPS, "computeNodeGroups", _groups(case.plan)),
            ("queue", PCS_QUEUES, "queues", queues),
        )
        for each in case.every(call, member, clusterIdentifier=cluster)
        if each["name"] in wanted
    )


def _node_group(case: Case, cluster: str) -> str:
    """What an existing EKS cluster has under a name of the plan."""
    if case.find(EKS, name=cluster) is None:
        return ""
    found = case.every(EKS_GROUPS, "nodegroups", clusterName=cluster)
    taken = [f"a node group {name} in {cluster}" for name in _groups(case.plan) if name in found]
    return " and ".join(taken)


def _stack_without_tag(case: Case) -> str:
    """ParallelCluster's stack has the name of the cluster, and a tag with its version."""
    found = names.stack(case, case.plan.name)
    tags = [tag["Key"] for tag in found.get("Tags", ())] if found else []
    ours = found is None or "parallelcluster:version" in tags
    return "" if ours else f"a stack {case.plan.name}"


def _hyperpod(case: Case) -> str:
    """HyperPod clusters have no stack of their own; ours has a foundation, with its roles."""
    if names.stack(case, case.plan.stack("foundation")) or not names.is_deployed(case):
        return ""
    if joined := names.existing_hyperpod(case.plan):
        return f"{', '.join(names.existing_groups(case))} among the instance groups of {joined}"
    return f"a HyperPod cluster {case.plan.name}"


def _queues(plan: Plan) -> list[str]:
    """Names of the job queues on Batch, which are unique in an account and region."""
    return [batch.queue(plan, queue) for queue in plan.queues]
