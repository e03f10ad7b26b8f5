"""Statements for the types in a bundle's templates and the commands in its scripts."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clustergen.analysis.policy import calls, facts, parallelcluster, scopes
from clustergen.analysis.policy.scopes import Names
from clustergen.analysis.policy.statement import Statement, merged, packed, statement
from clustergen.base.artifacts import Bundle, Json
from clustergen.base.text_lists import word_set, words
from clustergen.checking import preflight
from clustergen.deployment import model
from clustergen.plan import images
from clustergen.plan.model import Plan
from clustergen.services.aws import iam

CDK = words("""
    AWS::CloudFormation::Stack AWS::IAM::Policy AWS::Lambda::Function AWS::Lambda::Permission
""")
"""Types of the CDK's own functions in stacks that it deploys."""

_GLOBAL = frozenset({"iam", "route53", "sts"})
"""Services whose calls name another region."""

_LINKED: Mapping[str, tuple[str, ...]] = {
    "APS": ("scraper.aps",),
    "AutoScaling": ("autoscaling",),
    "Batch": ("batch",),
    "EFS": ("elasticfilesystem",),
    "EKS": ("eks", "eks-nodegroup"),
    "ElasticLoadBalancingV2": ("elasticloadbalancing",),
    "FSx": ("fsx", "s3.data-source.lustre.fsx"),
    "Grafana": ("grafana",),
    "PCS": ("pcs", "spot"),
    "SageMaker": ("hyperpod.sagemaker",),
}
"""Services whose first resource in an account creates a service-linked role.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_aws-services-that-work-with-iam.html
"""


@dataclass(frozen=True, slots=True)
class _Case:
    """A bundle, read once."""

    plan: Plan
    names: Names
    resources: tuple[Json, ...]
    """Those of all templates."""
    text: str
    """All that the bundle says: templates, requests, configurations."""
    types: frozenset[str]
    commands: frozenset[str]
    of_aws: tuple[str, ...]
    """Documents of AWS that the README opens sessions with."""

    @property
    def of_pcluster(self) -> bool:
        return self.plan.target == "parallelcluster"


def documents(
    plan: Plan, bundle: Bundle, *, account: str = "*", cdk: bool = False
) -> dict[str, Json]:
    """The policies by name: ``scripts``, ``stacks``, and ``cdk`` if wanted; long ones in parts.

    The first two run ``deploy.sh``: CloudFormation acts with the permissions of its caller.
    """
    case = _case(plan, bundle, account, CDK if cdk else ())
    found = packed("scripts", merged(_scripts(case))) | packed("stacks", merged(_stacks(case)))
    return found | packed("cdk", [_bootstrap(case)]) if cdk else found


def _case(plan: Plan, bundle: Bundle, account: str, more: Iterable[str]) -> _Case:
    found = templates(bundle)
    resources = tuple(r for template in found for r in template["Resources"].values())
    types = {r["Type"] for r in resources} | set(more)
    if plan.target == "parallelcluster":
        types |= set(parallelcluster.TYPES)
    commands = frozenset(calls.calls(bundle))
    names = scopes.names(plan, bundle, found, account)
    written = (file for file in bundle if file.path.endswith((".json", ".yaml")))
    # bundle.json repeats principals of access entries, which no service gets.
    text = "\n".join(file.text for file in written if file.path != model.PATH)
    [readme] = [file.text for file in bundle if file.path == "README.md"] or [""]
    of_aws = tuple(sorted({*re.findall(r"--document-name (AWS-\w+)", readme)}))
    return _Case(plan, names, resources, text, frozenset(types), commands, of_aws)


def templates(bundle: Bundle) -> list[Json]:
    texts = (file.text for file in bundle if file.path.endswith(".template.json"))
    return [template for text in texts if "Resources" in (template := json.loads(text))]


