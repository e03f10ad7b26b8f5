"""The schema of ParallelCluster's configuration, from its own marshmallow schemas."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from tools.schemas import parallelcluster_validators as validators
from tools.schemas.shared import DIALECT, PARALLELCLUSTER, Json, installed


def parallelcluster() -> Json:
    """The schema of a cluster configuration."""
    cluster_schema = importlib.import_module("pcluster.schemas.cluster_schema")
    definitions: dict[str, Json] = {}
    root = _section(cluster_schema.ClusterSchema("cluster"), definitions)
    return {
        "$schema": DIALECT,
        "$comment": installed("aws-parallelcluster", PARALLELCLUSTER) + " pcluster/schemas",
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
        keys = {field.data_key: _field(field, definitions) for field in fields}
        for key, pattern in validators.PATTERNS.get(name, {}).items():
            keys[key] |= {"pattern": pattern}
        for key, limits in validators.LIMITS.get(name, {}).items():
            keys[key] |= limits
        definitions[name] = {**map(keys, required), **_constraints(name, list(keys))}
        if checks := validators.CHECKS.get(name):
            definitions[name]["allOf"] = [*definitions[name].get("allOf", ()), *checks]
    return {"$ref": f"#/$defs/{name}"}


def _name(schema: type) -> str:
    # Two classes are called ImdsSchema; one of them is in common_schema.py.
    common = "Common" if schema.__module__.endswith("common_schema") else ""
    return common + schema.__name__.removesuffix("Schema")


def map(properties: Json, required: Sequence[str] = ()) -> Json:
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
        "$comment": installed("aws-parallelcluster", PARALLELCLUSTER) + " pcluster/schemas",
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
    url = {"type": "string", "pattern": validators.URL}
    script = {"Script": url, "Args": {"type": "array", "items": {"type": "string"}}}
    sequence = {"type": "array", "items": map(script, ["Script"])}
    return map({**script, "Sequence": sequence}) | exactly_one("Script", "Sequence")


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
        yield from present(minimum=validator.min, maximum=validator.max)
    elif isinstance(validator, validate.Length):
        exactly = validator.equal
        yield from present(minLength=exactly or validator.min, maxLength=exactly or validator.max)
    elif getattr(validator, "__name__", "") == "is_cidr_or_prefix_list":
        known = importlib.import_module("pcluster.schemas.common_schema").ALLOWED_VALUES
        yield "pattern", f"{known['cidr']}|{known['prefix-list']}"
    else:
        raise SystemExit(f"a validator of a kind not known here: {validator!r}")


def present(**limits: Any) -> Iterator[tuple[str, Any]]:
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
_IMAGES = ("HeadNodeImage", "LoginNodesImage", "QueueImage")
_NEEDED_BY_CONSTRUCTORS = {
    "SlurmQueue": ("ComputeResources",),
    **dict.fromkeys(_IMAGES, ("CustomAmi",)),
}


_ATTACH_ONLY = ("FsxOpenZfs", "FsxOntap", "FileCache")


def _constraints(name: str, keys: Sequence[str]) -> Json:
    if name == "CapacityReservationTarget":
        return exactly_one("CapacityReservationId", "CapacityReservationResourceGroupArn")
    if name == "SharedStorage":
        return {"allOf": [_settings_of(type) for type in _SETTINGS]}
    if name == "SlurmComputeResource":
        source = ("InstanceType", "Instances", "CapacityReservationTarget")
        both = ("InstanceType", "Instances")
        return never([both]) | {"anyOf": [{"required": [key]} for key in source]}
    if name in _ALONE:
        others = [key for key in keys if key not in _ALONE[name]]
        return never([("FileSystemId", other) for other in others])
    pairs = next((pairs for end, pairs in _EXCLUSIVE.items() if name.endswith(end)), [])
    return never([pair for pair in pairs if set(pair) <= set(keys)])


def never(pairs: Sequence[tuple[str, ...]]) -> Json:
    return {"allOf": [{"not": {"required": list(pair)}} for pair in pairs]} if pairs else {}


def exactly_one(*keys: str) -> Json:
    return {"oneOf": [{"required": [key]} for key in keys]}


def _settings_of(storage: str) -> Json:
    other = [{"required": [settings]} for type, settings in _SETTINGS.items() if type != storage]
    condition = {"required": ["StorageType"], "properties": {"StorageType": {"const": storage}}}
    needed = {"required": [_SETTINGS[storage]]} if storage in _ATTACH_ONLY else {}
    return {"if": condition, "then": {**needed, "not": {"anyOf": other}}}
