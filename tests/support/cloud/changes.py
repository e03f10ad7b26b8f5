"""What a change set says of each resource, and what a stack policy lets it do."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.support.cloud.conditions import Conditions

# Of the types whose replacement is asked about: the properties that only a new resource can have.
_CREATE_ONLY = {
    "AWS::Batch::ComputeEnvironment": ("ComputeEnvironmentName", "Type", "Tags"),
    "AWS::Batch::JobQueue": ("JobQueueName", "JobQueueType"),
    "AWS::PCS::Cluster": ("Size", "Name", "Networking"),
    "AWS::PCS::ComputeNodeGroup": ("InstanceConfigs", "Name"),
    "AWS::EC2::PlacementGroup": ("Strategy", "Tags"),
    "AWS::EKS::Nodegroup": ("InstanceTypes", "AmiType", "NodegroupName", "NodeRole", "Subnets"),
    "AWS::FSx::FileSystem": ("SecurityGroupIds", "KmsKeyId", "SubnetIds", "FileSystemType"),
    "AWS::FSx::DataRepositoryAssociation": ("FileSystemPath", "DataRepositoryPath"),
    "AWS::EFS::FileSystem": ("KmsKeyId", "Encrypted", "AvailabilityZoneName"),
    "AWS::EKS::Cluster": ("Name", "RoleArn"),
    "AWS::RDS::DBInstance": ("DBInstanceIdentifier",),
}


_ATTRIBUTE = re.compile(r'"Fn::GetAtt": \["(\w+)", "(\w+)"\]')
_NESTED = {
    "AWS::FSx::FileSystem": (
        "LustreConfiguration/DeploymentType",
        "OpenZFSConfiguration/RootVolumeConfiguration",
    )
}
"""Replacing as well, but not in the schema of the type: a change set calls them updates."""


def wanted(template: dict[str, Any], parameters: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """Resources without those whose condition is false."""
    conditions = Conditions(template, parameters)
    for name, resource in template["Resources"].items():
        if "Condition" not in resource or conditions.holds(resource["Condition"]):
            yield name, resource


def awaits(resource: Any, before: Any, after: Any) -> set[str]:
    """The attributes to which create-only properties refer, of resources that change."""
    known = resource.get("Properties", {})
    text = json.dumps([known.get(key) for key in _CREATE_ONLY.get(resource["Type"], ())])
    found = (f"{name}.{attribute}" for name, attribute in _ATTRIBUTE.findall(text))
    return {each for each in found if before.get(name := each.split(".")[0]) != after.get(name)}


def unresolved(template: dict[str, Any]) -> set[str]:
    """The names to which the resources of a template refer, and which it does not have."""
    known = [template.get(part, ()) for part in ("Parameters", "Conditions", "Resources")]
    text = json.dumps(template["Resources"])
    return {*re.findall(r'"(?:Ref|Fn::GetAtt|Fn::If)": \[?"(\w+)"', text)}.difference(*known)


def renewed(resource: Any, moved: set[str], before: Any, after: Any) -> bool:
    """Whether a resource has the newest version of a launch template that changes.

    A change set has it as ``Modify``, with a dynamic change, although its own text stays the same.
    """
    found = _ATTRIBUTE.findall(json.dumps(resource.get("Properties", {})))
    templates = (name for name, attribute in found if attribute == "LatestVersionNumber")
    return any(_differs(name, moved, before, after) for name in templates)


def _differs(name: str, moved: set[str], before: Any, after: Any) -> bool:
    return before.get(name) != after.get(name) or bool(moved & referred(after.get(name)))


_NODES = ("LaunchTemplate", "Version", "ReleaseVersion")


def is_combined(was: Any, becomes: Any, moved: set[str], before: Any, after: Any) -> bool:
    """Whether an update of the properties of an EKS node group changes its nodes, and more.

    https://github.com/aws/containers-roadmap/issues/1258
    """
    changed = {
        key
        for key in {**was, **becomes}
        if was.get(key) != becomes.get(key) or moved & referred(becomes.get(key))
    }
    if renewed({"Properties": becomes}, moved, before, after):
        changed.add("LaunchTemplate")
    replaced = changed.intersection(_CREATE_ONLY["AWS::EKS::Nodegroup"])
    return not (replaced or changed.isdisjoint(_NODES) or changed.issubset(_NODES))


def recreations(
    old: Any, new: Any, moved: set[str], before: Any, after: Any
) -> Iterator[dict[str, Any]]:
    """Why a resource is, or may be, replaced: a value is known only later if it is an attribute."""
    fixed = _CREATE_ONLY.get(new["Type"], ())
    was, becomes = old.get("Properties", {}), new.get("Properties", {})
    for key in fixed:
        later = bool(_ATTRIBUTE.search(json.dumps(becomes.get(key))))
        if was.get(key) != becomes.get(key) or moved & referred(becomes.get(key)):
            yield recreation("Dynamic" if later else "Static")
    for path in _NESTED.get(new["Type"], ()):
        if _below(was, path) != _below(becomes, path):
            target = {"Attribute": "Properties", "RequiresRecreation": "Never"}
            target["Path"] = f"/Properties/{path}"
            yield {"Target": target, "Evaluation": "Static"}
    for cause in sorted(awaits(new, before, after)):
        yield {**recreation("Dynamic"), "CausingEntity": cause}


def _below(properties: Any, path: str) -> Any:
    for step in path.split("/"):
        properties = (properties or {}).get(step)
    return properties


def recreation(evaluation: str) -> dict[str, Any]:
    target = {"Attribute": "Properties", "RequiresRecreation": "Always"}
    return {"Target": target, "Evaluation": evaluation}


def replacement(details: list[dict[str, Any]]) -> str:
    found = [d for d in details if d["Target"]["RequiresRecreation"] == "Always"]
    if any(each["Evaluation"] == "Static" for each in found):
        return "True"
    return "Conditional" if found else "False"


def referred(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {str(value["Ref"])} if "Ref" in value else set()
        return own.union(*map(referred, value.values()))
    return set().union(*map(referred, value)) if isinstance(value, list) else set()


def in_place(
    old: Any, new: Any, moved: set[str], before: Any, after: Any
) -> Iterator[dict[str, Any]]:
    """The properties that change, and with what: a template, a parameter, another resource."""
    was, becomes = (dict(_leaves(each.get("Properties", {}))) for each in (old, new))
    for path in {**was, **becomes}:
        target = {"Attribute": "Properties", "RequiresRecreation": "Never"}
        target |= {"Name": path.split("/")[1], "Path": f"/Properties{path}"}
        if was.get(path) != becomes.get(path):
            yield {"Target": target, "Evaluation": "Static"}
        for cause in sorted(moved & referred(becomes.get(path))):
            yield {"Target": target, "Evaluation": "Static", "CausingEntity": cause}
        for name, attribute in _ATTRIBUTE.findall(json.dumps(becomes.get(path))):
            if _differs(name, moved, before, after):
                cause = f"{name}.{attribute}"
                yield {"Target": target, "Evaluation": "Dynamic", "CausingEntity": cause}


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and not any(k == "Ref" or k.startswith("Fn::") for k in value):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}/{key}")
    else:
        yield path, value


_NAMES = {
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
}


def is_named(template: Any) -> bool:
    """Whether a template gives IAM resources names of their own."""
    return any(
        _NAMES.get(each["Type"], "-") in each.get("Properties", {})
        for each in template["Resources"].values()
    )


def denial(policy: str, changes: list[dict[str, Any]]) -> tuple[str, str] | None:
    """The first resource that a policy protects from these changes, and what CloudFormation says.

    A resource that stays when it leaves its template is denied, too.
    """
    for number, statement in enumerate(json.loads(policy or '{"Statement": []}')["Statement"], 1):
        types = statement.get("Condition", {}).get("StringEquals", {}).get("ResourceType", [])
        for change in changes if statement["Effect"] == "Deny" else ():
            action = "Delete" if change["Action"] == "Remove" else "Replace"
            ends = action == "Delete" or change.get("Replacement") == "True"
            if (
                ends
                and change["ResourceType"] in types
                and f"Update:{action}" in statement["Action"]
            ):
                why = f"Action denied by stack policy: Statement [#{number}] does not allow"
                id = change["LogicalResourceId"]
                return id, f"{why} [Update:{action}] for resource [{id}]"
    return None
