"""Build the schemas in this folder from the services' own tools.

``parallelcluster-3.16.1.json`` and ``parallelcluster-updates-3.16.1.json`` (what an update does
with each key) come from the marshmallow classes of aws-parallelcluster,
``batch.json``, ``pcs.json``, ``eks.json`` and ``cloudformation-updates.json`` (properties that need
another resource) from the CloudFormation schemas in cfn-lint, and for FSx from botocore's model,
``hyperpod.json`` from botocore's model of SageMaker's CreateCluster. ParallelCluster cannot be
installed with the others, so each run builds what it finds; started by path, it needs nothing else
of this project::

    python clustergen/schemas/build.py [--check]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

Json = dict[str, Any]  # not imported: this file runs where the rest of the project is missing

FOLDER = Path(__file__).parent
DIALECT = "https://json-schema.org/draft/2020-12/schema"

PARALLELCLUSTER = "3.16.1"
CFN_LINT = "1.58.0"
BOTOCORE = "1.44.5"

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


def main(argv: Sequence[str] | None = None) -> int:
    """Write the schemas whose sources are installed, or with ``--check`` compare them."""
    parser = argparse.ArgumentParser(prog="clustergen/schemas/build.py")
    parser.add_argument("--check", action="store_true", help="only say whether they are current")
    check = parser.parse_args(argv).check
    found = [(name, build) for name, module, build in _BUILDS if importlib.util.find_spec(module)]
    if not found:
        print("neither aws-parallelcluster nor cfn-lint is installed", file=sys.stderr)
        return 2
    stale = [name for name, build in found if not _put(FOLDER / name, _text(build()), check)]
    for name in stale:
        print(f"{name} is not what would be built: run python clustergen/schemas/build.py")
    return 1 if stale else 0


def _put(path: Path, text: str, check: bool) -> bool:
    if check:
        return path.exists() and path.read_text(encoding="utf-8") == text
    path.write_text(text, encoding="utf-8")
    return True


def _text(schema: Json) -> str:
    """One line per key and definition: short, and a change is a one-line difference."""
    definitions = _lines(dict(sorted(schema["$defs"].items())))
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    return "{\n" + _lines(rest) + ',\n"$defs": {\n' + definitions + "\n}}\n"


def _lines(items: Mapping[str, Any]) -> str:
    return ",\n".join(
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in items.items()
    )


def _installed(package: str, wanted: str) -> str:
    found = importlib.metadata.version(package)
    if found != wanted:
        raise SystemExit(f"{package} {found} is installed, the schemas are made from {wanted}")
    return f"{package} {found}"


# ParallelCluster ------------------------------------------------------------------------------


def parallelcluster() -> Json:
    """The schema of a cluster configuration."""
    cluster_schema = importlib.import_module("pcluster.schemas.cluster_schema")
    definitions: dict[str, Json] = {}
    root = _section(cluster_schema.ClusterSchema("cluster"), definitions)
    return {
        "$schema": DIALECT,
        "$comment": _installed("aws-parallelcluster", PARALLELCLUSTER) + " pcluster/schemas",
        **root,
        "$defs": definitions,
    }


def _section(schema: Any, definitions: dict[str, Json]) -> Json:
    """A reference to the definition of a marshmallow schema, which is added if missing."""
    name = _name(type(schema))
    if name not in definitions:
        definitions[name] = {}
        fields = sorted(schema.fields.values(), key=lambda field: str(field.data_key))
        required = [field.data_key for field in fields if field.required]
        required += _NEEDED_BY_CONSTRUCTORS.get(name, ())
        definitions[name] = {
            **_map({field.data_key: _field(field, definitions) for field in fields}, required),
            **_constraints(name, [field.data_key for field in fields]),
        }
    return {"$ref": f"#/$defs/{name}"}


def _name(schema: type) -> str:
    # Two classes are called ImdsSchema; one of them is in common_schema.py.
    common = "Common" if schema.__module__.endswith("common_schema") else ""
    return common + schema.__name__.removesuffix("Schema")


def _map(properties: Json, required: Sequence[str] = ()) -> Json:
    schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return schema | ({"required": list(required)} if required else {})


def _field(field: Any, definitions: dict[str, Json]) -> Json:
    fields = importlib.import_module("marshmallow.fields")
    if type(field).__name__ == "OneOrManyCustomActionField":
        return _custom_action()
    if isinstance(field, fields.Nested):
        section = _section(field.schema, definitions)
        return {"type": "array", "items": section} if field.many else section
    limits = [limit for validator in field.validators for limit in _limits(validator)]
    if isinstance(field, fields.List):
        item = _field(field.inner, definitions)
        return {"type": "array", "items": item} | dict(_on_lists(limits))
    return {"type": _TYPES[type(field).__name__]} | dict(limits)


def parallelcluster_updates() -> Json:
    """The update policy of each key, by its path; a list also has the key of its items."""
    cluster_schema = importlib.import_module("pcluster.schemas.cluster_schema")
    policies = dict(_policies(cluster_schema.ClusterSchema("cluster"), ""))
    return {
        "$comment": _installed("aws-parallelcluster", PARALLELCLUSTER) + " pcluster/schemas",
        "$defs": policies,
    }


def _policies(schema: Any, path: str) -> Iterator[tuple[str, str]]:
    for field in schema.declared_fields.values():
        here, nested = f"{path}{field.data_key}", hasattr(field, "nested")
        if nested and field.many:
            here += f"[{field.metadata['update_key']}]"
        yield here, _policy(field)
        if nested:
            yield from _policies(field.schema, f"{here}.")


def _policy(field: Any) -> str:
    """The name of a field's policy; a policy with a message of its own has that of its original."""
    known = importlib.import_module("pcluster.config.update_policy").UpdatePolicy
    found = field.metadata.get("update_policy", known.UNSUPPORTED)
    names: Mapping[str, Any] = {
        name: each for name, each in vars(known).items() if isinstance(each, known)
    }
    return min(
        (name for name, each in names.items() if each is found or each.name == found.name),
        key=lambda name: names[name] is not found,
    )


