"""Build ``data.json``: what CloudFormation calls for each resource type, and what IAM knows of it.

The calls are the permissions of the types' handlers in the CloudFormation registry, and what an
action applies to is in the service authorization reference; cfn-lint has copies of both. What AWS's
managed policies of roles allow comes from moto's copy. Run in a checkout with the extra ``test``::

    python -m tools.policy.build [--check]
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import clustergen
from clustergen.analysis.policy import parallelcluster, scopes
from clustergen.analysis.policy.calls import camel
from clustergen.base.text_lists import word_set
from clustergen.deployment import calls

PACKAGE = Path(clustergen.__file__).parent
PATH = PACKAGE / "analysis/policy/data.json"
TEMPLATES = PACKAGE.parent / "templates"

_TYPE = re.compile(r"\bAWS::\w+::\w+")
_NOT_RENDERED = {"importing", "effects", "schemas", "policy"}
"""Packages that read templates that we did not write."""
_FOREIGN = word_set("""
    autoloop codewhisperer firehose identitystore kafka kinesis organizations s3tables sso
    vpc-lattice vpce workmail
""")
"""Services that handlers call for properties that no template of ours has."""

# The registry has no handlers of FSx::FileSystem:
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/security_iam_id-based-policy-examples.html
_FILE_SYSTEMS = """
    fsx:CreateFileSystem fsx:CreateFileSystemFromBackup fsx:DeleteFileSystem
    fsx:DescribeFileSystems fsx:UpdateFileSystem fsx:DescribeVolumes fsx:ListTagsForResource
    fsx:TagResource fsx:UntagResource fsx:CreateBackup fsx:CreateVolume fsx:UpdateVolume
    fsx:CreateDataRepositoryAssociation fsx:DescribeDataRepositoryAssociations
    ec2:DescribeSubnets ec2:DescribeVpcs ec2:DescribeSecurityGroups ec2:DescribeNetworkInterfaces
    ec2:GetSecurityGroupsForVpc ec2:DescribeRouteTables ec2:CreateRoute ec2:ReplaceRoute
    kms:CreateGrant kms:DescribeKey kms:GenerateDataKey
