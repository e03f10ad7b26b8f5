"""CloudFormation: stacks that take their time, fail, roll back, and keep what is retained."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.cloud.answers import PREVIOUS, Refused, Request
from tests.support.cloud.conditions import Conditions

if TYPE_CHECKING:
    from tests.support.cloud.account import Account

INLINE_BYTES = 51_200
CREATION, CHANGE, DELETION = 90, 60, 60
"""Seconds: some polls, where AWS takes minutes to hours."""

# Of the types whose replacement is asked about: the properties that only a new resource can have.
_CREATE_ONLY = {
    "AWS::Batch::ComputeEnvironment": ("ComputeEnvironmentName", "Type", "Tags"),
    "AWS::Batch::JobQueue": ("JobQueueName", "JobQueueType"),
    "AWS::PCS::Cluster": ("Size", "Name", "Networking"),
    "AWS::PCS::ComputeNodeGroup": ("InstanceConfigs", "Name"),
    "AWS::EKS::Nodegroup": ("InstanceTypes", "AmiType", "NodegroupName"),
    "AWS::FSx::FileSystem": ("SecurityGroupIds", "KmsKeyId", "SubnetIds", "FileSystemType"),
    "AWS::EFS::FileSystem": ("KmsKeyId", "Encrypted", "AvailabilityZoneName"),
    "AWS::EKS::Cluster": ("Name", "RoleArn"),
}


_ATTRIBUTE = re.compile(r'"Fn::GetAtt": \["(\w+)", "(\w+)"\]')
_NESTED = {
    "AWS::FSx::FileSystem": (
        "LustreConfiguration/DeploymentType",
        "OpenZFSConfiguration/RootVolumeConfiguration",
    )
}
"""Replacing as well, but not in the schema of the type: a change set calls them updates."""


@dataclass(slots=True)
class Stack:
    """What a stack is, and what it is becoming."""

    name: str
    status: str = "REVIEW_IN_PROGRESS"
    template: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    events: list[dict[str, str]] = field(default_factory=list)
    change_sets: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: str = ""
    until: float = 0
    after: tuple[str, ...] = ()
    """The statuses that follow, each after the time of one."""

    @property
    def resources(self) -> dict[str, Any]:
        found: dict[str, Any] = self.template.get("Resources", {})
        return found


def _wanted(template: dict[str, Any], parameters: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """Resources without those whose condition is false."""
    conditions = Conditions(template, parameters)
    for name, resource in template["Resources"].items():
        if "Condition" not in resource or conditions.holds(resource["Condition"]):
            yield name, resource


def _awaits(resource: Any, before: Any, after: Any) -> set[str]:
    """The attributes to which create-only properties refer, of resources that change."""
    known = resource.get("Properties", {})
    text = json.dumps([known.get(key) for key in _CREATE_ONLY.get(resource["Type"], ())])
    found = (f"{name}.{attribute}" for name, attribute in _ATTRIBUTE.findall(text))
    return {each for each in found if before.get(name := each.split(".")[0]) != after.get(name)}


def _recreations(
    old: Any, new: Any, moved: set[str], before: Any, after: Any
) -> Iterator[dict[str, Any]]:
    """Why a resource is, or may be, replaced: a value is known only later if it is an attribute."""
    fixed = _CREATE_ONLY.get(new["Type"], ())
    was, becomes = old.get("Properties", {}), new.get("Properties", {})
    for key in fixed:
        later = bool(_ATTRIBUTE.search(json.dumps(becomes.get(key))))
        if was.get(key) != becomes.get(key) or moved & _referred(becomes.get(key)):
            yield _recreation("Dynamic" if later else "Static")
    for path in _NESTED.get(new["Type"], ()):
        if _below(was, path) != _below(becomes, path):
            target = {"Attribute": "Properties", "RequiresRecreation": "Never"}
            target["Path"] = f"/Properties/{path}"
            yield {"Target": target, "Evaluation": "Static"}
    for cause in sorted(_awaits(new, before, after)):
        yield {**_recreation("Dynamic"), "CausingEntity": cause}


def _below(properties: Any, path: str) -> Any:
    for step in path.split("/"):
        properties = (properties or {}).get(step)
    return properties


def _recreation(evaluation: str) -> dict[str, Any]:
    target = {"Attribute": "Properties", "RequiresRecreation": "Always"}
    return {"Target": target, "Evaluation": evaluation}


def _replacement(details: list[dict[str, Any]]) -> str:
    found = [d for d in details if d["Target"]["RequiresRecreation"] == "Always"]
    if any(each["Evaluation"] == "Static" for each in found):
        return "True"
    return "Conditional" if found else "False"


class CloudFormation:
    """Its operations."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.stacks: dict[str, Stack] = {}
        self.orphans: list[tuple[str, str]] = []
        """Type and id of what outlived its stack."""

    def create_change_set(self, request: Request) -> Any:
        name, type = request.one("stack-name"), request.one("change-set-type")
        stack = self.stacks.get(name)
        if type == "CREATE" and stack and stack.status != "REVIEW_IN_PROGRESS":
            raise Refused("AlreadyExistsException", f"Stack [{name}] already exists")
        if type == "UPDATE":
            if not stack:
                raise Refused("ValidationError", f"Stack [{name}] does not exist")
            if not stack.status.endswith("_COMPLETE") or stack.status == "ROLLBACK_COMPLETE":
                raise Refused("ValidationError", f"Stack:{name} is in {stack.status} state")
        template, parameters = self._asked(request, stack)
        missing = [
            key
            for key, parameter in template.get("Parameters", {}).items()
            if key not in parameters and "Default" not in parameter
        ]
        if missing:
            raise Refused("ValidationError", f"Parameters: {missing} must have values")
        template = {**template, "Resources": dict(_wanted(template, parameters))}
        stack = self.stacks.setdefault(name, Stack(name))
        tags = " ".join(request.options["tags"]) if "tags" in request.options else stack.tags
        stack.change_sets[request.one("change-set-name")] = {
            "template": template,
            "parameters": parameters,
            "tags": tags,
            "changes": self._changes(stack, template, parameters, tags),
        }
        return {}

    def _asked(self, request: Request, stack: Stack | None) -> tuple[Any, dict[str, str]]:
        """The template and parameters of a change set, which may be those of the stack."""
        parameters = request.pairs("parameters", "ParameterKey", "ParameterValue")
        for key in [key for key, value in parameters.items() if value == PREVIOUS]:
            if stack is None or key not in stack.parameters:
                raise Refused(
                    "ValidationError",
                    f"Invalid input for parameter key {key}. Cannot specify usePreviousValue as "
                    "true for a parameter key not in the previous template",
                )
            parameters[key] = stack.parameters[key]
        if "use-previous-template" not in request.options:
            return json.loads(self._body(request)), parameters
        if stack is None:
            raise Refused("ValidationError", "Previous template is not available")
        if unknown := parameters.keys() - stack.template["Parameters"].keys():
            raise Refused(
                "ValidationError", f"Parameters: {sorted(unknown)} do not exist in the template"
            )
        return stack.template, parameters

    def _body(self, request: Request) -> str:
        if url := request.one("template-url"):
            bucket, key = url.removeprefix("https://").split("/", 1)
            return self.account.objects[f"{bucket.split('.')[0]}/{key}"].decode()
        text = self.account.text_of(request.one("template-body"))
        if len(text.encode()) > INLINE_BYTES:
            raise Refused(
                "ValidationError",
                "1 validation error: Value at 'templateBody' failed to satisfy constraint: "
                "Member must have length less than or equal to 51200",
            )
        return text

    def _changes(
        self, stack: Stack, template: dict[str, Any], parameters: dict[str, str], tags: str
    ) -> list[dict[str, Any]]:
        before, after = stack.resources, template["Resources"]
        moved = {key for key, value in parameters.items() if stack.parameters.get(key) != value}
        found: list[dict[str, Any]] = []
        for name in {**before, **after}:
            details: list[dict[str, Any]] = []
            if name not in before:
                change = ("Add", "")
            elif name not in after:
                change = ("Remove", "")
            elif (
                before[name] != after[name]
                or moved & _referred(after[name])
                or tags != stack.tags
                or _awaits(after[name], before, after)
            ):
                details = list(_recreations(before[name], after[name], moved, before, after))
                change = ("Modify", _replacement(details))
            else:
                continue
            type = (after.get(name) or before[name])["Type"]
            found.append(
                {
                    "Action": change[0],
                    **({"Replacement": change[1]} if change[1] else {}),
                    "ResourceType": type,
                    "LogicalResourceId": name,
                    "Details": details,
                    **({"PolicyAction": _policy(before[name])} if change[0] == "Remove" else {}),
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
        self._stack(request.one("stack-name")).change_sets.pop(request.one("change-set-name"))
        return {}

    def execute_change_set(self, request: Request) -> Any:
        stack, change = self._stack(request.one("stack-name")), self._change_set(request)
        verb = "CREATE" if stack.status == "REVIEW_IN_PROGRESS" else "UPDATE"
        stack.change_sets.clear()
        failed = self._failure(stack, change)
        if failed:
            name, reason = failed
            stack.events.insert(0, _event(name, f"{verb}_FAILED", reason))
            rollback = "ROLLBACK" if verb == "CREATE" else "UPDATE_ROLLBACK"
            after: tuple[str, ...] = (f"{rollback}_IN_PROGRESS", f"{rollback}_COMPLETE")
            if verb == "CREATE":
                stack.parameters = change["parameters"]
                self._leave(change["template"]["Resources"], stack.name, ("Retain",))
            else:
                self.account.rolled_back(stack, change)
        else:
            self._make(stack, change)
            after = (f"{verb}_COMPLETE",)
        stack.status, stack.after = f"{verb}_IN_PROGRESS", after
        stack.until = self.account.clock + (CREATION if verb == "CREATE" else CHANGE)
        return {}

    def _failure(self, stack: Stack, change: dict[str, Any]) -> tuple[str, str] | None:
        resources = change["template"]["Resources"]
        if late := self.account.scheduler.rejection(resources, change["parameters"]):
            return late, "The schedule is in the past"
        changed = {each["LogicalResourceId"] for each in change["changes"]}
        for name, resource in resources.items():
            if name in self.account.broken and name in changed:
                return name, self.account.broken[name]
            bucket = resource.get("Properties", {}).get("BucketName")
            if (
                bucket
                and name not in stack.ids
                and ("AWS::S3::Bucket", str(bucket)) in self.orphans
            ):
                return name, f"{bucket} already exists"
        return None

    def _make(self, stack: Stack, change: dict[str, Any]) -> None:
        gone = stack.resources.keys() - change["template"]["Resources"].keys()
        self._leave({name: stack.resources[name] for name in gone}, stack.name)
        stack.template, stack.parameters = change["template"], change["parameters"]
        stack.tags = change["tags"]
        stack.ids = {name: stack.ids.get(name, f"{name.lower()}-0a1b") for name in stack.resources}
        self.account.made(stack, {each["LogicalResourceId"] for each in change["changes"]})

    def _leave(
        self,
        resources: dict[str, Any],
        stack: str,
        policies: tuple[str, ...] = ("Retain", "RetainExceptOnCreate"),
    ) -> None:
        for name, resource in resources.items():
            if resource.get("DeletionPolicy") in policies:
                id = resource.get("Properties", {}).get("BucketName") or f"{stack}/{name}"
                self.orphans.append((resource["Type"], str(id)))

    def describe_stacks(self, request: Request) -> Any:
        stack = self._stack(request.one("stack-name"))
        outputs = [
            {"OutputKey": key, "OutputValue": self.account.output(key)}
            for key in (stack.template.get("Outputs", {}) if stack.template else {})
        ]
        parameters = [
            {"ParameterKey": key, "ParameterValue": value}
            for key, value in stack.parameters.items()
        ]
        return {
            "Stacks": [
                {
                    "StackName": stack.name,
                    "StackStatus": stack.status,
                    "Parameters": parameters,
                    **({"Outputs": outputs} if outputs else {}),
                }
            ]
        }

    def get_template(self, request: Request) -> Any:
        return {"TemplateBody": self._stack(request.one("stack-name")).template}

    def describe_stack_events(self, request: Request) -> Any:
        return {"StackEvents": self._stack(request.one("stack-name")).events}

    def describe_stack_resources(self, request: Request) -> Any:
        stack = self._stack(request.one("stack-name"))
        found = [
            {
                "LogicalResourceId": name,
                "PhysicalResourceId": id,
                "ResourceType": stack.resources.get(name, {}).get("Type"),
            }
            for name, id in stack.ids.items()
        ]
        return {"StackResources": found}

    def list_stack_resources(self, request: Request) -> Any:
        found = self.describe_stack_resources(request)["StackResources"]
        return {"StackResourceSummaries": [{**r, "ResourceStatus": "OK"} for r in found]}

    def delete_stack(self, request: Request) -> Any:
        stack = self.stacks.get(request.one("stack-name"))
        if stack:
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
            raise Refused("ValidationError", f"Stack with id {name} does not exist")
        return self.stacks[name]


def _policy(resource: dict[str, Any]) -> str:
    """What becomes of a resource that leaves its template."""
    return "Retain" if str(resource.get("DeletionPolicy")).startswith("Retain") else "Delete"


def _event(name: str, status: str, reason: str) -> dict[str, str]:
    return {"LogicalResourceId": name, "ResourceStatus": status, "ResourceStatusReason": reason}


def _referred(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {str(value["Ref"])} if "Ref" in value else set()
        return own.union(*map(_referred, value.values()))
    return set().union(*map(_referred, value)) if isinstance(value, list) else set()