_TYPES = {
    "Bool": "boolean",
    "Boolean": "boolean",
    "Dict": "object",
    "Float": "number",
    "Int": "integer",
    "Integer": "integer",
    "Raw": ["string", "boolean"],  # only HeadNode.Networking.ElasticIp
    "Str": "string",
    "String": "string",
}


def _custom_action() -> Json:
    # The field reads its value by code of its own: OneOrManyCustomActionField._deserialize
    script = {"Script": {"type": "string"}, "Args": {"type": "array", "items": {"type": "string"}}}
    sequence = {"type": "array", "items": _map(script, ["Script"])}
    return _map({**script, "Sequence": sequence}) | _exactly_one("Script", "Sequence")


def _limits(validator: Any) -> Iterator[tuple[str, Any]]:
    """A marshmallow validator as JSON Schema."""
    validate = importlib.import_module("marshmallow.validate")
    if isinstance(validator, validate.And):
        for part in validator.validators:
            yield from _limits(part)
    elif isinstance(validator, validate.OneOf):
        yield "enum", list(validator.choices)
    elif isinstance(validator, validate.Regexp):
        # marshmallow matches from the start of the text, JSON Schema anywhere in it.
        pattern = validator.regex.pattern
        yield "pattern", pattern if pattern.startswith("^") else f"^(?:{pattern})"
    elif isinstance(validator, validate.Range):
        yield from _present(minimum=validator.min, maximum=validator.max)
    elif isinstance(validator, validate.Length):
        exactly = validator.equal
        yield from _present(minLength=exactly or validator.min, maxLength=exactly or validator.max)
    elif getattr(validator, "__name__", "") == "is_cidr_or_prefix_list":
        known = importlib.import_module("pcluster.schemas.common_schema").ALLOWED_VALUES
        yield "pattern", f"{known['cidr']}|{known['prefix-list']}"
    else:
        raise SystemExit(f"a validator of a kind not known here: {validator!r}")


