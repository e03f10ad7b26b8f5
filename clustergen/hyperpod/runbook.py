"""Runbook entries that both HyperPod targets share."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.hyperpod import cluster
from clustergen.plan.model import Plan
from clustergen.runbook import WAIT, session


def pause(plan: Plan, rest: str) -> str:
    """How compute stops; ``rest`` is what runs on, besides storage."""
    groups = "worker groups" if plan.creates_cluster else "added instance groups"
    return (
        f"`./deploy.sh --pause` sets the {groups} to zero instances, and `--resume` restores "
        f"them. {rest} and storage continue to cost money, and so does a training plan. Running "
        "jobs end, and local data on the nodes is lost"
    )


def waits(plan: Plan) -> str:
    """What the deployment waits for, and how long."""
    what = "the cluster" if plan.creates_cluster else "the instance groups"
    return (
        f"the foundation takes up to 40 minutes with file systems, {what} 10 to 30, and deep "
        f"health checks up to 90 more; `deploy.sh` waits up to three hours for {what}. {WAIT}"
    )


def logs(plan: Plan) -> str:
    """Where HyperPod puts the logs of nodes."""
    return (
        f"CloudWatch has `/aws/sagemaker/Clusters/{cluster.name(plan)}/CLUSTER-ID`, with a stream "
        "`LifecycleConfig/GROUP/INSTANCE-ID` for the scripts of each node"
    )


# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ListClusterEvents.html
def failures(plan: Plan, *, continuous: bool) -> str:
    """What shows why nodes failed: only continuous provisioning has events of single nodes."""
    if continuous:
        return f"{_sagemaker(plan, 'list-cluster-events')} lists failures with their reasons"
    failure = _sagemaker(plan, "describe-cluster", "--query FailureMessage --output text")
    return f"{failure} prints the reason for the failure"


# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-run-jobs-slurm-access-nodes.html
def access(plan: Plan) -> str:
    """How to get a shell: EC2 does not show the instances to their account."""
    nodes = _sagemaker(plan, "list-cluster-nodes", "--output table")
    arn = _sagemaker(plan, "describe-cluster", "--query ClusterArn --output text")
    return (
        f"{session(plan.region, 'sagemaker-cluster:CLUSTER-ID_GROUP-INSTANCE-ID')}: {nodes} shows "
        f"the GROUP and the INSTANCE-ID of each node, {arn} ends with the CLUSTER-ID"
    )


def listed(plan: Plan, query: str) -> str:
    """The command that prints what ``query`` selects of the nodes."""
    return _sagemaker(plan, "list-cluster-nodes", f"--query {query}", "--output text")


# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_BatchRebootClusterNodes.html and
# API_BatchReplaceClusterNodes.html
def repair(plan: Plan) -> str:
    """Reboots and replacements by the service's API, which needs no scheduler."""
    reboot = _sagemaker(plan, "batch-reboot-cluster-nodes", "--node-ids INSTANCE-ID")
    return (
        f"{reboot} also reboots it, and `batch-replace-cluster-nodes` with the same options "
        "replaces it, if the node no longer answers"
    )


def joined(plan: Plan) -> Iterator[str]:
    """Steps for instance groups that are added to an existing cluster."""
    yield (
        "`./deploy.sh --dry-run` prints every command, `./deploy.sh` runs them: it adds or updates "
        f"the instance groups of `update-cluster.json` in the cluster {cluster.name(plan)}, and "
        "waits until they are in service"
    )
    yield (
        "nothing else of that cluster changes: its other groups, its network, its security groups, "
        "its tags and whether failed nodes are replaced. The bucket of scripts has the names and "
        "roles of the groups that `deploy.sh` added, and it never updates or deletes other ones"
    )


def destroy(plan: Plan, stays: str) -> str:
    """What deletes the cluster, or what was added to it; ``stays`` follows."""
    if cluster.is_new(plan):
        return f"`./deploy.sh --destroy` deletes the cluster; {stays}"
    return (
        "`./deploy.sh --destroy` deletes the instance groups that it added; the cluster with its "
        f"other groups, {stays}"
    )


def _sagemaker(plan: Plan, operation: str, *options: str) -> str:
    where = f"--region {plan.region} --cluster-name {cluster.name(plan)}"
    return f"`{' '.join(('aws sagemaker', operation, where, *options))}`"
