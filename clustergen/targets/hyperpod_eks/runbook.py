"""The runbook of a HyperPod cluster with EKS."""

from __future__ import annotations

from clustergen.hyperpod import runbook as hyperpod
from clustergen.kubernetes import runbook as kubernetes
from clustergen.plan.model import Plan
from clustergen.runbook import Runbook
from clustergen.targets.hyperpod_eks import charts, cluster, eks_cluster, limits


def runbook(plan: Plan) -> Runbook:
    """The runbook for a plan without errors."""
    ours = ", its system nodes" if eks_cluster.is_new(plan) else ""
    return Runbook(
        logs=f"{hyperpod.logs(plan)}; {kubernetes.LOGS}",
        access=f"{hyperpod.access(plan)}. In Kubernetes, a node has the name "
        "`hyperpod-INSTANCE-ID`",
        failed_boot=f"{hyperpod.failures(plan, continuous=cluster.is_continuous(plan))}; the "
        "node's log stream ends with the line that failed. A node that never shows up in `kubectl "
        "get nodes` has no access to the EKS cluster: `aws eks list-access-entries` must list its "
        "role",
        drain=kubernetes.DRAIN,
        # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-resiliency-manual.html
        replace=f"`kubectl label node NODE {limits.HEALTH_LABEL}=UnschedulablePendingReplacement "
        "--overwrite` has HyperPod replace the node, with empty volumes and another name; "
        f"`UnschedulablePendingReboot` has it reboot the node. {hyperpod.repair(plan)}. HyperPod "
        "replaces accelerated nodes that its health agent finds faulty automatically, CPU nodes "
        "never",
        users=kubernetes.USERS if eks_cluster.is_new(plan) else kubernetes.USERS_OF_OTHERS,
        pause=hyperpod.pause(plan, f"The EKS cluster{ours}"),
        waits=hyperpod.waits(plan),
        remains=_remains(plan),
    )


def _remains(plan: Plan) -> str:
    if eks_cluster.is_new(plan):
        return kubernetes.remains(plan)
    if not plan.creates_cluster:
        return ""
    return (
        f"HyperPod's chart in {eks_cluster.name(plan)}, if `{charts.INSTALL}` installed it: `helm "
        f"uninstall {charts.RELEASE} --namespace kube-system` deletes it with its kinds, and all "
        "MPIJobs"
    )