def _present(**limits: Any) -> Iterator[tuple[str, Any]]:
    return ((key, value) for key, value in limits.items() if value is not None)


def _on_lists(limits: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    return ((key.replace("Length", "Items"), value) for key, value in limits)


# Checks in the code of the classes, in their @validates_schema methods.
_EXCLUSIVE = {
    "Networking": [("SecurityGroups", "AdditionalSecurityGroups")],
    "Iam": [
        *combinations(("InstanceRole", "InstanceProfile", "AdditionalIamPolicies"), 2),
        ("InstanceRole", "S3Access"),
        ("InstanceProfile", "S3Access"),
    ],
}
_ALONE = {  # a section that names an existing file system describes no new one
    "EfsSettings": ("AccessPointId", "EncryptionInTransit", "FileSystemId", "IamAuthorization"),
    "FsxLustreSettings": ("FileSystemId",),
}
_SETTINGS = {
    "Ebs": "EbsSettings",
    "Efs": "EfsSettings",
    "FsxLustre": "FsxLustreSettings",
    "FsxOpenZfs": "FsxOpenZfsSettings",
    "FsxOntap": "FsxOntapSettings",
    "FileCache": "FileCacheSettings",
}
# Values that the schema accepts but the code crashes on: pcluster/config/cluster_config.py.
_NEEDED_BY_CONSTRUCTORS = {"SlurmQueue": ("ComputeResources",)}
_ATTACH_ONLY = ("FsxOpenZfs", "FsxOntap", "FileCache")


def _constraints(name: str, keys: Sequence[str]) -> Json:
    if name == "CapacityReservationTarget":
        return _exactly_one("CapacityReservationId", "CapacityReservationResourceGroupArn")
    if name == "SharedStorage":
        return {"allOf": [_settings_of(type) for type in _SETTINGS]}
    if name == "SlurmComputeResource":
        source = ("InstanceType", "Instances", "CapacityReservationTarget")
        both = ("InstanceType", "Instances")
        return _never([both]) | {"anyOf": [{"required": [key]} for key in source]}
    if name in _ALONE:
        others = [key for key in keys if key not in _ALONE[name]]
        return _never([("FileSystemId", other) for other in others])
    pairs = next((pairs for end, pairs in _EXCLUSIVE.items() if name.endswith(end)), [])
    return _never([pair for pair in pairs if set(pair) <= set(keys)])


def _never(pairs: Sequence[tuple[str, ...]]) -> Json:
    return {"allOf": [{"not": {"required": list(pair)}} for pair in pairs]} if pairs else {}


def _exactly_one(*keys: str) -> Json:
    return {"oneOf": [{"required": [key]} for key in keys]}


def _settings_of(storage: str) -> Json:
    other = [{"required": [settings]} for type, settings in _SETTINGS.items() if type != storage]
    condition = {"required": ["StorageType"], "properties": {"StorageType": {"const": storage}}}
    needed = {"required": [_SETTINGS[storage]]} if storage in _ATTACH_ONLY else {}
    return {"if": condition, "then": {**needed, "not": {"anyOf": other}}}


# CloudFormation -------------------------------------------------------------------------------


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
        "$comment": _installed("cfn-lint", CFN_LINT) + " data/schemas/providers, us-east-1",
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
    return _map(
        {**texts, **sections, "Transform": transform, "Resources": resources}, ["Resources"]
    )


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
    return _map(attributes, ["Type"]) | {"allOf": [_properties_of(type) for type in types]}


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
        elif key in _PLAIN or (key == "pattern" and _compiles(value)):
            plain[key] = value
        elif key in _MAPS:
            plain[key] = {name: _plain(inner, type) for name, inner in value.items()}
        elif key in _INNER:
            plain[key] = _plain(value, type)
        elif key in _LISTS and all(forms := [_plain(inner, type) for inner in value]):
            plain[key] = forms
        elif key == "requiredXor":
            plain |= _exactly_one(*value)
        elif key == "dependentExcluded":
            plain |= _never([(key, other) for key in value for other in value[key]])
    return plain | _implied_type(plain)


def _implied_type(plain: Json) -> Json:
    """The type of a schema that describes members or items without a type."""
    if "type" in plain:
        return {}
    if plain.keys() & {"properties", "patternProperties"}:
        return {"type": "object"}
    return {"type": "array"} if "items" in plain else {}


def _compiles(pattern: str) -> bool:
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


# HyperPod -------------------------------------------------------------------------------------


def hyperpod() -> Json:
    """The schema of a SageMaker CreateCluster request."""
    loader = importlib.import_module("botocore.loaders").Loader()
    model = loader.load_service_model("sagemaker", "service-2")
    definitions: dict[str, Json] = {}
    request = model["operations"]["CreateCluster"]["input"]["shape"]
    root = _shape(request, model["shapes"], definitions)
    version = model["metadata"]["apiVersion"]
    return {
        "$schema": DIALECT,
        "$comment": _installed("botocore", BOTOCORE) + f" sagemaker {version}",
        **root,
        "$defs": definitions,
    }


def _shape(name: str, shapes: Mapping[str, Any], definitions: dict[str, Json]) -> Json:
    """The schema of a shape in a service model; structures become definitions."""
    shape = shapes[name]
    match shape["type"]:
        case "structure":
            if name not in definitions:
                definitions[name] = {}
                definitions[name] = _structure(name, shape, shapes, definitions)
            return {"$ref": f"#/$defs/{name}"}
        case "list":
            items = _shape(shape["member"]["shape"], shapes, definitions)
            return {"type": "array", "items": items, **_bounds(shape, "minItems", "maxItems")}
        case "map":
            return {
                "type": "object",
                "propertyNames": _shape(shape["key"]["shape"], shapes, definitions),
                "additionalProperties": _shape(shape["value"]["shape"], shapes, definitions),
                **_bounds(shape, "minProperties", "maxProperties"),
            }
        case kind:
            return _scalar(kind, shape)


def _structure(
    name: str, shape: Mapping[str, Any], shapes: Mapping[str, Any], definitions: dict[str, Json]
) -> Json:
    members = {
        key: _shape(member["shape"], shapes, definitions)
        for key, member in shape["members"].items()
    }
    one_of = tuple(members) if shape.get("union") else _ONE_OF.get(name, ())
    return {
        **_map(members, shape.get("required", ())),
        **(_exactly_one(*one_of) if one_of else {}),
        **_never(_NOT_BOTH.get(name, ())),
    }


# Constraints that the model has only in the documentation of its members.
_ONE_OF = {
    "ClusterInstanceGroupSpecification": ("InstanceType", "InstanceRequirements"),
    "ClusterOrchestrator": ("Eks", "Slurm"),
}
_NOT_BOTH = {"ClusterLifeCycleConfig": [("OnCreate", "OnInitComplete")]}


def _scalar(kind: str, shape: Mapping[str, Any]) -> Json:
    if kind != "string":
        return {"type": _SCALARS[kind], **_bounds(shape, "minimum", "maximum")}
    pattern = shape.get("pattern")
    return {
        "type": "string",
        **({"enum": shape["enum"]} if "enum" in shape else {}),
        # A service's pattern is of the whole text, JSON Schema's is sought in it; and Python's $
        # stands before a last newline as well.
        **({"pattern": f"^(?:{pattern})$(?!\\n)"} if pattern and _compiles(pattern) else {}),
        **_bounds(shape, "minLength", "maxLength"),
    }


_SCALARS = {
    "boolean": "boolean",
    "double": "number",
    "float": "number",
    "integer": "integer",
    "long": "integer",
    "timestamp": ["string", "number"],
}


def _bounds(shape: Mapping[str, Any], low: str, high: str) -> Json:
    return dict(_present(**{low: shape.get("min"), high: shape.get("max")}))


# What CloudFormation cannot change ------------------------------------------------------------

OTHER_TYPES = (
    "AWS::APS::RuleGroupsNamespace",
    "AWS::EC2::EIP",
    "AWS::EC2::InternetGateway",
    "AWS::EC2::NatGateway",
    "AWS::EC2::Route",
    "AWS::EC2::RouteTable",
    "AWS::EC2::Subnet",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPC",
    "AWS::EC2::VPCEndpoint",
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::EFS::FileSystem",
    "AWS::EFS::MountTarget",
    "AWS::FSx::DataRepositoryAssociation",
    "AWS::FSx::FileSystem",
    "AWS::S3::Bucket",
    "AWS::S3::BucketPolicy",
    "AWS::SageMaker::Cluster",
    "AWS::SageMaker::ClusterSchedulerConfig",
    "AWS::SageMaker::ComputeQuota",
)
_FILE_SYSTEM = "AWS::FSx::FileSystem"
_REJECTED = "DriveCacheType"
"""CloudFormation does not replace a file system for it, and no API changes it."""


def cloudformation_updates() -> Json:
    """By type, the properties whose change needs another resource; nested ones are dotted."""
    manager = importlib.import_module("cfnlint.schema.manager").PROVIDER_SCHEMA_MANAGER
    fixed: dict[str, list[str]] = {}
    for type in sorted({*BATCH_TYPES, *PCS_TYPES, *EKS_TYPES, *OTHER_TYPES}):
        schema = manager.get_resource_schema("us-east-1", type).schema
        fixed[type] = [_dotted(each) for each in schema.get("createOnlyProperties", ())]
        if type == _FILE_SYSTEM:
            fixed[type] += _fixed_of_file_systems(schema)
    sources = (_installed("cfn-lint", CFN_LINT), _installed("botocore", BOTOCORE))
    return {
        "$comment": f"createOnlyProperties in {sources[0]}, data/schemas/providers, us-east-1; "
        f"nested ones of FSx: members of CreateFileSystem, not of UpdateFileSystem, {sources[1]}",
        "$defs": {type: sorted(set(paths)) for type, paths in fixed.items()},
    }


def _dotted(pointer: str) -> str:
    return pointer.removeprefix("/properties/").replace("/", ".")


def _fixed_of_file_systems(schema: Mapping[str, Any]) -> Iterator[str]:
    """What the schema lacks: nested members that no API call can change.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-fsx-filesystem.html
    also has StorageType and FileSystemTypeVersion as replacements, which the API can update.
    """
    loader = importlib.import_module("botocore.loaders").Loader()
    shapes = loader.load_service_model("fsx", "service-2")["shapes"]
    for section in ("LustreConfiguration", "OpenZFSConfiguration"):
        created = shapes[f"CreateFileSystem{section}"]["members"]
        updated = shapes[f"UpdateFileSystem{section}"]["members"]
        known = schema["definitions"][section]["properties"]
        fixed = (name for name in created if name not in {*updated, _REJECTED})
        yield from (f"{section}.{name}" for name in fixed if name in known)
    yield from ("StorageType", "FileSystemTypeVersion")


_BUILDS: tuple[tuple[str, str, Callable[[], Json]], ...] = (
    (f"parallelcluster-{PARALLELCLUSTER}.json", "pcluster", parallelcluster),
    (f"parallelcluster-updates-{PARALLELCLUSTER}.json", "pcluster", parallelcluster_updates),
    ("pcs.json", "cfnlint", pcs),
    ("batch.json", "cfnlint", batch),
    ("eks.json", "cfnlint", eks),
    # Beside cfn-lint: ParallelCluster brings a botocore of another version.
    ("hyperpod.json", "cfnlint", hyperpod),
    ("cloudformation-updates.json", "cfnlint", cloudformation_updates),
)

if __name__ == "__main__":
    sys.exit(main())
