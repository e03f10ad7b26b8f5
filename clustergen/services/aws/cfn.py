"""CloudFormation documents as plain data: references, intrinsic functions and parameters."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.plan.model import Id, Ref
from clustergen.services.aws.members import filled

Output = tuple[str, Any]
"""The description and the value of an output."""


def template(
    description: str,
    resources: Json,
    *,
    parameters: Json | None = None,
    conditions: Json | None = None,
    outputs: Mapping[str, Output] = {},
) -> Json:
    """A template, without sections that would be empty."""
    shown = {name: {"Description": why, "Value": value} for name, (why, value) in outputs.items()}
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": description,
        **filled(Parameters=parameters, Conditions=conditions),
        "Resources": resources,
        **filled(Outputs=shown),
    }


def text(description: str, **more: Any) -> Json:
    return {"Type": "String", **more, "Description": description}


def value(id: Id) -> Any:
    """A CloudFormation value: a Ref to the parameter of the same name, or the literal id."""
    return {"Ref": id.name} if isinstance(id, Ref) else id


def ref(logical_id: str) -> Json:
    return {"Ref": logical_id}


def get_att(logical_id: str, attribute: str) -> Json:
    return {"Fn::GetAtt": [logical_id, attribute]}


def given(parameter: str) -> Json:
    return {"Fn::Not": [{"Fn::Equals": [ref(parameter), ""]}]}


def choice(condition: str, value: Any, other: Any) -> Json:
    return {"Fn::If": [condition, value, other]}


def resource(type: str, properties: Json, after: Iterable[str] = ()) -> Json:
    """A resource that CloudFormation creates after those with the logical ids ``after``."""
    earlier = sorted(after)
    depends = {"DependsOn": earlier} if earlier else {}
    return {"Type": type, **depends, "Properties": properties}


def sub(text: str, **values: Any) -> Json:
    """``Fn::Sub``; pass values that are not names in the template as keyword arguments."""
    return {"Fn::Sub": [text, values]} if values else {"Fn::Sub": text}


def tags(tags: Mapping[str, str], **more: str) -> list[Json]:
    """Tags as a list, the form of most resources (AWS::PCS needs a map)."""
    return [{"Key": key, "Value": value} for key, value in {**tags, **more}.items()]


def literal(text: str) -> str:
    """Text for ``Fn::Sub``, where ``${`` would begin a reference."""
    return text.replace("${", "${!")


def logical_id(*words: str) -> str:
    """A logical id made of words: ``logical_id("node-group", "h200")`` is ``NodeGroupH200``."""
    parts = (part for word in words for part in re.split(r"[^A-Za-z0-9]+", word) if part)
    return "".join(part[0].upper() + part[1:] for part in parts)


def references(document: Any) -> Iterator[str]:
    """The names that ``document`` refers to with Ref or Fn::Sub, except AWS:: pseudo parameters."""
    if isinstance(document, Mapping):
        for key, inner in document.items():
            if key == "Ref" and isinstance(inner, str):
                yield inner
            elif key == "Fn::Sub":
                text, known = inner if _is_pair(inner) else (inner, {})
                yield from (
                    n for n in re.findall(r"\$\{([A-Za-z0-9]+)[.}]", str(text)) if n not in known
                )
                yield from references(known)
            else:
                yield from references(inner)
    elif isinstance(document, list | tuple):
        for inner in document:
            yield from references(inner)


def _is_pair(argument: Any) -> bool:
    """Whether ``Fn::Sub`` has values of its own; a user's overlay may have anything there."""
    return isinstance(argument, list) and len(argument) == 2 and isinstance(argument[1], Mapping)


_PARAMETER_TYPES = (
    (re.compile(r"VpcId$"), "AWS::EC2::VPC::Id"),
    (re.compile(r"Subnet\d?Id$"), "AWS::EC2::Subnet::Id"),
    (re.compile(r"SecurityGroupId$"), "AWS::EC2::SecurityGroup::Id"),
)


def parameters(resources: Json, outputs: Mapping[str, str]) -> Json:
    """Parameters for every foundation output that ``resources`` refer to.

    ``outputs`` maps the foundation's output names to their descriptions.
    """
    names = sorted({name for name in references(resources) if name in outputs})
    return {name: {"Type": parameter_type(name), "Description": outputs[name]} for name in names}


def parameter_type(name: str) -> str:
    """The type of the parameter for the foundation output of this name."""
    return next((type for pattern, type in _PARAMETER_TYPES if pattern.search(name)), "String")


def image_parameters(what: str, newest: Mapping[str, str]) -> Json:
    """A plain parameter for each image; ``newest`` has the public parameters that name them.

    CloudFormation would resolve a public parameter again in each update and replace nodes
    unexpectedly, so deploy.sh resolves it once.
    """
    text = "{}; {} in SSM names the newest. Another image replaces nodes."
    return {
        name: {"Type": "AWS::EC2::Image::Id", "Description": text.format(what, path)}
        for name, path in newest.items()
    }
