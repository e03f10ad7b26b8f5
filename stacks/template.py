"""A rendered template in a stack, resource by resource, so that both are the same.

Logical ids, properties and policies do not change. Parameters that are outputs of the foundation
become imports: each reference becomes ``Fn::ImportValue``.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.base.artifacts import Json


class TemplateStack(cdk.Stack):
    """A stack with a template of `render`."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        document: Json,
        *,
        imports: Mapping[str, str] = {},
        export: Callable[[str], str] | None = None,
        **props: Any,
    ) -> None:
        super().__init__(scope, id, **props)
        self.resources = fill(self, document, imports, export)
        """Resources by logical id."""


def fill(
    stack: cdk.Stack,
    template: Json,
    imports: Mapping[str, str],
    export: Callable[[str], str] | None,
) -> dict[str, cdk.CfnResource]:
    """Add ``template`` to ``stack``; returns its resources by logical id.

    ``imports`` maps parameters to exports of other stacks; ``export`` returns the export name of an
    output of this stack.
    """
    made = imported(template, imports)
    options = stack.template_options
    options.template_format_version = made.get("AWSTemplateFormatVersion")
    options.description = made.get("Description")
    options.metadata = made.get("Metadata")
    options.transforms = _several(made.get("Transform"))
    _parameters(stack, made.get("Parameters", {}))
    for name, mapping in made.get("Mappings", {}).items():
        cdk.CfnMapping(_scope(stack, "Mappings"), name, mapping=mapping).override_logical_id(name)
    conditions: dict[str, cdk.CfnCondition] = {}
    for name, condition in made.get("Conditions", {}).items():
        expression: Any = cdk.Token.as_any(condition)
        put = cdk.CfnCondition(_scope(stack, "Conditions"), name, expression=expression)
        put.override_logical_id(name)
        conditions[name] = put
    for name, output in made.get("Outputs", {}).items():
        shown = _output(_scope(stack, "Outputs"), name, output, export)
        shown.condition = conditions.get(output.get("Condition", ""))
    return _resources(stack, made["Resources"])


def look_up_images(template: Json, paths: Mapping[str, str]) -> Json:
    """``template`` with images that CloudFormation looks up, unlike in deploy.sh.

    ``paths`` maps parameters to the public parameters that name the newest images.
    """
    known = template.get("Parameters", {})
    found = {
        name: {
            **known[name],
            "Type": "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>",
            "Default": path,
            "Description": f"{known[name]['Description'].partition(';')[0]}, looked up anew in "
            "each update, which then replaces nodes; give an image in the spec to pin it.",
        }
        for name, path in paths.items()
        if name in known
    }
    return {**template, **({"Parameters": {**known, **found}} if known else {})}


def imported(template: Json, imports: Mapping[str, str]) -> Json:
    """``template`` with its parameters named in ``imports`` replaced by imported values."""
    kept = {n: p for n, p in template.get("Parameters", {}).items() if n not in imports}
    rest = {key: value for key, value in template.items() if key != "Parameters"}
    values = {name: {"Fn::ImportValue": exported} for name, exported in imports.items()}
    return {**({"Parameters": kept} if kept else {}), **_replaced(rest, values)}


def _replaced(value: Any, values: Mapping[str, Json]) -> Any:
    if isinstance(value, list):
        return [_replaced(item, values) for item in value]
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1 and value.get("Ref") in values:
        return values[value["Ref"]]
    if len(value) == 1 and "Fn::Sub" in value:
        return _substitution(value["Fn::Sub"], values)
    return {key: _replaced(inner, values) for key, inner in value.items()}


def _substitution(sub: str | list[Any], values: Mapping[str, Json]) -> Json:
    """``Fn::Sub`` with imported values as variables."""
    text, own = sub if isinstance(sub, list) else (sub, {})
    named = dict.fromkeys(re.findall(r"\$\{([A-Za-z0-9]+)\}", text))
    given = {name: values[name] for name in named if name in values and name not in own}
    variables = {**_replaced(own, values), **given}
    return {"Fn::Sub": [text, variables] if variables else text}


def _several(transform: str | list[str] | None) -> list[str] | None:
    return [transform] if isinstance(transform, str) else transform


def _scope(stack: cdk.Stack, section: str) -> Construct:
    """The scope of a section: an output and a resource may have the same name."""
    found = stack.node.try_find_child(section)
    return found if isinstance(found, Construct) else Construct(stack, section)


def _parameters(stack: cdk.Stack, parameters: Mapping[str, Json]) -> None:
    for name, parameter in parameters.items():
        # The CDK has its names in snake case: AllowedPattern is allowed_pattern.
        properties = {
            re.sub("(?<=[a-z])(?=[A-Z])", "_", key).lower(): value
            for key, value in parameter.items()
        }
        made = cdk.CfnParameter(_scope(stack, "Parameters"), name, **properties)
        made.override_logical_id(name)


def _output(
    scope: Construct, name: str, output: Json, export: Callable[[str], str] | None
) -> cdk.CfnOutput:
    made = cdk.CfnOutput(
        scope,
        name,
        value=cdk.Token.as_string(output["Value"]),
        description=output.get("Description"),
        export_name=export(name) if export else None,
    )
    made.override_logical_id(name)
    return made


def _resources(stack: cdk.Stack, resources: Mapping[str, Json]) -> dict[str, cdk.CfnResource]:
    made = {name: add(stack, name, resource) for name, resource in resources.items()}
    for name, resource in resources.items():
        others = _several(resource.get("DependsOn")) or []
        if made.keys() >= set(others):
            for other in others:
                made[name].add_resource_dependency(made[other])
        else:  # on what the stack contained before
            made[name].add_override("DependsOn", others)
    return made


def add(stack: cdk.Stack, name: str, resource: Json) -> cdk.CfnResource:
    """Add one resource, with ``name`` as its logical id."""
    made = cdk.CfnResource(
        stack, name, type=resource["Type"], properties=resource.get("Properties")
    )
    made.override_logical_id(name)
    for key, value in resource.items():
        if key not in ("Type", "Properties", "DependsOn"):
            made.add_override(key, value)
    return made
