"""The ARNs of what a bundle makes, as far as its names are known before it exists."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clustergen.analysis.policy import calls, parallelcluster
from clustergen.base.artifacts import Bundle, Json
from clustergen.base.text_lists import words
from clustergen.plan.model import Plan

# CloudFormation shortens the name of the stack and the logical id in names that it makes up. The
# shortest limit, 64 characters of roles, leaves this much beside a long id and what is random.
_KEPT = 24

_HERE = "arn:{partition}:{service}:{region}:{account}:"
_GLOBAL = "arn:{partition}:{service}::{account}:"
_BUCKET = "arn:{partition}:s3:::"

KINDS: Mapping[str, tuple[str, str]] = {
    "cloudformation:stack": (f"{_HERE}stack/{{name}}/*", "stacks"),
    "iam:role": (f"{_GLOBAL}role{{name}}*", "roles"),
    "iam:instance-profile": (f"{_GLOBAL}instance-profile{{name}}*", "roles"),
    "iam:policy": (f"{_GLOBAL}policy/{{name}}*", "made"),
    "s3:bucket": (f"{_BUCKET}{{name}}", "buckets"),
    "s3:object": (f"{_BUCKET}{{name}}/*", "buckets"),
    "logs:log-group": (f"{_HERE}log-group:{{name}}*", "log_groups"),
    "logs:delivery": (f"{_HERE}delivery:*", ""),
    "logs:delivery-destination": (f"{_HERE}delivery-destination:*", ""),
    "logs:delivery-source": (f"{_HERE}delivery-source:*", ""),
    **{
        f"eks:{kind}": (f"{_HERE}{kind}/{{name}}{'' if kind == 'cluster' else '/*'}", "eks")
        for kind in words("""
            access-entry addon capability cluster nodegroup podidentityassociation
        """)
    },
    "sqs:queue": (f"{_HERE}{{name}}*", "made"),
    "sns:topic": (f"{_HERE}{{name}}*", "made"),
    "events:rule-on-default-event-bus": (f"{_HERE}rule/{{name}}*", "made"),
    "scheduler:schedule": (f"{_HERE}schedule/*/{{name}}*", "made"),
    "cloudwatch:dashboard": (f"{_GLOBAL}dashboard/{{name}}*", "made"),
    "cloudwatch:alarm": (f"{_HERE}alarm:{{name}}*", "made"),
    "dynamodb:table": (f"{_HERE}table/{{name}}*", "made"),
    "lambda:function": (f"{_HERE}function:{{name}}*", "functions"),
    # AWS's own parameters only: others may be secrets.
    "ssm:parameter": ("arn:{partition}:ssm:{region}:*:parameter/aws/service/*", ""),
}
"""Kind of a resource, with its service -> its ARN, and which names stand in it."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a bundle, and where it is deployed."""

    partition: str
    region: str
    account: str
    stacks: tuple[str, ...]
    made: tuple[str, ...]
    """What names begin with that CloudFormation makes up, or that templates give."""
    roles: tuple[str, ...]
    """The same with paths, which names of roles need."""
    buckets: tuple[str, ...]
    log_groups: tuple[str, ...]
    eks: tuple[str, ...]
    functions: tuple[str, ...]

    def arns(self, kind: str) -> list[str]:
        """The ARNs of a kind of resources that the bundle may make."""
        form, group = KINDS[kind]
        names = getattr(self, group) if group else ("",)
        return [self._arn(kind.partition(":")[0], form, name) for name in names]

    def arn(self, service: str, rest: str, *, everywhere: bool = False) -> str:
        """An ARN in this account, and in its region unless ``everywhere``."""
        return self._arn(service, (_GLOBAL if everywhere else _HERE) + "{name}", rest)

    def _arn(self, service: str, form: str, name: str) -> str:
        place = {"partition": self.partition, "region": self.region, "account": self.account}
        return form.format(service=service, name=name, **place)


