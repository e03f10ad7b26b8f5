"""Schemas of templates, from the resource schemas in cfn-lint."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tools.schemas.parallelcluster import exactly_one, map, never
from tools.schemas.shared import CFN_LINT, DIALECT, Json, installed

_NODE_TYPES = (
    "AWS::CloudWatch::Dashboard",
    "AWS::EC2::LaunchTemplate",
    "AWS::EC2::PlacementGroup",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::IAM::InstanceProfile",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::Policy",
    "AWS::IAM::Role",
    "AWS::Logs::LogGroup",
)
"""Of nodes that launch templates describe."""


PCS_TYPES = tuple(
    sorted(
        (
            *_NODE_TYPES,
            "AWS::Logs::Delivery",
            "AWS::Logs::DeliveryDestination",
            "AWS::Logs::DeliverySource",
            "AWS::PCS::Cluster",
            "AWS::PCS::ComputeNodeGroup",
            "AWS::PCS::Queue",
        )
    )
)


BATCH_TYPES = tuple(
    sorted(
        (
            *_NODE_TYPES,
            "AWS::Batch::ComputeEnvironment",
            "AWS::Batch::ConsumableResource",
            "AWS::Batch::JobDefinition",
            "AWS::Batch::JobQueue",
            "AWS::Batch::SchedulingPolicy",
            "AWS::Events::Rule",
        )
    )
)


EKS_TYPES = (
    "AWS::APS::Scraper",
    "AWS::APS::Workspace",
    "AWS::CloudWatch::Dashboard",
    "AWS::EC2::LaunchTemplate",
    "AWS::EC2::PlacementGroup",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EKS::AccessEntry",
    "AWS::EKS::Addon",
    "AWS::EKS::Capability",
    "AWS::EKS::Cluster",
    "AWS::EKS::Nodegroup",
    "AWS::EKS::PodIdentityAssociation",
    "AWS::Events::Rule",
    "AWS::IAM::InstanceProfile",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::Policy",
    "AWS::IAM::Role",
    "AWS::KMS::Alias",
    "AWS::KMS::Key",
    "AWS::Logs::LogGroup",
    "AWS::SQS::Queue",
    "AWS::SQS::QueuePolicy",
)


def pcs() -> Json:
    """The schema of a template of AWS PCS."""
    return _cloudformation(PCS_TYPES)


def batch() -> Json:
    """The schema of a template of AWS Batch."""
    return _cloudformation(BATCH_TYPES)


def eks() -> Json:
    """The schema of a template of EKS."""
    return _cloudformation(EKS_TYPES)


def _cloudformation(types: Sequence[str]) -> Json:
    """The schema of a CloudFormation template, which knows the properties of ``types``."""
    manager = importlib.import_module("cfnlint.schema.manager").PROVIDER_SCHEMA_MANAGER
    definitions: dict[str, Json] = {"Resource": _resource(types)}
    for type in types:
        schema = manager.get_resource_schema("us-east-1", type).schema
        definitions |= _resource_type(type, schema)
    return {
        "$schema": DIALECT,
        "$comment": installed("cfn-lint", CFN_LINT) + " data/schemas/providers, us-east-1",
        **_template(),
        "$defs": definitions,
    }


def _template() -> Json:
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/template-anatomy.html
    maps = ("Metadata", "Parameters", "Mappings", "Conditions", "Rules", "Outputs")
    sections: Json = {key: {"type": "object"} for key in maps}
    texts = {key: {"type": "string"} for key in ("AWSTemplateFormatVersion", "Description")}
    resources = {
        "type": "object",
        "propertyNames": {"pattern": "^[a-zA-Z0-9]+$"},
        "additionalProperties": {"$ref": "#/$defs/Resource"},
    }
    transform = {"type": ["string", "array"]}
    return map({**texts, **sections, "Transform": transform, "Resources": resources}, ["Resources"])


def _resource(types: Sequence[str]) -> Json:
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/introduction.html
    policy = {"enum": ["Delete", "Retain", "RetainExceptOnCreate", "Snapshot"]}
    attributes: Json = {
        "Type": {"type": "string", "pattern": r"^(Custom::|[A-Za-z0-9]+::[A-Za-z0-9]+::)[\w@:-]+$"},
        "Properties": {"type": "object"},
        "DependsOn": {"type": ["string", "array"]},
        "Condition": {"type": "string"},
        "DeletionPolicy": policy,
        "UpdateReplacePolicy": policy,
        "CreationPolicy": {"type": "object"},
        "UpdatePolicy": {"type": "object"},
        "Metadata": {"type": "object"},
    }
    return map(attributes, ["Type"]) | {"allOf": [_properties_of(type) for type in types]}


def _properties_of(type: str) -> Json:
    condition = {"required": ["Type"], "properties": {"Type": {"const": type}}}
    return {"if": condition, "then": {"properties": {"Properties": {"$ref": f"#/$defs/{type}"}}}}


def _resource_type(type: str, schema: Mapping[str, Any]) -> dict[str, Json]:
    """The definitions of one resource type: its properties and what they refer to."""
    inner = schema.get("definitions", {})
    whole = {f"{type}.{name}": _plain(part, type) for name, part in inner.items()}
    whole[type] = _plain({"type": "object", **schema}, type)
    for pointer in schema.get("readOnlyProperties", ()):
        whole[type]["properties"].pop(pointer.removeprefix("/properties/"), None)
    reached = set(_reached(type, whole))
    return {name: definition for name, definition in whole.items() if name in reached}


_MAPS = ("properties", "patternProperties", "dependentRequired")


_INNER = ("items", "additionalProperties", "not", "if", "then", "else")


_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")


_PLAIN = frozenset((
    "type", "enum", "const", "required", "uniqueItems",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
))  # fmt: skip


def _plain(schema: Any, type: str) -> Any:
    """A schema without prose and without the words that JSON Schema does not have."""
    if not isinstance(schema, dict):
        return schema
    plain: Json = {}
    for key, value in schema.items():
        if key == "$ref":
            plain[key] = value.replace("#/definitions/", f"#/$defs/{type}.")
        elif key in _PLAIN or (key == "pattern" and compiles(value)):
            plain[key] = value
        elif key in _MAPS:
            plain[key] = {name: _plain(inner, type) for name, inner in value.items()}
        elif key in _INNER:
            plain[key] = _plain(value, type)
        elif key in _LISTS and all(forms := [_plain(inner, type) for inner in value]):
            plain[key] = forms
        elif key == "requiredXor":
            plain |= exactly_one(*value)
        elif key == "dependentExcluded":
            plain |= never([(key, other) for key in value for other in value[key]])
    return plain | _implied_type(plain)


def _implied_type(plain: Json) -> Json:
    """The type of a schema that describes members or items without a type."""
    if "type" in plain:
        return {}
    if plain.keys() & {"properties", "patternProperties"}:
        return {"type": "object"}
    return {"type": "array"} if "items" in plain else {}


def compiles(pattern: str) -> bool:
    # The services' patterns are Java's; Python lacks \p{L} and the like.
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _reached(name: str, definitions: Mapping[str, Json]) -> Iterator[str]:
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        seen.add(name := waiting.pop())
        text = json.dumps(definitions[name])
        waiting += set(re.findall(r'"#/\$defs/([^"]+)"', text)) - seen
    return iter(seen)
