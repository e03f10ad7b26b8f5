"""VPC and subnets."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import as_list
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.rules.document import EKS, in_group, in_request, rule
from clustergen.services.hyperpod.rules.document.storage import mounted

_MOUNTS = f"{limits.GUIDE}sagemaker-hyperpod-ref.html"
_SUBNETS = [f"subnet-0a1b2c3d4e5f6789{n}" for n in range(2)]


def _override(subnets: list[str]) -> str:
    given = f"SecurityGroupIds: [sg-0a1b2c3d4e5f67890], Subnets: [{', '.join(subnets)}]"
    return f"OverrideVpcConfig: {{{given}}}"


@rule(
    "OVL314",
    "What needs VpcConfig without it",
    why="VpcConfig names the VPC of the account in which the nodes of a cluster with EKS are, and "
    "from which file systems are reached. A group overrides the network of the cluster.",
    source=limits.PREREQUISITES,
    target=EKS,
    bad=in_request("VpcConfig: null", EKS),
    good=in_request("VpcConfig: {Subnets: [subnet-0a1b2c3d4e5f67890]}", EKS),
)
def no_vpc(document: Document) -> Iterator[Problem]:
    if "VpcConfig" in document:
        return
    if document.is_eks:
        yield document.problem("VpcConfig", "an EKS cluster without VpcConfig", "add it")
    for group in document.groups:
        if "OverrideVpcConfig" in group:
            message = "OverrideVpcConfig without VpcConfig"
            yield group.problem("OverrideVpcConfig", message, "add VpcConfig")
    for group, name, _ in mounted(document):
        message = f"{name} without VpcConfig"
        yield group.problem("InstanceStorageConfigs", message, "add VpcConfig", _MOUNTS)


@rule(
    "OVL336",
    "Nodes with EFA in several subnets",
    why="EFA traffic does not leave a subnet.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-limits",
    bad=in_group(_override(_SUBNETS)),
    good=in_group(_override(_SUBNETS[:1])),
)
def efa_subnets(document: Document) -> Iterator[Problem]:
    for group in document.all_groups:
        subnets = as_list(group.part("OverrideVpcConfig").get("Subnets"))
        if len(subnets) > 1 and any(type.efa for type in group.types):
            yield group.problem(
                "OverrideVpcConfig",
                f"nodes with EFA in {len(subnets)} subnets, though EFA does not leave one",
                "name one subnet",
            )
