"""Roles, users and instance profiles in the spec, and roles of services."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.findings import Path, Problem, Severity
from clustergen.plan.model import Efs, Lustre, OpenZfs, Plan
from clustergen.preflight import network
from clustergen.preflight.case import IDENTITY, Case
from clustergen.preflight.rules import listed, rule
from clustergen.preflight.service_roles import SERVICES
from clustergen.readme import existing

IAM: Final = "https://docs.aws.amazon.com/IAM/latest/UserGuide/"
EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"
ROLE: Final = "iam:GetRole"
USER: Final = "iam:GetUser"
PROFILE: Final = "iam:GetInstanceProfile"


def _principals(plan: Plan) -> Mapping[str, Path]:
    """The ARNs of roles, users and instance profiles in the spec, and where they are."""
    found: dict[str, Path] = {}
    for owner in network.owners(plan):
        for field in ("role", "instance_profile"):
            if arn := getattr(owner.iam, field):
                found.setdefault(arn, owner.at("iam", field))
    if plan.scheduler == "kubernetes":
        for number, arn in enumerate(plan.kubernetes.admins):
            found.setdefault(arn, ("kubernetes", "admins", number))
        for access in plan.kubernetes.access:
            found.setdefault(access.principal, (*access.path, "principal"))
    return found


_CALLS: Final = {
    "role": (ROLE, "RoleName"),
    "user": (USER, "UserName"),
    "instance-profile": (PROFILE, "InstanceProfileName"),
}


def _principals_by_hand(plan: Plan) -> str:
    arns = listed(_principals(plan))
    lines = [f"these exist: {arns}"] if arns else []
    return "\n".join(filter(None, (*lines, existing.of_roles(plan))))


@rule(
    "PRE073",
    "The role, user or instance profile does not exist",
    why="Nodes with an unknown role do not start, and EKS rejects access for unknown principals.",
    source=f"{IAM}reference_identifiers.html",
    calls=(ROLE, USER, PROFILE, IDENTITY),
    by_hand=_principals_by_hand,
    bad="iam:GetRole: NoSuchEntity",
    good="iam:GetRole: {}",
)
def principal(case: Case) -> Iterator[Problem]:
    account = case.ask(IDENTITY).get("Account")
    for arn, path in _principals(case.plan).items():
        if arn.split(":")[4] != account:
            continue  # Those of other accounts cannot be looked up.
        kind, _, name = arn.rpartition(":")[2].partition("/")
        call, argument = _CALLS.get(kind, ("", ""))
        if call and case.find(call, **{argument: name.rpartition("/")[2]}) is None:
            yield Problem(path, f"there is no {kind} {name}", f"aws iam list-{kind}s")


_PROFILE_OF = """iam:GetInstanceProfile:
  Roles:
    - RoleName: {0}
      Path: /
      RoleId: AROAEXAMPLEEXAMPLE
      Arn: arn:aws:iam::111122223333:role/{0}
      CreateDate: 2020-01-01T00:00:00Z"""


def _profiles_of_pcs(plan: Plan) -> dict[str, Path]:
    own = _principals(plan) if plan.target == "pcs" else {}
    return {arn: path for arn, path in own.items() if ":instance-profile/" in arn}


@rule(
    "PRE078",
    "PCS does not accept the role of the instance profile",
    why="PCS rejects node groups whose role has neither a name that begins with AWSPCS nor the "
    "path /aws-pcs/. The name of the instance profile does not matter.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/security-instance-profiles.html",
    calls=(PROFILE, IDENTITY),
    by_hand=lambda plan: (
        f"the role of {listed(found)} has the path /aws-pcs/, or a name that begins with AWSPCS"
        if (found := _profiles_of_pcs(plan))
        else ""
    ),
    bad=_PROFILE_OF.format("nodes"),
    good=_PROFILE_OF.format("AWSPCS-nodes"),
)
def pcs_role(case: Case) -> Iterator[Problem]:
    account = case.ask(IDENTITY).get("Account")
    for arn, path in _profiles_of_pcs(case.plan).items():
        name = arn.rpartition("/")[2]
        if arn.split(":")[4] != account:
            continue  # Those of other accounts cannot be looked up.
        found = case.find(PROFILE, InstanceProfileName=name) or {}
        for role in found.get("InstanceProfile", {}).get("Roles", ()):
            if not role["RoleName"].startswith("AWSPCS") and "/aws-pcs/" not in role["Path"]:
                yield Problem(
                    path,
                    f"{name} has the role {role['RoleName']}, which PCS does not accept",
                    "write an instance profile whose role begins with AWSPCS or has the path "
                    "/aws-pcs/",
                )


def _linked(plan: Plan) -> Iterator[str]:
    """The names of the service-linked roles that the cluster needs."""
    new = [type(item) for item in plan.storage if not item.existing]
    spot = any(group.capacity.kind == "spot" for group in plan.node_groups)
    needed = {
        "AWSServiceRoleForPCS": plan.target == "pcs",
        "AWSServiceRoleForBatch": plan.target == "batch",
        # A cluster that exists has made it.
        "AWSServiceRoleForSageMakerHyperPod": plan.sagemaker and plan.creates_cluster,
        "AWSServiceRoleForAmazonEKSNodegroup": plan.system is not None or plan.target == "eks",
        "AWSServiceRoleForEC2Spot": spot and not plan.sagemaker,
        "AWSServiceRoleForAmazonFSx": Lustre in new or OpenZfs in new,
        "AWSServiceRoleForAmazonElasticFileSystem": Efs in new,
    }
    return (name for name, is_needed in needed.items() if is_needed)


def _linked_by_hand(plan: Plan) -> str:
    names = listed(_linked(plan))
    return f"{names}: the role exists, or you may create it" if names else ""


@rule(
    "PRE074",
    "A service-linked role does not exist yet",
    why="Services create their role at the first use, which needs iam:CreateServiceLinkedRole.",
    source=f"{IAM}create-service-linked-role.html",
    calls=(ROLE,),
    by_hand=_linked_by_hand,
    bad="iam:GetRole: NoSuchEntity",
    good="iam:GetRole: {}",
    severity=Severity.NOTE,
)
def linked_role(case: Case) -> Iterator[Problem]:
    for name in _linked(case.plan):
        if case.find(ROLE, RoleName=name) is None:
            help = f"aws iam create-service-linked-role --aws-service-name {SERVICES[name]}"
            yield Problem((), f"the account has no {name}", help)
