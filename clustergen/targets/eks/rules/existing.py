"""What a bundle does not change in an existing cluster."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, Severity, put, unsafe, unwanted
from clustergen.plan import existing_cluster
from clustergen.plan.model import Plan
from clustergen.targets.eks import limits
from clustergen.targets.eks.options import Options
from clustergen.targets.eks.rules import JOINED, KNOWN, rule, warning

_PARTS = ("control-plane-logs", "secrets-key", "ebs-driver", "node-monitoring")
"""What ``leave_out`` names of a cluster."""
_VERSION: Path = ("kubernetes", "version")


@warning(
    "K8S545",
    "Cluster-wide setting for an existing cluster",
    why="The bundle adds node groups and queues to an existing cluster, and leaves everything else "
    "to its owner.",
    source=limits.CREATE_NODE_GROUP,
    bad=JOINED.replace(KNOWN, f"{KNOWN}, support: extended"),
)
def of_the_cluster(plan: Plan) -> Iterator[Problem]:
    yield from existing_cluster.without_effect(plan, plan.existing.owned)
    yield from _left_out(plan)
    admission = ("kubernetes", "admission")
    queued = plan.wrote("queues") or plan.creates_cluster
    if plan.wrote(*admission) and not queued:
        yield Problem(
            admission,
            "without queues, the bundle leaves the admission of jobs as it is",
            help="write queues",
            severity=Severity.NOTE,
        )


def _left_out(plan: Plan) -> Iterator[Problem]:
    for word in () if plan.creates_cluster else _PARTS:
        if plan.options.leaves_out(word):
            yield Problem(
                ("targets", "eks", "leave_out"),
                f"{word} in leave_out has no effect on an existing cluster",
                help=f"remove {word}",
            )


@warning(
    "K8S546",
    "Unknown Kubernetes version of an existing cluster",
    why="Charts, labels and quotas depend on the version. Nodes are of the version of the control "
    "plane when they are created, and follow later versions only if the spec has one.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/update-managed-node-group.html",
    bad=JOINED.replace(f"kubernetes: {{{KNOWN}}}", ""),
    good=JOINED,
)
def version_of_the_cluster(plan: Plan) -> Iterator[Problem]:
    if not plan.creates_cluster and not plan.wrote(*_VERSION):
        yield Problem(
            ("targets", "eks", "cluster"),
            f"without kubernetes.version, the bundle assumes {plan.kubernetes.version}",
            help="write kubernetes.version, that of the cluster: aws eks describe-cluster --name "
            f"{plan.cluster_name} --query cluster.version",
        )


@rule(
    "K8S547",
    "Software of which a cluster has only one installation",
    why="Karpenter, the GPU operator and a Prometheus serve all nodes of a cluster, and a second "
    "one competes with that of the owner. A stack cannot look at what the cluster has.",
    source="https://karpenter.sh/docs/getting-started/migrating-from-cas/",
    bad=JOINED.replace(KNOWN, f"{KNOWN}, autoscaler: karpenter"),
)
def software_of_the_owner(plan: Plan) -> Iterator[Problem]:
    if plan.creates_cluster:
        return
    if plan.kubernetes.autoscaler == "karpenter":
        yield Problem(
            ("kubernetes", "autoscaler"),
            "the bundle does not set up Karpenter in an existing cluster",
            help="remove it, for managed node groups; or ask the owner for a node pool",
            fix=unsafe(put(("kubernetes", "autoscaler"), "none")),
        )
    if plan.options_as(Options).by_stack:
        yield Problem(
            ("targets", "eks", "install"),
            "a stack installs software without looking at what the cluster has",
            help="write install: script",
            fix=unsafe(put(("targets", "eks", "install"), "script")),
        )
    for group in plan.node_groups:
        if group.mig:
            yield unwanted(
                group.at("mig"),
                "mig needs the GPU operator, which the bundle does not install in an existing "
                "cluster",
                help="remove mig, and label the nodes for the operator of the cluster: "
                "labels: {nvidia.com/mig.config: NAME}",
            )


@rule(
    "MON500",
    "Metrics of an existing cluster",
    why="The metrics collector of a cluster covers all its nodes, and belongs to its owner.",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html",
    bad=f"{JOINED}\nmonitoring: {{metrics: cloudwatch}}",
)
def metrics(plan: Plan) -> Iterator[Problem]:
    if plan.creates_cluster:
        return
    wrote_dashboards = plan.wrote("monitoring", "dashboards")
    named = {
        "metrics": plan.monitoring.metrics,
        "dashboards": plan.monitoring.dashboards if wrote_dashboards else "none",
    }
    for field, value in named.items():
        if value != "none":
            path = ("monitoring", field)
            yield Problem(
                path,
                f"the bundle collects no metrics in {plan.cluster_name}",
                help=f"remove {field}: what the cluster has measures the new nodes, too",
                fix=unsafe(put(path, "none")),
            )
