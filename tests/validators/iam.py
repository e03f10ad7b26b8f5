"""IAM policies of a template: what they name exists, and they allow no more than they say why.

Actions, and whether they can be scoped, come from cfn-lint's copy of the service authorization
reference; AWS's managed policies from moto's copy of their documents.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from types import MappingProxyType
from typing import Any

from tests.validators.cloudformation.attributes import Place, ref_value
from tests.validators.cloudformation.intrinsics import Resource, resolve
from tests.validators.placeholders import ACCOUNT_ID

Statement = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a template with all that is attached to it."""

    logical_id: str
    principals: tuple[str, ...]
    statements: tuple[Statement, ...]

    def allows(self, action: str, resource: str = "*") -> bool:
        """Whether a statement allows `action` on `resource`, conditions taken as met."""
        return any(
            statement["Effect"] == "Allow"
            and any(_like(action, pattern, fold=True) for pattern in listed(statement, "Action"))
            and any(_like(resource, pattern) for pattern in listed(statement, "Resource"))
            for statement in self.statements
        )


@dataclass(frozen=True, slots=True)
class Request:
    """A call: what IAM compares with the statements of a role."""

    action: str
    resource: str = "*"
    keys: Mapping[str, str] = field(default_factory=dict)
    """The condition keys that the service sends, in lower case."""


def allowed(role: Role, request: Request) -> bool:
    """Whether IAM allows a role to make a call: a Deny wins, and nothing is allowed by default."""
    return _allowed(role.statements, request)


def _allowed(statements: Iterable[Statement], request: Request) -> bool:
    return {s["Effect"] for s in statements if _applies(s, request)} == {"Allow"}


def _applies(statement: Statement, request: Request) -> bool:
    return (
        any(_like(request.action, pattern, fold=True) for pattern in listed(statement, "Action"))
        and any(_like(request.resource, _own(pattern)) for pattern in listed(statement, "Resource"))
        and all(
            _holds(
                operator, [_own(str(v)) for v in listed(keys, key)], request.keys.get(key.lower())
            )
            for operator, keys in statement.get("Condition", {}).items()
            for key in keys
        )
    )


def _own(pattern: str) -> str:
    return pattern.replace("${aws:PrincipalAccount}", ACCOUNT_ID)


def _holds(operator: str, wanted: Sequence[str], given: str | None) -> bool:
    """One key of a condition; a key that the service does not send matches nothing."""
    name = operator.removeprefix("ForAllValues:").removesuffix("IfExists")
    if name == "Null":
        return (given is None) == (wanted == ["true"])
    if given is None:
        return name != operator
    tests: Mapping[str, Callable[[str, str], bool]] = {
        "StringEquals": lambda value, pattern: value == pattern,
        "Bool": lambda value, pattern: value == pattern,
        "StringLike": _like,
        "ArnLike": _like,
        "ArnEquals": _like,
    }
    return any(tests[name](given, pattern) for pattern in wanted)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who has these policies, and no others."""

    documents: tuple[Mapping[str, Any], ...]

    def allows(
        self, action: str, resource: str = "*", context: Mapping[str, str] = MappingProxyType({})
    ) -> bool:
        """Whether IAM allows `action` on `resource`; `context` has the keys of conditions."""
        keys = {key.lower(): value for key, value in context.items()}
        statements = [each for document in self.documents for each in document["Statement"]]
        return _allowed(statements, Request(action, resource, keys))


def iam_violations(template: Mapping[str, Any], region: str = "us-east-1") -> list[str]:
    """Violations as `logical id: message`, of every policy in `template` that a role may have."""
    resources = resolve(template, region=region)
    return [
        f"{resource.logical_id}: {violation}"
        for resource in resources
        for violation in (*_managed_violations(resource), *_document_violations(resource))
    ]


def roles(template: Mapping[str, Any], region: str = "us-east-1") -> dict[str, Role]:
    """The roles of `template` by logical id, AWS's managed policies included."""
    resources = resolve(template, region=region)
    own = {_ref(r, region): r for r in resources if r.type == "AWS::IAM::ManagedPolicy"}
    return {r.logical_id: _role(r, resources, own, region) for r in resources if _is_role(r)}


def managed_policies() -> Mapping[str, Any]:
    """AWS's managed policies by name."""
    return _managed()


@cache
def _managed() -> dict[str, Any]:
    from moto.iam.aws_managed_policies import aws_managed_policies_data

    policies: dict[str, Any] = json.loads(aws_managed_policies_data)
    return policies


@cache
def _actions() -> dict[str, Any]:
    from cfnlint.data import AdditionalSpecs
    from cfnlint.helpers import load_resource

    services: dict[str, Any] = load_resource(AdditionalSpecs, "Policies.json")
    return services


def listed(statement: Statement, key: str) -> list[str]:
    """A member of a statement that may be one text or a list of them."""
    value = statement.get(key, [])
    return [value] if isinstance(value, str) else list(value)