def _scripts(case: _Case) -> Iterator[Statement]:
    """What the scripts and the README call, and the checks before the first deployment."""
    found = calls.actions(case.commands)
    if case.of_pcluster:
        found |= set(parallelcluster.CALLS)
        buckets = (*case.names.buckets, *parallelcluster.buckets(case.plan))
        case = replace(case, names=replace(case.names, buckets=buckets))
    yield from _granted(case, found - {*_SHELL, _COMMAND, "iam:CreateServiceLinkedRole"})
    yield from _sessions(case, commands=_COMMAND in found)
    for reads in preflight.policy(preflight.concerned(case.plan))["Statement"]:
        yield statement(reads["Sid"], reads["Action"], reads["Resource"])


def _stacks(case: _Case) -> Iterator[Statement]:
    """What CloudFormation calls, and the roles that it and scripts pass on."""
    yield from _granted(case, {a for type in case.types for a in facts.of_type(type)})
    yield from _passed(case)
    yield from _linked(case)
    yield from _repositories(case)
    if boundary := case.plan.permissions_boundary:
        yield from _kept(case, boundary)


def _granted(case: _Case, actions: Iterable[str]) -> Iterator[Statement]:
    """Each action on what the bundle makes, as far as names, tags or the region tell."""
    for action in sorted(actions):
        service = action.partition(":")[0]
        sid = service.replace("-", " ").title().replace(" ", "")
        # Stacks read roles of services, and of the spec, before they pass them.
        reads_iam = action.startswith(("iam:Get", "iam:List"))
        kinds = [] if reads_iam else facts.kinds(action)
        resources = [arn for kind in kinds for arn in case.names.arns(kind)]
        if resources:
            boundary = case.plan.permissions_boundary if action in _BOUND else None
            condition = iam.equal({"iam:PermissionsBoundary": boundary}) if boundary else {}
            yield statement(sid, [action], resources, condition)
        elif not kinds:
            condition = {} if service in _GLOBAL else _in_region(case, service)
            suffix = "Own" if (own := _own(case, action)) else "Here"
            yield statement(f"{sid}{suffix}", [action], ["*"], {**condition, **own})


def _in_region(case: _Case, service: str) -> dict[str, Any]:
    """The region of the cluster, and of its registry."""
    registry = images.region_of(case.plan.software.registry or "") if service == "ecr" else ""
    regions = {case.plan.region, registry or case.plan.region}
    return iam.equal({"aws:RequestedRegion": sorted(regions)})


# https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
_BOUND = word_set("""
    iam:AttachRolePolicy iam:CreateRole iam:DeleteRolePolicy iam:DetachRolePolicy
    iam:PutRolePermissionsBoundary iam:PutRolePolicy
""")


def _kept(case: _Case, boundary: str) -> Iterator[Statement]:
    """The boundary can be neither removed nor changed."""
    roles = case.names.arns("iam:role")
    yield statement("KeepBoundary", ["iam:DeleteRolePermissionsBoundary"], roles, effect="Deny")
    versions = ("CreatePolicyVersion", "DeletePolicy", "DeletePolicyVersion")
    changes = iam.actions("iam", *versions, "SetDefaultPolicyVersion")
    yield statement("KeepBoundaryPolicy", changes, [boundary], effect="Deny")


def _own(case: _Case, action: str) -> dict[str, Any]:
    """The condition that a thing has a name of ours, where all of ours have one."""
    if case.of_pcluster and action not in _OF_FOUNDATION:
        return {}
    if action in ("ec2:CreateTags", "ec2:DeleteTags"):
        named = [name for name in _tagged(case, "AWS::EC2::") if name]
    else:
        types = {type for type in case.types | {_INSTANCE} if action in facts.deleting(type)}
        named = [name for type in types for name in _tagged(case, f"{type} ")]
    if action in _KEYS:
        return {"StringLike": {"aws:ResourceTag/aws:cloudformation:stack-name": case.names.stacks}}
    owners = tuple(f"{owner}-" for owner in sorted({case.plan.name, case.plan.foundation}))
    operator = "StringLikeIfExists" if action in _LENIENT else "StringLike"
    own = bool(named) and all(name.startswith(owners) for name in named)
    return {operator: {"aws:ResourceTag/Name": [f"{each}*" for each in owners]}} if own else {}


