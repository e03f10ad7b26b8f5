"""CloudFormation: stacks that take their time, fail, roll back, and keep what is retained."""

from __future__ import annotations

import functools
import importlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.cloud.answers import PREVIOUS, Pages, Refused, Request
from tests.support.cloud.changes import (
    awaits,
    denial,
    in_place,
    is_combined,
    is_named,
    recreation,
    recreations,
    referred,
    renewed,
    replacement,
    unresolved,
    wanted,
)

if TYPE_CHECKING:
    from tests.support.cloud.account import Account

INLINE_BYTES = 51_200
_COMBINED = "Version and ReleaseVersion updates cannot be combined with other updates"
CREATION, CHANGE, DELETION = 90, 60, 60
"""Seconds: some polls, where AWS takes minutes to hours."""


@dataclass(slots=True)
class Stack:
    """What a stack is, and what it is becoming."""

    name: str
    status: str = "REVIEW_IN_PROGRESS"
    template: dict[str, Any] = field(default_factory=dict)
    attempted: dict[str, Any] = field(default_factory=dict)
    """The template of a creation that was rolled back."""
    parameters: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    events: list[dict[str, str]] = field(default_factory=list)
    change_sets: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    policy: str = ""
    until: float = 0
    after: tuple[str, ...] = ()
    """The statuses that follow, each after the time of one."""

    @property
    def resources(self) -> dict[str, Any]:
        found: dict[str, Any] = self.template.get("Resources", {})
        return found