def _like(text: str, pattern: str, fold: bool = False) -> bool:
    pattern = re.sub(r"\[", "[[]", pattern)  # IAM has no sets of characters
    return fnmatchcase(text.lower(), pattern.lower()) if fold else fnmatchcase(text, pattern)


def _is_role(resource: Resource) -> bool:
    return resource.type == "AWS::IAM::Role"


def _ref(resource: Resource, region: str) -> str:
    names = ("RoleName", "ManagedPolicyName")
    name = next((resource.properties[key] for key in names if key in resource.properties), None)
    return ref_value(resource.type, resource.logical_id, name, Place(region))


def _role(
    role: Resource, resources: Sequence[Resource], own: Mapping[str, Resource], region: str
) -> Role:
    documents = [policy["PolicyDocument"] for policy in role.properties.get("Policies", [])]
    for arn in role.properties.get("ManagedPolicyArns", []):
        if arn in own:
            documents.append(own[arn].properties["PolicyDocument"])
        elif (name := arn.rpartition("/")[2]) in _managed():
            documents.append(_managed()[name]["Document"])
    for other in resources:
        attached = other.type in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")
        if attached and _ref(role, region) in other.properties.get("Roles", []):
            documents.append(other.properties["PolicyDocument"])
    trust = role.properties["AssumeRolePolicyDocument"]["Statement"]
    principals = [p for s in trust for p in listed(s["Principal"], "Service")]
    return Role(
        role.logical_id,
        tuple(principals),
        tuple(statement for document in documents for statement in document["Statement"]),
    )


def _managed_violations(resource: Resource) -> Iterator[str]:
    """AWS's policies are at one path; a role with an ARN that does not exist cannot be made."""
    for arn in resource.properties.get("ManagedPolicyArns", []):
        path = re.fullmatch(r"arn:[a-z-]+:iam::aws:policy(/.*)", arn)
        if path is None:
            continue
        name = path[1].rpartition("/")[2]
        found = _managed().get(name)
        if found is None:
            yield f"AWS has no managed policy {name}"
        elif found["Path"] + name != path[1]:
            yield f"the managed policy {name} is at {found['Path']}"


def _document_violations(resource: Resource) -> Iterator[str]:
    if not resource.type.startswith("AWS::IAM::"):
        return
    documents = [p["PolicyDocument"] for p in resource.properties.get("Policies", [])]
    if "PolicyDocument" in resource.properties:
        documents.append(resource.properties["PolicyDocument"])
    for document in documents:
        if document.get("Version") != "2012-10-17":
            yield f"Version: {document.get('Version')!r}, the language is of 2012-10-17"
        for statement in document["Statement"]:
            yield from _statement_violations(statement)


def document_violations(document: Mapping[str, Any]) -> list[str]:
    """What is wrong with the statements of a policy for people."""
    return [v for statement in document["Statement"] for v in _statement_violations(statement)]


def _statement_violations(statement: Statement) -> Iterator[str]:
    if statement["Effect"] != "Allow":
        return
    name = statement.get("Sid", "a statement")
    for key in ("NotAction", "NotResource"):
        if key in statement:
            yield f"{name}: allows with {key}"
    everything = "*" in listed(statement, "Resource")
    for action in listed(statement, "Action"):
        scopable = _scopable(action)
        if "*" in action.partition(":")[0] or action.endswith(":*"):
            yield f"{name}: {action} allows too much"
        elif scopable is None:
            yield f"{name}: IAM has no action {action}"
        elif (
            scopable
            and everything
            and not ("Condition" in statement or _of_an_agent(action) or action in _METRICS)
        ):
            yield f"{name}: {action} on *, though it can be scoped"
        elif not scopable and not everything:
            yield f"{name}: {action} is of no resource, so it is granted on * only"


_METRICS = ("cloudwatch:ListMetrics", "cloudwatch:GetMetricData")
"""Their only resources are datasets, which the metrics of AWS's services are not in."""


def _of_an_agent(action: str) -> bool:
    """Whether Systems Manager's agent needs it, on what only Systems Manager knows.

    AWS's own policy grants all of it on everything. Parameters are no business of the agent.
    """
    policy = _managed()["AmazonSSMManagedInstanceCore"]["Document"]
    of_agent = any(action in statement["Action"] for statement in policy["Statement"])
    return of_agent and not action.startswith("ssm:GetParameter")


def knows(action: str) -> bool:
    """Whether IAM has an action."""
    return _scopable(action) is not None


@cache
def _scopable(action: str) -> bool | None:
    """Whether an action, or any that a pattern stands for, takes resources; None: no such."""
    service, _, name = action.partition(":")
    known: Mapping[str, Any] = _actions().get(service, {}).get("Actions", {})
    matching: Iterable[str] = [a for a in known if _like(a, name, fold=True)]
    return any(known[a].get("Resources") for a in matching) if matching else None