"""
_MORE = {
    "AWS::FSx::FileSystem": _FILE_SYSTEMS,
    # Attributes of a template, its newest version among them, are read by another call.
    "AWS::EC2::LaunchTemplate": "ec2:DescribeLaunchTemplateVersions ec2:ModifyLaunchTemplate",
    "AWS::EC2::PlacementGroup": "ec2:DeleteTags",
    "AWS::EC2::Instance": "ec2:RebootInstances",
    "AWS::IAM::InstanceProfile": "iam:TagInstanceProfile iam:UntagInstanceProfile",
    "AWS::IAM::ManagedPolicy": "iam:TagPolicy iam:UntagPolicy",
    "AWS::EKS::Nodegroup": "ec2:DescribeImages ec2:DescribeInstanceTypes",
    # https://docs.aws.amazon.com/pcs/latest/userguide/security-min-permissions.html (2026-11)
    "AWS::PCS::Cluster": "secretsmanager:RotateSecret",
    "AWS::PCS::ComputeNodeGroup": "ec2:DescribeCapacityReservations ec2:DescribeCapacityBlocks "
    "ec2:DescribeCapacityBlockStatus",
    "AWS::Lambda::Function": "lambda:InvokeFunction lambda:AddPermission lambda:RemovePermission",
}
_APART = re.compile(
    r"iam:PassRole|iam:\w+ServiceLinkedRole|iam:\w*(User|Group)\w*|secretsmanager:GetSecretValue"
)
"""What statements of their own grant, and what is for users and secrets: no template has these."""


def main(arguments: Iterable[str] = ()) -> int:
    text = built()
    if "--check" not in arguments:
        PATH.write_text(text, encoding="utf-8")
    elif not PATH.exists() or PATH.read_text(encoding="utf-8") != text:
        print(f"{PATH.name} is not what would be built: python -m tools.policy.build")
        return 1
    return 0


def built() -> str:
    """The text of the file: one line for each entry."""
    types = {name: _actions_of(name) for name in sorted(_rendered() | set(parallelcluster.TYPES))}
    types = {name: actions for name, actions in types.items() if actions}
    deletes = {name: _deletes(name) for name in types}
    used = sorted({*(a for actions in types.values() for a in actions), *_called()})
    data = {
        "types": {name: " ".join(actions) for name, actions in types.items()},
        "deletes": {name: " ".join(found) for name, found in deletes.items() if found},
        "kinds": {action: " ".join(found) for action in used if (found := _named_kinds(action))},
        "managed": {name: " ".join(_allowed(name)) for name in _managed_names()},
    }
    sections = [f"{json.dumps(name)}: {{\n{_lines(entries)}\n}}" for name, entries in data.items()]
    return "{\n" + ",\n".join((f'"$comment": {json.dumps(_source())}', *sections)) + "\n}\n"


def _lines(entries: Mapping[str, str]) -> str:
    return ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items())


def _source() -> str:
    import importlib.metadata

    from cfnlint.data import schemas

    version = json.loads(Path(schemas.__file__).with_name("version.json").read_text("utf-8"))
    lint, moto = (importlib.metadata.version(name) for name in ("cfn-lint", "moto"))
    return f"cfn-lint {lint}, schemas of {version['schema_date']}; moto {moto}"


def _rendered() -> set[str]:
    """The types that our code names, wherever it renders."""
    files = PACKAGE.rglob("*.py")
    own = (path for path in files if not _NOT_RENDERED & {*path.relative_to(PACKAGE).parts})
    return {name for path in own for name in _TYPE.findall(path.read_text("utf-8"))}


@cache
def _schemas() -> dict[str, Any]:
    from cfnlint.data import schemas

    files = (Path(schemas.__file__).parent / "resources").glob("*.json")
    found = (json.loads(path.read_text("utf-8")) for path in sorted(files))
    return {schema["typeName"]: schema for schema in found}


def _actions_of(name: str) -> list[str]:
    handlers = _schemas().get(name, {}).get("handlers", {})
    raw = [each for handler in handlers.values() for each in handler.get("permissions", ())]
    return _settled([*raw, *_MORE.get(name, "").split()])


def _deletes(name: str) -> list[str]:
    """What deletes a resource of the type, if IAM can tell by its tags whose it is."""
    handler = _schemas().get(name, {}).get("handlers", {}).get("delete", {})
    raw = [*handler.get("permissions", ()), *_MORE.get(name, "").split()]
    noun = name.rpartition(":")[2]
    deleting = re.compile(rf"\w+:(Delete|Terminate|Reboot){noun}s?", re.IGNORECASE)
    return [a for a in _settled(raw) if deleting.fullmatch(a) and _is_tagged(a)]


def _settled(raw: Iterable[str]) -> list[str]:
    """Actions that IAM knows, as it writes them: the registry has other cases, and other things."""
    known = (action for action in map(_cased, raw) if _reference(action) is not None)
    return sorted({action for action in known if not _APART.fullmatch(action)})


def _cased(action: str) -> str:
    service, _, name = action.partition(":")
    return f"{service.lower()}:{name[:1].upper()}{name[1:]}".replace(":UnTag", ":Untag")


@cache
def _services() -> dict[str, Any]:
    from cfnlint.data import AdditionalSpecs
    from cfnlint.helpers import load_resource

    services: dict[str, Any] = load_resource(AdditionalSpecs, "Policies.json")
    return services


def _reference(action: str) -> Mapping[str, Any] | None:
    service, _, name = action.partition(":")
    if service in _FOREIGN:
        return None
    known: Mapping[str, Any] = _services().get(service, {}).get("Actions", {})
    return known.get(name.lower())


def _kinds(action: str) -> list[str]:
    kinds: list[str] = (_reference(action) or {}).get("Resources", [])
    return kinds


def _named_kinds(action: str) -> list[str]:
    service = action.partition(":")[0]
    return [kind for kind in _kinds(action) if f"{service}:{kind}" in scopes.KINDS]


def _is_tagged(action: str) -> bool:
    kinds = _kinds(action)
    known = _services().get(action.partition(":")[0], {}).get("Resources", {})
    keys = [known.get(kind, {}).get("ConditionKeys", ()) for kind in kinds]
    tagged = bool(keys) and all("aws:ResourceTag/${TagKey}" in each for each in keys)
    return tagged and not _named_kinds(action)


def _called() -> Iterator[str]:
    """All actions of services with names in scopes, whose operations a text of ours may name."""
    texts = (path.read_text("utf-8") for path in (*TEMPLATES.rglob("*.j2"), *PACKAGE.rglob("*.py")))
    words = {word for text in texts for word in re.findall(r"\b[a-z]+(?:-[a-z0-9]+)+\b", text)}
    deployed = (*calls.EVERY, *calls.NODES_IN_EKS, *(c for own in calls.OWN.values() for c in own))
    for service in sorted({kind.partition(":")[0] for kind in scopes.KINDS}):
        actions = (f"{service}:{camel(word)}" for word in sorted(words))
        yield from (action for action in actions if _reference(action) is not None)
        others = (a for a in (*scopes.USED, *deployed) if a.startswith(f"{service}:"))
        yield from (action for action in others if _reference(action) is not None)


@cache
def _policies() -> dict[str, Any]:
    from moto.iam.aws_managed_policies import aws_managed_policies_data

    policies: dict[str, Any] = json.loads(aws_managed_policies_data)
    return policies


def _managed_names() -> list[str]:
    texts = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    words = set(re.findall(r"\bA(?:mazon|WS)\w+|\bCloudWatchAgentServerPolicy", texts))
    return sorted(words & _policies().keys())


def _allowed(name: str) -> list[str]:
    allowing = (s for s in _policies()[name]["Document"]["Statement"] if s["Effect"] == "Allow")
    found = (s.get("Action", []) for s in allowing)
    return sorted({a for each in found for a in ([each] if isinstance(each, str) else each)})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