class CloudFormation:
    """Its operations."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.stacks: dict[str, Stack] = {}
        self.orphans: list[tuple[str, str]] = []
        """Type and id of what outlived its stack."""
        self.empty: set[str] = set()
        """Stacks that were deleted before anything was in them."""

    def create_change_set(self, request: Request) -> Any:
        name, type = request.one("stack-name"), request.one("change-set-type")
        stack = self.stacks.get(name)
        if type == "CREATE" and stack and stack.status != "REVIEW_IN_PROGRESS":
            raise Refused("AlreadyExistsException", f"Stack [{name}] already exists")
        if type == "UPDATE":
            if not stack:
                raise _invalid(f"Stack [{name}] does not exist")
            if not stack.status.endswith("_COMPLETE") or stack.status == "ROLLBACK_COMPLETE":
                raise _invalid(f"Stack:{name} is in {stack.status} state")
        template, parameters = self._asked(request, stack)
        asked = template.get("Parameters", {}).items()
        if missing := [k for k, each in asked if k not in parameters and "Default" not in each]:
            raise _invalid(f"Parameters: {missing} must have values")
        if lacking := unresolved(template):
            raise _invalid(f"Template error: unresolved {sorted(lacking)}")
        template = {**template, "Resources": dict(wanted(template, parameters))}
        if is_named(template) and request.one("capabilities") != "CAPABILITY_NAMED_IAM":
            raise Refused(
                "InsufficientCapabilitiesException",
                "Requires capabilities : [CAPABILITY_NAMED_IAM]",
            )
        stack = self.stacks.setdefault(name, Stack(name))
        tags = request.pairs("tags", "Key", "Value") if "tags" in request.options else stack.tags
        moved = {key for key, value in parameters.items() if stack.parameters.get(key) != value}
        # https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/538
        fixed = (n for n, e in stack.resources.items() if e["Type"] == "AWS::EC2::PlacementGroup")
        moved |= set(fixed) if tags != stack.tags else set()
        stack.change_sets[request.one("change-set-name")] = {
            "template": template,
            "parameters": parameters,
            "tags": tags,
            "moved": moved,
            "imports": "import-existing-resources" in request.options,
            "changes": self._changes(stack, template, moved, tags),
        }
        return {}

    def _asked(self, request: Request, stack: Stack | None) -> tuple[Any, dict[str, str]]:
        """The template and parameters of a change set, which may be those of the stack."""
        parameters = request.pairs("parameters", "ParameterKey", "ParameterValue")
        for key in [key for key, value in parameters.items() if value == PREVIOUS]:
            if stack is None or key not in stack.parameters:
                raise _invalid(
                    f"Invalid input for parameter key {key}. Cannot specify usePreviousValue as "
                    "true for a parameter key not in the previous template"
                )
            parameters[key] = stack.parameters[key]
        if "use-previous-template" not in request.options:
            return json.loads(self._body(request)), parameters
        if stack is None:
            raise _invalid("Previous template is not available")
        if unknown := parameters.keys() - stack.template["Parameters"].keys():
            raise _invalid(f"Parameters: {sorted(unknown)} do not exist in the template")
        return stack.template, parameters

    def _body(self, request: Request) -> str:
        if url := request.one("template-url"):
            return self.account.versions[url.rpartition("?versionId=")[2]].decode()
        text = self.account.text_of(request.one("template-body"))
        if len(text.encode()) > INLINE_BYTES:
            raise _invalid(
                "1 validation error: Value at 'templateBody' failed to satisfy constraint: "
                "Member must have length less than or equal to 51200"
            )
        return text

    def _changes(
        self, stack: Stack, template: dict[str, Any], moved: set[str], tags: Any
    ) -> list[dict[str, Any]]:
        before, after = stack.resources, template["Resources"]
        found: list[dict[str, Any]] = []
        for name in {**before, **after}:
            details: list[dict[str, Any]] = []
            if name not in before:
                change = ("Add", "")
            elif name not in after:
                change = ("Remove", "")
            elif (
                before[name] != after[name]
                or moved & referred(after[name])
                or tags != stack.tags
                or awaits(after[name], before, after)
                or renewed(after[name], moved, before, after)
            ):
                details = list(recreations(before[name], after[name], moved, before, after))
                details += [recreation("Static")] if name in moved else []
                change = ("Modify", replacement(details))
                details += in_place(before[name], after[name], moved, before, after)
            else:
                continue
            type = (after.get(name) or before[name])["Type"]
            found.append(
                {
                    "Action": change[0],
                    **({"Replacement": change[1]} if change[1] else {}),
                    "ResourceType": type,
                    "LogicalResourceId": name,
                    "PhysicalResourceId": stack.ids.get(name),
                    "Details": details,
                    **_policy(before.get(name, {}), *change),
                }
            )
        return found

    def describe_change_set(self, request: Request) -> Any:
        found = self._change_set(request)
        if not found["changes"]:
            reason = (
                "The submitted information didn't contain changes. Submit different information."
            )
            return {"Status": "FAILED", "StatusReason": reason}
        changes = [{"ResourceChange": change} for change in found["changes"]]
        return {"Status": "CREATE_COMPLETE", "Changes": changes}

    def _change_set(self, request: Request) -> dict[str, Any]:
        stack = self._stack(request.one("stack-name"))
        name = request.one("change-set-name")
        if name not in stack.change_sets:
            raise Refused("ChangeSetNotFound", f"ChangeSet [{name}] does not exist")
        return stack.change_sets[name]

    def delete_change_set(self, request: Request) -> Any:
        self._change_set(request)
        del self._stack(request.one("stack-name")).change_sets[request.one("change-set-name")]
        return {}

    def execute_change_set(self, request: Request) -> Any:
        stack, change = self._stack(request.one("stack-name")), self._change_set(request)
        verb = "CREATE" if stack.status == "REVIEW_IN_PROGRESS" else "UPDATE"
        stack.change_sets.clear()
        if failed := self._failure(stack, change):
            name, reason = failed
            stack.events.insert(0, _event(name, f"{verb}_FAILED", reason))
            rollback = "ROLLBACK" if verb == "CREATE" else "UPDATE_ROLLBACK"
            after: tuple[str, ...] = (f"{rollback}_IN_PROGRESS", f"{rollback}_COMPLETE")
            if verb == "CREATE":
                stack.parameters = change["parameters"]
                stack.attempted = change["template"]
                self._leave(change["template"]["Resources"], stack.name, ("Retain",))
            else:
                self.account.rolled_back(stack, change)
        else:
            self._make(stack, change)
            after = (f"{verb}_COMPLETE",)
        stack.status, stack.after = f"{verb}_IN_PROGRESS", after
        stack.until = self.account.clock + (CREATION if verb == "CREATE" else CHANGE)
        return {}

    def _is_taken(self, stack: Stack, name: str, resource: dict[str, Any]) -> bool:
        """Whether a principal has an entry: one that goes is deleted after others are created."""
        if resource["Type"] != "AWS::EKS::AccessEntry" or name in stack.ids:
            return False
        every = (each for each in stack.resources.values() if each["Type"] == resource["Type"])
        taken = (each["Properties"]["PrincipalArn"] for each in every)
        return resource["Properties"]["PrincipalArn"] in taken

    def _failure(self, stack: Stack, change: dict[str, Any]) -> tuple[str, str] | None:
        resources = change["template"]["Resources"]
        if late := self.account.scheduler.rejection(resources, change["parameters"]):
            return late, "The schedule is in the past"
        if denied := denial(stack.policy, change["changes"]):
            return denied
        changed = {each["LogicalResourceId"] for each in change["changes"]}
        for name, resource in resources.items():
            if name in self.account.broken and name in changed:
                return name, self.account.broken[name]
            if self._is_taken(stack, name, resource):
                return name, "The specified access entry resource is already in use"
            if self._is_combined(stack, name, change):
                return name, _COMBINED
            bucket = _bucket(resource)
            if name not in stack.ids and ("AWS::S3::Bucket", bucket) in self.orphans:
                return name, f"{bucket} already exists"
            log = _log_group(resource)
            if log in self.account.log_groups and log not in stack.ids.values():
                kept = str(resource.get("DeletionPolicy")).startswith("Retain")
                if not (change["imports"] and kept):
                    return name, f"{log} already exists"
        return None

    def _is_combined(self, stack: Stack, name: str, change: dict[str, Any]) -> bool:
        before, after = stack.resources, change["template"]["Resources"]
        if name not in before or after[name]["Type"] != "AWS::EKS::Nodegroup":
            return False
        # EKS gets the tags of the stack, too: https://github.com/aws/aws-cdk/issues/16644
        old, new = (
            {**each["Properties"], "every tag": {**tags, **each["Properties"].get("Tags", {})}}
            for each, tags in ((before[name], stack.tags), (after[name], change["tags"]))
        )
        return is_combined(old, new, change["moved"], before, after)

    def _make(self, stack: Stack, change: dict[str, Any]) -> None:
        gone = stack.resources.keys() - change["template"]["Resources"].keys()
        self._leave({name: stack.resources[name] for name in gone}, stack.name)
        stack.template, stack.parameters = change["template"], change["parameters"]
        stack.tags = change["tags"]
        stack.ids = {
            name: stack.ids.get(name) or _id(name, each) for name, each in stack.resources.items()
        }
        self.account.made(stack, {each["LogicalResourceId"] for each in change["changes"]})

    def _leave(
        self,
        resources: dict[str, Any],
        stack: str,
        policies: tuple[str, ...] = ("Retain", "RetainExceptOnCreate"),
    ) -> None:
        for name, resource in resources.items():
            if resource.get("DeletionPolicy") in policies:
                id = _bucket(resource) or f"{stack}/{name}"
                self.orphans.append((resource["Type"], str(id)))
                self.account.log_groups |= {name for name in (_log_group(resource),) if name}

    def describe_stacks(self, request: Request) -> Any:
        if "stack-name" not in request.options:
            return Pages({"Stacks": [self._shown(each)]} for each in self.stacks.values())
        name, cluster = request.one("stack-name"), self.account.pcluster
        if cluster.status and f"stack/{name}/" in cluster.STACK:
            return {"Stacks": [{"StackId": cluster.STACK}]}
        return {"Stacks": [self._shown(self._stack(name))]}

    def _shown(self, stack: Stack) -> dict[str, Any]:
        outputs = [
            {"OutputKey": key, "OutputValue": self._value(stack, key, output)}
            for key, output in (stack.template or {}).get("Outputs", {}).items()
        ]
        parameters = [
            {"ParameterKey": key, "ParameterValue": value}
            for key, value in stack.parameters.items()
        ]
        return {
            "StackName": stack.name,
            "StackStatus": stack.status,
            "Tags": [{"Key": key, "Value": value} for key, value in stack.tags.items()],
            **({"Parameters": parameters} if parameters else {}),
            **({"Outputs": outputs} if outputs else {}),
        }

    def _value(self, stack: Stack, key: str, output: dict[str, Any]) -> str:
        value = output["Value"]
        id = stack.ids.get(value.get("Ref", ""), "") if isinstance(value, dict) else ""
        return id if id.startswith("arn:") else self.account.output(key)

    def get_stack_policy(self, request: Request) -> Any:
        policy = self._stack(request.one("stack-name")).policy
        return {"StackPolicyBody": policy} if policy else {}

    def set_stack_policy(self, request: Request) -> Any:
        body = request.one("stack-policy-body")
        text = self.account.text_of(body) if body.startswith("file://") else body
        assert json.loads(text)["Statement"]
        self._stack(request.one("stack-name")).policy = text
        return {}

    def get_template(self, request: Request) -> Any:
        name, cluster = request.one("stack-name"), self.account.pcluster
        if name not in self.stacks and cluster.status:
            # ParallelCluster's own stack has the name of its cluster.
            return {"TemplateBody": cluster.template()}
        return {"TemplateBody": self._stack(name).template}

    def get_template_summary(self, request: Request) -> Any:
        stack = self._stack(request.one("stack-name"))
        template = stack.template or stack.attempted
        shown = {"Description": template["Description"]} if "Description" in template else {}
        if "Metadata" in template:
            shown["Metadata"] = json.dumps(template["Metadata"])
        return shown

    def describe_stack_events(self, request: Request) -> Any:
        return {"StackEvents": self._stack(request.one("stack-name")).events}

    def describe_stack_resources(self, request: Request) -> Any:
        stack = self._stack(request.one("stack-name"))
        types = {name: each["Type"] for name, each in stack.resources.items()}
        found = [
            {"LogicalResourceId": name, "PhysicalResourceId": id, "ResourceType": types.get(name)}
            for name, id in stack.ids.items()
        ]
        return {"StackResources": found}

    def list_stack_resources(self, request: Request) -> Any:
        if request.one("stack-name") == self.account.pcluster.STACK:
            return {"StackResourceSummaries": self.account.pcluster.resources}
        if request.one("stack-name") == "example" and self.account.pcluster.status:
            return {"StackResourceSummaries": [self.account.pcluster.log_group()]}
        stack = self._stack(request.one("stack-name"))
        if stack.status == "ROLLBACK_COMPLETE" and stack.attempted:
            names = log_groups(stack.attempted)
            skipped = [{"PhysicalResourceId": n, "ResourceStatus": "DELETE_SKIPPED"} for n in names]
            return {"StackResourceSummaries": skipped}
        found = self.describe_stack_resources(request)["StackResources"]
        return {"StackResourceSummaries": [{**r, "ResourceStatus": "OK"} for r in found]}

    def delete_stack(self, request: Request) -> Any:
        stack = self.stacks.get(request.one("stack-name"))
        if stack:
            self.empty |= {stack.name} if stack.status == "REVIEW_IN_PROGRESS" else set()
            stack.until = self.account.clock + DELETION
            failed = next((name for name in stack.resources if name in self.account.stuck), None)
            if failed:
                stack.events.insert(0, _event(failed, "DELETE_FAILED", self.account.stuck[failed]))
            stack.status = "DELETE_IN_PROGRESS"
            stack.after = ("DELETE_FAILED",) if failed else ("",)
        return {}

    def advance(self) -> None:
        """Let everything happen that is due by now."""
        for stack in list(self.stacks.values()):
            while stack.after and stack.until <= self.account.clock:
                stack.status, *rest = stack.after
                stack.after = tuple(rest)
                stack.until += CHANGE
                if not stack.status:
                    del self.stacks[stack.name]
                    if stack.template:
                        self._leave(stack.resources, stack.name)
                        self.account.unmade(stack)

    def _stack(self, name: str) -> Stack:
        if name not in self.stacks:
            raise _invalid(f"Stack with id {name} does not exist")
        return self.stacks[name]


def _invalid(message: str) -> Refused:
    return Refused("ValidationError", message)


def _policy(old: dict[str, Any], action: str, replacement: str) -> dict[str, str]:
    """What becomes of a resource that leaves its template, or that is replaced."""
    if action != "Remove" and replacement != "True":
        return {}
    policy = "DeletionPolicy" if action == "Remove" else "UpdateReplacePolicy"
    fate = "Retain" if str(old.get(policy)).startswith("Retain") else "Delete"
    return {"PolicyAction": fate if action == "Remove" else f"ReplaceAnd{fate}"}


def _bucket(resource: dict[str, Any]) -> str:
    """The name that a template gives a bucket; empty for a generated one and for others."""
    name = resource.get("Properties", {}).get("BucketName", "")
    return "" if "AWS::NoValue" in str(name) else str(name)


def log_groups(template: Any) -> list[str]:
    """The names of the log groups that a stack of a template makes."""
    groups = (r for r in template["Resources"].values() if r["Type"] == "AWS::Logs::LogGroup")
    names = (group.get("Properties", {}).get("LogGroupName") for group in groups)
    return [name for name in names if isinstance(name, str)]


def _log_group(resource: dict[str, Any]) -> str:
    """The name of a log group that its template names; empty for others."""
    return next(iter(log_groups({"Resources": {"it": resource}})), "")


def _id(name: str, resource: dict[str, Any]) -> str:
    """The physical id of a new resource."""
    properties = resource.get("Properties", {})
    if log := _log_group(resource):
        return log
    if resource["Type"] == "AWS::EKS::AccessEntry":
        return f"{properties['PrincipalArn']}|{properties['ClusterName']}"
    if resource["Type"] == "AWS::EKS::Nodegroup":
        return f"cluster/{properties['NodegroupName']}"
    if resource["Type"] == "AWS::PCS::ComputeNodeGroup":
        return f"{_ARN.format('pcs')}:cluster/pcs_0a1b/computenodegroup/pcs-{properties['Name']}"
    plain = f"{name.lower()}-0a1b"
    if _is_named_by_arn(resource["Type"]):
        _, service, kind = resource["Type"].lower().split("::")
        return f"{_ARN.format(service)}:{kind}/{plain}"
    return plain


_ARN = "arn:aws:{}:us-east-1:111122223333"


@functools.cache
def _is_named_by_arn(type: str) -> bool:
    """Whether the physical ids of a type are ARNs."""
    manager: Any = importlib.import_module("cfnlint.schema.manager").PROVIDER_SCHEMA_MANAGER
    if type not in manager.get_resource_types("us-east-1"):
        return False
    schema = manager.get_resource_schema("us-east-1", type).schema
    return [name[-3:] for name in schema["primaryIdentifier"]] == ["Arn"]


def _event(name: str, status: str, reason: str) -> dict[str, str]:
    return {"LogicalResourceId": name, "ResourceStatus": status, "ResourceStatusReason": reason}