_INSTANCE = "AWS::EC2::Instance"
_KEYS = word_set("kms:DisableKey kms:PutKeyPolicy kms:ScheduleKeyDeletion")
"""What makes data unreadable: only for keys of the stacks, which CloudFormation tags."""
_LENIENT = word_set("ec2:CreateTags ec2:DeleteTags fsx:DeleteFileSystem")
"""Actions on what may not exist before, and so has no tags: the last backup of a file system."""
_OF_FOUNDATION = word_set("""
    ec2:DeleteInternetGateway ec2:DeleteNatGateway ec2:DeleteRouteTable ec2:DeleteSubnet
    ec2:DeleteVpc ec2:DeleteVpcEndpoints
""")
"""What is deleted of the foundation alone, and of no cluster of ParallelCluster."""


def _tagged(case: _Case, types: str) -> Iterator[str]:
    """The names of resources whose type begins so; instances have those of launch templates."""
    for resource in case.resources:
        properties = resource.get("Properties", {})
        if f"{resource['Type']} ".startswith(types):
            yield _name(properties.get("Tags") or properties.get("FileSystemTags"))
        if resource["Type"] == "AWS::EC2::LaunchTemplate" and f"{_INSTANCE} ".startswith(types):
            tagged = properties["LaunchTemplateData"].get("TagSpecifications", ())
            of_instances = [each["Tags"] for each in tagged if each["ResourceType"] == "instance"]
            yield _name(of_instances[0] if of_instances else None)


def _name(tags: Any) -> str:
    known = tags if isinstance(tags, dict) else {tag["Key"]: tag["Value"] for tag in tags or ()}
    return str(known.get("Name", ""))


_SHELL, _COMMAND = ["ssm:StartSession"], "ssm:SendCommand"


def _sessions(case: _Case, *, commands: bool) -> Iterator[Statement]:
    """Shells on nodes of the bundle, and commands there.

    https://docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-restrict-access-examples.html
    """
    own = _own(case, "ec2:TerminateInstances").get("StringLike", {})
    names = own.get("aws:ResourceTag/Name")
    condition = {"StringLike": {"ssm:resourceTag/Name": names}} if names else None
    if case.of_pcluster:
        condition = iam.equal({"ssm:resourceTag/parallelcluster:cluster-name": case.plan.name})
    service, nodes = "ec2", "instance/*"
    if case.plan.sagemaker:
        # The tags of a HyperPod cluster, whose id nobody knows before, are those of the user.
        service, nodes, condition = "sagemaker", "cluster/*", None
    documents = [case.names.arn("ssm", "document/SSM-SessionManagerRunShell")]
    documents += [_of_aws(case, name) for name in case.of_aws]
    actions = [*_SHELL, *([_COMMAND] if commands else [])]
    yield statement("Shells", actions, [case.names.arn(service, nodes)], condition)
    yield statement("ShellsOn", _SHELL, documents)
    if commands:
        yield statement("CommandsOn", [_COMMAND], [_of_aws(case, "AWS-RunShellScript")])
    mine = case.names.arn("ssm", "session/${aws:userid}-*")
    yield statement("OwnShells", ["ssm:ResumeSession", "ssm:TerminateSession"], [mine])


def _of_aws(case: _Case, document: str) -> str:
    return case.names.arn("ssm", f"document/{document}").replace(f":{case.names.account}:", "::")


