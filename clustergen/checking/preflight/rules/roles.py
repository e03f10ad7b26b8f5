"""Roles, users and instance profiles in the spec, and roles of services."""

import json
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any, Final, TypeVar
from urllib.parse import unquote

from clustergen.base.account import Answer
from clustergen.base.findings import Path, Problem, note, rule
from clustergen.checking.preflight import existing, network
from clustergen.checking.preflight.case import IDENTITY, Case
from clustergen.checking.preflight.rules import about, listed
from clustergen.plan.model import Efs, Lustre, OpenZfs, Plan

IAM: Final = "https://docs.aws.amazon.com/IAM/latest/UserGuide/"
ROLE: Final = "iam:GetRole"
USER: Final = "iam:GetUser"
PROFILE: Final = "iam:GetInstanceProfile"


def _principals(plan: Plan) -> dict[str, Path]:
    """The ARNs of roles, users and instance profiles in the spec, and where they are."""
    found = {arn: path for arn, (path, _) in _given_to_nodes(plan).items()}
    if plan.scheduler == "kubernetes":
        for number, arn in enumerate(plan.kubernetes.admins):
            found.setdefault(arn, ("kubernetes", "admins", number))
        for access in plan.kubernetes.access:
            found.setdefault(access.principal, (*access.path, "principal"))
    return found


_T = TypeVar("_T")
_CALLS: Final = {
    "role": (ROLE, "RoleName"),
    "user": (USER, "UserName"),
    "instance-profile": (PROFILE, "InstanceProfileName"),
}


def _principals_by_hand(plan: Plan) -> str:
    lines = about(_principals, "these exist: {names}")(plan), existing.of_roles(plan)
    return "\n".join(filter(None, lines))


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
    for arn, path in _ours(case, _principals(case.plan)):
        kind, _, name = arn.rpartition(":")[2].partition("/")
        call, argument = _CALLS.get(kind, ("", ""))
        if call and case.find(call, **{argument: name.rpartition("/")[2]}) is None:
            yield Problem(path, f"there is no {kind} {name}", f"aws iam list-{kind}s")


def _ours(case: Case, known: Mapping[str, _T]) -> Iterator[tuple[str, _T]]:
    """What is known by ARNs of this account: those of others cannot be looked up."""
    account = case.ask(IDENTITY).get("Account")
    return ((arn, about) for arn, about in known.items() if arn.split(":")[4] == account)


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
    by_hand=about(
        _profiles_of_pcs,
        "the role of {names} has the path /aws-pcs/, or a name that begins with AWSPCS",
    ),
    bad=_PROFILE_OF.format("nodes"),
    good=_PROFILE_OF.format("AWSPCS-nodes"),
)
def pcs_role(case: Case) -> Iterator[Problem]:
    for arn, path in _ours(case, _profiles_of_pcs(case.plan)):
        for role in _roles_of(case, arn):
            if not role["RoleName"].startswith("AWSPCS") and "/aws-pcs/" not in role["Path"]:
                yield Problem(
                    path,
                    f"{arn.rpartition('/')[2]} has the role {role['RoleName']}, which PCS does not "
                    "accept",
                    "write an instance profile whose role begins with AWSPCS or has the path "
                    "/aws-pcs/",
                )


def _given_to_nodes(plan: Plan) -> Mapping[str, tuple[Path, str]]:
    """The roles and instance profiles of nodes, where they are, and the service that takes them."""
    found: dict[str, tuple[Path, str]] = {}
    for owner in network.owners(plan):
        service = "sagemaker" if plan.sagemaker and owner is not plan.system else "ec2"
        for field in ("role", "instance_profile"):
            if arn := getattr(owner.iam, field):
                found.setdefault(arn, (owner.at("iam", field), service))
    return found


def _trust_by_hand(plan: Plan) -> str:
    services = listed(dict.fromkeys(service for _, service in _given_to_nodes(plan).values()))
    return about(_given_to_nodes, f"the role of {{names}} trusts the service {services}")(plan)


@rule(
    "PRE092",
    "The role of nodes does not trust their service",
    why="A service starts nodes with a role only if the trust policy of the role lets the service "
    "assume it.",
    source=f"{IAM}id_roles_use_passrole.html",
    calls=(ROLE, PROFILE, IDENTITY),
    by_hand=_trust_by_hand,
    bad="""iam:GetRole: {AssumeRolePolicyDocument: '{"Statement": {"Effect": "Allow", "Action":
  "sts:AssumeRole", "Principal": {"Service": "lambda"}}}'}""",
    good="iam:GetRole: {}",
)
def trust(case: Case) -> Iterator[Problem]:
    for arn, (path, service) in _ours(case, _given_to_nodes(case.plan)):
        for role in _roles_of(case, arn):
            document = role.get("AssumeRolePolicyDocument")
            if document and not _trusts(document, service):
                yield Problem(
                    path,
                    f"the role {role['RoleName']} does not trust the service {service}",
                    f"aws iam update-assume-role-policy --role-name {role['RoleName']} "
                    "--policy-document ...",
                )


