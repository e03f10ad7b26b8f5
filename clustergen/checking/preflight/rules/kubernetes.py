"""EKS: versions, add-ons, and an existing cluster."""

from collections.abc import Iterator
from typing import Any, Final

from clustergen.base.account import Answer
from clustergen.base.findings import Problem, Severity, rule
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import listed, where
from clustergen.plan.model import Plan

VERSIONS: Final = "eks:DescribeClusterVersions"
ADDONS: Final = "eks:DescribeAddonVersions"
CLUSTER: Final = "eks:DescribeCluster"
GUIDE: Final = "https://docs.aws.amazon.com/eks/latest/userguide/"
_PATH: Final = ("kubernetes", "version")


def _is_new(plan: Plan) -> bool:
    return plan.system is not None


@rule(
    "PRE085",
    "EKS does not offer the version of Kubernetes",
    why="EKS supports a version for 14 months, then for 12 more at a higher price.",
    source=f"{GUIDE}kubernetes-versions.html",
    calls=(VERSIONS,),
    by_hand=where(_is_new, "EKS offers Kubernetes {plan.kubernetes.version}, in standard support"),
    bad="eks:DescribeClusterVersions: {clusterVersion: '1.20'}",
    good="eks:DescribeClusterVersions: {}",
)
def version(case: Case) -> Iterator[Problem]:
    wanted = case.plan.kubernetes.version
    known = {each["clusterVersion"]: each for each in case.every(VERSIONS, "clusterVersions")}
    found = known.get(wanted)
    offered = ", ".join(sorted(known, key=lambda text: [int(n) for n in text.split(".")]))
    if found is None:
        message = f"EKS does not offer Kubernetes {wanted} in {case.region}"
        yield Problem(_PATH, message, f"write one of {offered}")
    elif _status(found) == "unsupported":
        yield Problem(_PATH, f"EKS no longer supports {wanted}", f"write one of {offered}")
    elif _status(found) == "extended-support" and case.plan.kubernetes.support == "auto":
        message = f"{wanted} is in extended support, which costs more"
        help = f"write one of {offered}, or `support: extended`"
        yield Problem(_PATH, message, help, severity=Severity.WARNING)


def _status(version: Answer) -> str:
    """`standard-support`, `extended-support` or `unsupported`; the API has two spellings."""
    said = version.get("versionStatus") or version.get("status") or ""
    return str(said).lower().replace("_", "-")


def _addons(plan: Plan) -> list[str]:
    """The add-ons of EKS in the stack of the cluster."""
    from clustergen.services.eks import addons  # every render imports this module, few are of EKS

    made = (*addons.NETWORKING, *addons.wanted(plan))
    own = (addons.NODE_MONITORING, addons.KUBE_STATE_METRICS)
    return [addon.name for addon in made if not plan.sagemaker or addon not in own]


@rule(
    "PRE086",
    "An add-on does not exist for the version of Kubernetes",
    why="New versions of Kubernetes and new regions get some add-ons later.",
    source=f"{GUIDE}workloads-add-ons-available-eks.html",
    calls=(ADDONS,),
    by_hand=where(
        _is_new, "EKS has all add-ons of the template for Kubernetes {plan.kubernetes.version}"
    ),
    bad="eks:DescribeAddonVersions: []",
    good="eks:DescribeAddonVersions: {}",
)
def addon(case: Case) -> Iterator[Problem]:
    wanted = case.plan.kubernetes.version
    found = case.every(ADDONS, "addons", kubernetesVersion=wanted)
    known = {each["addonName"] for each in found if each.get("addonVersions")}
    missing = [name for name in _addons(case.plan) if name not in known]
    if missing:
        message = f"EKS has no {', '.join(missing)} for Kubernetes {wanted} in {case.region}"
        help = f"aws eks describe-addon-versions --region {case.region} --addon-name {missing[0]}"
        yield Problem(_PATH, message, f"write another version; {help}")


def _joined(plan: Plan) -> tuple[str, str]:
    """The option that names an existing EKS cluster, and its value; empty if the cluster is new."""
    option = "eks_cluster" if plan.sagemaker else "cluster"
    is_eks = plan.sagemaker or plan.target == "eks"
    return option, plan.existing.named.get(option, "") if is_eks else ""


def _cluster_by_hand(plan: Plan) -> str:
    _, joined = _joined(plan)
    if not joined:
        return ""
    how = "with access entries (API)" if plan.sagemaker else "and you have access"
    return f"{listed([joined])} is active and in the VPC, {how}"


@rule(
    "PRE087",
    "The EKS cluster cannot take the nodes",
    why="Nodes join an active EKS cluster in their VPC, those of HyperPod by an access entry. "
    "Nodes of managed node groups are not newer than the control plane.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/"
    "sagemaker-hyperpod-eks-prerequisites.html",
    calls=(CLUSTER,),
    by_hand=_cluster_by_hand,
    bad="eks:DescribeCluster: {cluster: {status: FAILED}}",
    good="eks:DescribeCluster: {cluster: {status: ACTIVE}}",
)
def eks_cluster(case: Case) -> Iterator[Problem]:
    option, joined = _joined(case.plan)
    name, path = joined.rpartition("/")[2], ("targets", case.traits.section, option)
    found = (case.find(CLUSTER, name=name) or {}).get("cluster")
    if not found:
        help = f"aws eks list-clusters --region {case.region}"
        yield Problem(path, f"there is no EKS cluster {name} in {case.region}", help)
        return
    mode = found.get("accessConfig", {}).get("authenticationMode", "API")
    theirs, mine = found.get("resourcesVpcConfig", {}).get("vpcId"), network.vpc_of(case.plan)
    if found.get("status", "ACTIVE") not in ("ACTIVE", "UPDATING"):
        message = f"the EKS cluster {name} is {found['status']}"
        help = f"aws eks describe-cluster --region {case.region} --name {name}"
        yield Problem(path, message, help)
    if mode == "CONFIG_MAP" and case.plan.sagemaker:
        yield Problem(
            path,
            f"the EKS cluster {name} has no access entries",
            f"aws eks update-cluster-config --region {case.region} --name {name} --access-config "
            "authenticationMode=API_AND_CONFIG_MAP",
        )
    if theirs and mine and theirs != mine:
        message = f"the EKS cluster {name} is in {theirs}, and the nodes in {mine}"
        yield Problem(path, message, f"write `network: {{vpc: {theirs}}}`")
    if not case.plan.sagemaker:
        yield from _for_managed_nodes(case.plan, name, found)


def _for_managed_nodes(plan: Plan, name: str, found: dict[str, Any]) -> Iterator[Problem]:
    """What managed node groups need besides."""
    runs, wanted = str(found.get("version", "")), plan.kubernetes.version
    known, help = runs and plan.wrote(*_PATH), f'write `kubernetes: {{version: "{runs}"}}`'
    if known and _minor(wanted) > _minor(runs):
        message = f"{name} runs Kubernetes {runs}, and nodes of {wanted} are newer"
        yield Problem(_PATH, message, help)
    elif known and _minor(wanted) < _minor(runs):
        # https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html
        message = f"{name} runs Kubernetes {runs}, and new node groups are of that version only"
        yield Problem(_PATH, message, help, severity=Severity.WARNING)
    group = found.get("resourcesVpcConfig", {}).get("clusterSecurityGroupId")
    given = plan.existing.security_group
    if group and given and group != given:
        path = ("targets", "eks", "cluster_security_group")
        yield Problem(
            path, f"{given} is not the cluster security group of {name}", f"write {group}"
        )


def _minor(version: str) -> int:
    return int(version.partition(".")[2] or 0)