def names(plan: Plan, bundle: Bundle, templates: Iterable[Json], account: str) -> Names:
    deployed = calls.bundles(bundle)
    resources = [r for template in templates for r in template["Resources"].values()]
    stacks = {stack.name for each in deployed for stack in each.stacks.values()}
    stacks |= parallelcluster.stacks(plan)
    made = _least(f"{stack}-"[:_KEPT].replace("*", "") for stack in stacks)
    eks = {name for each in deployed if (name := getattr(each.service, "eks_cluster", ""))}
    return Names(
        plan.partition,
        plan.region,
        account,
        tuple(sorted(stacks)),
        _least([*made, *_named(resources, _GIVEN), *parallelcluster.named(plan)]),
        _least(_roles(plan, made, resources)),
        tuple(sorted(set(_buckets(made, resources, account)))),
        _least(name.rstrip("*") for name in _log_groups(plan, made, resources)),
        tuple(sorted({*eks, *_named(resources, _OF_EKS)})),
        _least([*made, *parallelcluster.named(plan)]),
    )


def _least(names: Iterable[str]) -> tuple[str, ...]:
    """The beginnings of names, without those that begin with another."""
    found = sorted(set(names))
    return tuple(name for name in found if not any(name != o and name.startswith(o) for o in found))


_GIVEN = re.compile(r"AWS::(CloudWatch|Events|SNS|SQS|Scheduler)::")
_OF_EKS = re.compile(r"AWS::EKS::Cluster$|AWS::EKS::AccessEntry$|AWS::EKS::Addon$")
_NAME = ("ClusterName", "DashboardName", "AlarmName", "TopicName", "QueueName", "Name")


def _named(resources: Iterable[Json], types: re.Pattern[str]) -> Iterator[str]:
    """The names that templates give to resources of some types."""
    for resource in resources:
        properties = resource.get("Properties", {})
        if types.match(resource["Type"]):
            yield from (properties[k] for k in _NAME if isinstance(properties.get(k), str))


def _roles(plan: Plan, made: Iterable[str], resources: Iterable[Json]) -> Iterator[str]:
    types = ("AWS::IAM::Role", "AWS::IAM::InstanceProfile")
    roles = [r.get("Properties", {}) for r in resources if r["Type"] in types]
    paths = {"/", *(role.get("Path", "/") for role in roles)}
    yield from (f"{path}{name}" for path in paths for name in made)
    yield from (f"/{role['RoleName']}" for role in roles if isinstance(role.get("RoleName"), str))
    yield from parallelcluster.roles(plan)


def _buckets(made: Iterable[str], resources: Iterable[Json], account: str) -> Iterator[str]:
    for resource in resources:
        if resource["Type"] == "AWS::S3::Bucket":
            given = resource["Properties"].get("BucketName", "")
            name = text(given, account)
            yield from [name] if name else (f"{each.lower()}*" for each in made)


def _log_groups(plan: Plan, made: Iterable[str], resources: Iterable[Json]) -> Iterator[str]:
    """Those of templates, and those in which services write what nodes log."""
    for resource in resources:
        if resource["Type"] == "AWS::Logs::LogGroup":
            name = text(resource.get("Properties", {}).get("LogGroupName", ""), "*")
            yield from [name] if name else made
    yield _LOGS[plan.target.partition("-")[0]].format(plan.name)


_LOGS = {
    "batch": "/aws/batch/{}",
    "eks": "/aws/eks/{}/",
    "hyperpod": "/aws/sagemaker/Clusters/{}/",
    "parallelcluster": "/aws/parallelcluster/{}-",
    "pcs": "/aws/pcs/",
}
"""What the names of log groups begin with that services make."""


def text(value: Any, account: str = "*") -> str:
    """The text of a value of a template: what is not known before is ``*``."""
    if isinstance(value, Mapping) and "Fn::Sub" in value:
        value = value["Fn::Sub"]
        value = value[0] if isinstance(value, list) else value
        value = value.replace("${AWS::AccountId}", account)
        return re.sub(r"\$\{[^}]*\}", "*", value)
    return value if isinstance(value, str) else ""


USED = (
    *words("s3:GetObject s3:PutObject s3:DeleteObject s3:ListBucket"),
    *words("logs:FilterLogEvents logs:GetLogEvents iam:PassRole"),
    *parallelcluster.CALLS,
)
"""Actions whose names stand in no script."""