def _roles_of(case: Case, arn: str) -> list[Answer]:
    """The role with an ARN, or the roles of that instance profile; none if it does not exist."""
    name = arn.rpartition("/")[2]
    if ":instance-profile/" in arn:
        found = case.find(PROFILE, InstanceProfileName=name) or {}
        return [*found.get("InstanceProfile", {}).get("Roles", ())]
    role = case.find(ROLE, RoleName=name)
    return [role["Role"]] if role else []


def _trusts(document: Any, service: str) -> bool:
    """Whether a trust policy lets a service assume its role. botocore decodes policies."""
    policy = json.loads(unquote(document)) if isinstance(document, str) else document
    for statement in several(policy.get("Statement", ())):
        principal = statement.get("Principal", {})
        named = principal if isinstance(principal, str) else principal.get("Service", ())
        allowed = statement.get("Effect") == "Allow" and any(
            fnmatch("sts:AssumeRole", action) for action in several(statement.get("Action", ()))
        )
        # The end of the name depends on the partition.
        if allowed and any(name.partition(".")[0] in (service, "*") for name in several(named)):
            return True
    return False


def several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]


def _linked(plan: Plan) -> Mapping[str, str]:
    """The service-linked roles that the cluster needs, and their services, in every partition.

    https://docs.aws.amazon.com/pcs/latest/userguide/service-linked-roles.html,
    https://docs.aws.amazon.com/batch/latest/userguide/using-service-linked-roles.html,
    https://docs.aws.amazon.com/eks/latest/userguide/using-service-linked-roles.html,
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-service-linked-roles.html (2026-11)
    """
    new = [type(item) for item in plan.storage if not item.existing]
    spot = any(group.capacity.kind == "spot" for group in plan.node_groups)
    needed = {
        ("PCS", "pcs"): plan.target == "pcs",
        ("Batch", "batch"): plan.target == "batch",
        # A cluster that exists has made it.
        ("SageMakerHyperPod", "hyperpod.sagemaker"): plan.sagemaker and plan.creates_cluster,
        # The role of a scraper has a name of its own: each scraper makes one.
        ("AmazonEKS", "eks"): plan.options.creates_eks,
        ("AmazonEKSNodegroup", "eks-nodegroup"): plan.system is not None or plan.target == "eks",
        ("EC2Spot", "spot"): spot and not plan.sagemaker,
        ("AmazonFSx", "fsx"): Lustre in new or OpenZfs in new,
        ("AmazonElasticFileSystem", "elasticfilesystem"): Efs in new,
    }
    wanted = (names for names, is_needed in needed.items() if is_needed)
    return {f"AWSServiceRoleFor{role}": f"{service}.amazonaws.com" for role, service in wanted}


_MAY_LINK: Final = "the service-linked role exists, or you have iam:CreateServiceLinkedRole"
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/setting-up.html (2026-11)
_MAY_LINK_BUCKETS: Final = (
    "; for linked buckets also iam:AttachRolePolicy and iam:PutRolePolicy, for the role of "
    "s3.data-source.lustre.fsx"
)


def _linked_by_hand(plan: Plan) -> str:
    new = [item for item in plan.storage if isinstance(item, Lustre) and not item.existing]
    buckets = _MAY_LINK_BUCKETS if any(item.repositories for item in new) else ""
    return about(_linked, "{names}: " + _MAY_LINK)(plan) + buckets


@note(
    "PRE074",
    "A service-linked role does not exist yet",
    why="Services create their role at the first use, which needs iam:CreateServiceLinkedRole.",
    source=f"{IAM}create-service-linked-role.html",
    calls=(ROLE,),
    by_hand=_linked_by_hand,
    bad="iam:GetRole: NoSuchEntity",
    good="iam:GetRole: {}",
)
def linked_role(case: Case) -> Iterator[Problem]:
    for name, service in _linked(case.plan).items():
        if case.find(ROLE, RoleName=name) is None:
            help = f"aws iam create-service-linked-role --aws-service-name {service}"
            yield Problem((), f"the account has no {name}", help)