def _passed(case: _Case) -> Iterator[Statement]:
    """The roles that services get: those of the templates, and those that the spec names."""
    roles = [r["Properties"] for r in case.resources if r["Type"] == "AWS::IAM::Role"]
    trust = json.dumps([role["AssumeRolePolicyDocument"] for role in roles])
    services = set(re.findall(r'"([a-z0-9.-]+)\.(?:amazonaws\.com|\$\{AWS::URLSuffix\})', trust))
    services |= {each for kind in _services(case) for each in _USERS.get(kind, ())}
    services |= set(parallelcluster.SERVICES) if case.of_pcluster else set()
    existing = re.findall(r"arn:[\w-]+:iam::\d{12}:role/[\w+=,.@/-]+", _without_users(case))
    if services:
        suffixes = (_SUFFIX, f"{_SUFFIX}.cn") if case.plan.partition == "aws-cn" else (_SUFFIX,)
        to = [f"{service}.{suffix}" for service in sorted(services) for suffix in suffixes]
        arns = [*case.names.arns("iam:role"), *sorted(set(existing))]
        condition = iam.equal({"iam:PassedToService": to})
        yield statement("PassRoles", ["iam:PassRole"], arns, condition)


def _without_users(case: _Case) -> str:
    """What the bundle says, without roles that only use an EKS cluster: no service gets them."""
    text = case.text
    entries = (r["Properties"] for r in case.resources if r["Type"] == "AWS::EKS::AccessEntry")
    for entry in entries:
        if entry.get("Type", "STANDARD") == "STANDARD":
            text = text.replace(f'"PrincipalArn": {json.dumps(entry["PrincipalArn"])}', "")
    return text


def _services(case: _Case) -> set[str]:
    """The services of the types, as CloudFormation calls them."""
    return {type.split("::")[1] for type in case.types}


_USERS: Mapping[str, tuple[str, ...]] = {
    "EKS": ("eks", "ec2"),
    "SageMaker": ("sagemaker",),
    "PCS": ("ec2",),
    "Batch": ("ec2",),
}
"""Services that take roles of a spec, which no template describes."""


_SUFFIX = "amazonaws.com"
"""Of the names of services: that of most in every partition."""


def _linked(case: _Case) -> Iterator[Statement]:
    services = {name for kind in _services(case) for name in _LINKED.get(kind, ())}
    if "iam create-service-linked-role" in case.commands:
        services.add("spot")
    if services:
        named = [f"{service}.{_SUFFIX}" for service in sorted(services)]
        condition = iam.equal({"iam:AWSServiceName": named})
        arn = case.names.arn("iam", "role/aws-service-role/*", everywhere=True)
        yield statement("ServiceRoles", ["iam:CreateServiceLinkedRole"], [arn], condition)


def _repositories(case: _Case) -> Iterator[Statement]:
    """Buckets that FSx for Lustre imports from and exports to.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/setting-up.html#fsx-adding-permissions-s3
    """
    linked = [r for r in case.resources if r["Type"] == "AWS::FSx::DataRepositoryAssociation"]
    paths = re.findall(r's3://([^/"]+)', json.dumps(linked))
    if paths:
        arns = sorted({f"arn:{case.plan.partition}:s3:::{bucket}" for bucket in paths})
        arns = [arn for bucket in arns for arn in (bucket, f"{bucket}/*")]
        yield statement("LinkedBuckets", ["s3:Get*", "s3:List*", "s3:PutObject"], arns)
        path = f"role/aws-service-role/s3.data-source.lustre.fsx.{_SUFFIX}/*"
        writes = iam.actions("iam", "AttachRolePolicy", "PutRolePolicy")
        role = case.names.arn("iam", path, everywhere=True)
        yield statement("LinkedBucketsRole", writes, [role])


def _bootstrap(case: _Case) -> Statement:
    """https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html"""
    kinds = ("deploy", "file-publishing", "lookup")
    roles = (f"role/cdk-*-{kind}-role-{case.names.account}-{case.plan.region}" for kind in kinds)
    arns = [case.names.arn("iam", role, everywhere=True) for role in roles]
    return statement("BootstrapRoles", ["sts:AssumeRole"], arns)
