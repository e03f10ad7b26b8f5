"""The EKS cluster: version, endpoint, administrators and software."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, Severity, put, unsafe
from clustergen.plan.model import Plan
from clustergen.services.eks import versions
from clustergen.targets.hyperpod_eks import governance, limits
from clustergen.targets.hyperpod_eks.options import Options
from clustergen.targets.hyperpod_eks.rules import EXISTING, NEW, note, rule, warning

_PATH: Path = ("targets", "hyperpod-eks", "eks_cluster")


@rule(
    "K8S402",
    "EKS cluster in another region",
    why="Nodes and control plane share a VPC, which is in one region.",
    source=limits.EKS_PREREQUISITES,
    bad=EXISTING.replace("us-east-1", "us-west-2"),
    good=EXISTING,
)
def region(plan: Plan) -> Iterator[Problem]:
    match = limits.EKS_CLUSTER.fullmatch(plan.options_as(Options).eks_cluster)
    if match and (match["region"], match["partition"]) != (plan.region, plan.partition):
        yield Problem(
            _PATH,
            f"{match['name']} is in {match['region']} ({match['partition']}), "
            f"the nodes are in {plan.region}",
            help=f"use a cluster in {plan.region}, or write region: {match['region']}",
        )


@warning(
    "K8S403",
    "Kubernetes version that HyperPod does not list",
    why="HyperPod has node images for some versions of Kubernetes; the EKS cluster has to have one "
    "of them.",
    source=limits.EKS_PREREQUISITES,
    bad=f"{EXISTING}\nkubernetes: {{version: '1.29'}}",
    good=f"{EXISTING}\nkubernetes: {{version: '1.34'}}",
)
def existing_version(plan: Plan) -> Iterator[Problem]:
    if not plan.options.creates_eks and plan.wrote("kubernetes", "version"):
        yield from _unlisted(
            plan, f"use an EKS cluster of version {_nearest(plan.kubernetes.version)}"
        )


@rule(
    "K8S430",
    "New EKS cluster of a version that HyperPod has no images for",
    why="HyperPod has node images for some versions of Kubernetes; nodes could not join a cluster "
    "of another version, and EKS cannot downgrade.",
    source=limits.EKS_PREREQUISITES,
    bad=f"{NEW}\nkubernetes: {{version: '1.36'}}",
)
def new_version(plan: Plan) -> Iterator[Problem]:
    if plan.options.creates_eks:
        help = f"write version: '{limits.KUBERNETES_VERSIONS[-1]}'"
        yield from _unlisted(plan, help)
        name = plan.kubernetes.version
        if name in limits.KUBERNETES_VERSIONS and versions.is_retired(name):
            fix = unsafe(put(("kubernetes", "version"), limits.KUBERNETES_VERSIONS[-1]))
            message = f"EKS no longer had Kubernetes {name} on {versions.DATE}"
            yield Problem(("kubernetes", "version"), message, help=help, fix=fix)


def _unlisted(plan: Plan, help: str) -> Iterator[Problem]:
    known, version = limits.KUBERNETES_VERSIONS, plan.kubernetes.version
    if version not in known:
        yield Problem(
            ("kubernetes", "version"),
            f"HyperPod lists Kubernetes {known[0]} to {known[-1]}, not {version}",
            help=help,
            fix=unsafe(put(("kubernetes", "version"), _nearest(version))),
        )


def _nearest(version: str) -> str:
    known = limits.KUBERNETES_VERSIONS
    minor = int(version.partition(".")[2].partition(".")[0] or 0)
    return known[0] if minor < int(known[0].partition(".")[2]) else known[-1]


_CONTROL_PLANE = {
    "version": "its version, and this one is only compared with those that HyperPod lists",
    "jobs": "its operators of jobs",
    "admins": "its administrators",
    "access": "its access entries",
    "support": "its support policy",
    "system_nodes": "the nodes of its controllers",
}


@warning(
    "K8S404",
    "Setting of an existing EKS cluster",
    why="The bundle adds nodes to the EKS cluster and does not change the cluster itself.",
    source=limits.EKS_PREREQUISITES,
    bad=f"{EXISTING}\nkubernetes: {{scheduler: volcano}}",
    good=f"{EXISTING}\nkubernetes: {{scheduler: default}}",
)
def existing_settings(plan: Plan) -> Iterator[Problem]:
    if plan.options.creates_eks:
        return
    kubernetes = plan.kubernetes
    if kubernetes.scheduler != "default":
        yield Problem(
            ("kubernetes", "scheduler"),
            f"this bundle does not install {kubernetes.scheduler}",
            help="install it in the EKS cluster, with the tool that you created the cluster with",
        )
    if kubernetes.addons:
        yield Problem(
            ("kubernetes", "addons"),
            "this bundle installs no add-ons in the EKS cluster",
            help="install them with the tool that you created the cluster with",
        )
    if kubernetes.public_endpoint_from:
        yield Problem(
            ("kubernetes", "public_endpoint_from"),
            "this bundle does not change who can reach the API of the EKS cluster",
            help="aws eks update-cluster-config --resources-vpc-config publicAccessCidrs=... "
            "changes it",
        )
    for field, what in _CONTROL_PLANE.items():
        if plan.wrote("kubernetes", field):
            yield Problem(
                ("kubernetes", field),
                f"the EKS cluster keeps {what}",
                help="change it with the tool that you created the cluster with",
                severity=Severity.NOTE if field == "version" else None,
            )
    yield from _admission(plan)


def _admission(plan: Plan) -> Iterator[Problem]:
    joined = not plan.creates_cluster
    if plan.wrote("kubernetes", "admission") and (joined or not plan.wrote("queues")):
        yield Problem(
            ("kubernetes", "admission"),
            "this bundle leaves the admission of jobs as it is",
            help="remove it"
            if joined
            else "remove it, or write queues: quotas of HyperPod task governance",
            severity=Severity.NOTE,
        )
    # A HyperPod cluster that exists keeps its quotas, too, which another rule says.
    if plan.wrote("queues") and not joined and not governance.wanted(plan):
        yield Problem(
            ("queues",),
            "queues are Kueue objects in the EKS cluster, and this bundle creates none",
            help="write kubernetes: {admission: kueue}: quotas of HyperPod task governance",
        )


@warning(
    "K8S433",
    "Software that HyperPod's bundle does not install",
    why="The bundle installs HyperPod's own chart and add-ons: Kueue through task governance, MPI "
    "and PyTorch jobs through their operators.",
    source=limits.INSTALL,
    bad=f"{NEW}\nkubernetes: {{scheduler: volcano}}",
    good=f"{NEW}\nkubernetes: {{scheduler: default}}",
)
def not_installed(plan: Plan) -> Iterator[Problem]:
    if not plan.options.creates_eks:
        return
    help = "install it with helm once the cluster exists"
    if plan.kubernetes.scheduler != "default":
        message = f"this bundle does not install {plan.kubernetes.scheduler}"
        yield Problem(("kubernetes", "scheduler"), message, help=help)
    if plan.kubernetes.jobs == "kubeflow-trainer":
        message = "HyperPod's chart installs operators for PyTorchJob and MPIJob, not Trainer"
        yield Problem(("kubernetes", "jobs"), message, help=help)


@note(
    "K8S431",
    "New EKS cluster with a private API",
    why="deploy.sh installs HyperPod's chart before there are nodes, and has to reach the API.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    bad=NEW,
    good=f"{NEW}\nkubernetes: {{public_endpoint_from: [203.0.113.0/24]}}",
)
def private_api(plan: Plan) -> Iterator[Problem]:
    if plan.options.creates_eks and not plan.kubernetes.public_endpoint_from:
        yield Problem(
            _PATH,
            "only machines inside the VPC reach the API of the new EKS cluster",
            help="run deploy.sh on a machine that reaches the VPC and the APIs of AWS, or write "
            "kubernetes: {public_endpoint_from: [...]} with the addresses that you connect from",
        )


@note(
    "MON400",
    "Interval of metrics in an existing EKS cluster",
    why="The observability add-on of an existing EKS cluster is its owner's, with its settings.",
    source=limits.OBSERVABILITY,
    bad=f"{EXISTING}\nmonitoring: {{metrics: managed-prometheus, interval: 1m}}",
    good=f"{NEW}\nmonitoring: {{metrics: managed-prometheus, interval: 1m}}",
)
def interval(plan: Plan) -> Iterator[Problem]:
    path = ("monitoring", "interval")
    if plan.wrote(*path) and not plan.options.creates_eks:
        yield Problem(
            path,
            "the add-on of the existing EKS cluster has an interval of its own",
            help="set scrapeInterval of amazon-sagemaker-hyperpod-observability there",
        )
