"""The resources of one or more templates, nested stacks included."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from clustergen.base.findings import Path
from clustergen.base.text_lists import word_set
from clustergen.facts.catalog.regions import partition_of
from clustergen.importing.cloudformation.functions import (
    DYNAMIC,
    NOTHING,
    UNKNOWN,
    as_text,
    evaluate,
    holds,
    is_reference,
    unknown,
)
from clustergen.importing.reading import Source

Json = dict[str, Any]
NESTED: Final = "AWS::CloudFormation::Stack"
NAMES: Final = word_set("""
    Name NodegroupName ComputeEnvironmentName JobQueueName JobDefinitionName
""")
POLICIES: Final = ("DeletionPolicy", "UpdateReplacePolicy")
"""What CloudFormation does in place of deleting a resource."""


class Resource(NamedTuple):
    """A resource of a template: its id, those of nested stacks before it, and its values."""

    id: str
    type: str
    properties: Json
    source: Source
    path: Path
    policies: tuple[tuple[str, str], ...] = ()
    """What is kept, by key: ``DeletionPolicy``, ``UpdateReplacePolicy``."""


class Given(NamedTuple):
    """What the user says about the templates."""

    values: Mapping[str, str]
    """By parameter, or by what :func:`name_of` calls a reference."""
    region: str
    name: str
    """Of the stack."""


class Stacks:
    """Templates that belong together."""

    def __init__(self, sources: Sequence[Source], given: Given) -> None:
        self.given = given
        self._templates = {PurePath(each.name).name: each for each in sources}
        nested = set(self._nested_files())
        self.roots = [
            Stack(self, each, given.name if not index else "*", prefix, within=(each,))
            for index, (each, prefix) in enumerate(_prefixed(sources))
            if PurePath(each.name).name not in nested or len(sources) == 1
        ]

    def _nested_files(self) -> Iterator[str]:
        for source in self._templates.values():
            for resource in _section(source.template, "Resources").values():
                if isinstance(resource, Mapping) and resource.get("Type") == NESTED:
                    url = _section(resource, "Properties").get("TemplateURL")
                    yield _file_of(str(url))

    def template(self, url: str) -> Source | None:
        """The file for the URL of a nested stack, by its name."""
        return self._templates.get(_file_of(url))

    def resources(self) -> list[Resource]:
        """All resources whose conditions hold."""
        return [each for stack in self.roots for each in stack.resources()]

    def exported(self, name: str) -> Any:
        """The value of an export; a reference if no file has it."""
        if name in self.given.values:
            return self.given.values[name]
        for stack in self.roots:
            for pattern, value in stack.exports():
                if fnmatch.fnmatchcase(UNKNOWN.sub("*", name), pattern):
                    return value()
        return {"Fn::ImportValue": name}


def _prefixed(sources: Sequence[Source]) -> Iterator[tuple[Source, str]]:
    """The templates, and what keeps ids apart that an earlier one has as well."""
    used: set[str] = set()
    for source in sources:
        ids = set(_section(source.template, "Resources"))
        stem = PurePath(source.name).name.partition(".")[0]
        yield source, f"{stem}." if ids & used else ""
        used |= ids


def _file_of(url: str) -> str:
    """The last part of a URL, also of one that a function makes."""
    return url.rstrip("'\"}] ").rpartition("/")[2]


def _section(node: Any, key: str) -> Mapping[str, Any]:
    found = node.get(key) if isinstance(node, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def is_parameter_file(data: Any) -> dict[str, str] | None:
    """The values in a file of parameters for ``aws cloudformation``; None if it is none."""
    if isinstance(data, Mapping) and set(data) == {"Parameters"}:
        values = data["Parameters"]
        plain = isinstance(values, Mapping) and not any(
            isinstance(each, Mapping) for each in values.values()
        )
        return {str(k): as_text(v) for k, v in values.items()} if plain else None
    items = data if isinstance(data, list) else []
    if not items or not all(isinstance(i, Mapping) and "ParameterKey" in i for i in items):
        return None
    return {str(each["ParameterKey"]): as_text(each.get("ParameterValue", "")) for each in items}


@dataclass
class Stack:
    """A template with its parameters."""

    stacks: Stacks
    source: Source
    name: str
    prefix: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    within: tuple[Source, ...] = ()
    """The templates that it is nested in, and itself."""
    _children: dict[str, Stack | None] = field(default_factory=dict)
    _busy: set[tuple[str, ...]] = field(default_factory=set)
    _conditions: dict[str, bool] = field(default_factory=dict)

    def resources(self) -> Iterator[Resource]:
        for id, resource in self._resources().items():
            if "Condition" in resource and not self.condition(str(resource["Condition"])):
                continue
            if child := self._child(id):
                yield from child.resources()
                continue
            properties = self._evaluated(("resource", id), resource.get("Properties", {}))
            if isinstance(properties, dict) and not is_reference(properties):
                path = ("Resources", id, "Properties")
                type = str(resource["Type"])
                properties |= self._resolved(properties)
                kept = tuple(self._policies(id, resource))
                yield Resource(self.prefix + id, type, properties, self.source, path, kept)

    def _resolved(self, properties: Json) -> Iterator[tuple[str, Any]]:
        """The names that a dynamic reference gives, as references: the bundle has to know them."""
        for key, value in properties.items():
            if key in NAMES and (found := DYNAMIC.fullmatch(str(value))) and "\x02" not in found[1]:
                yield key, {"Ref": found[1]}

    def _policies(self, id: str, resource: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for key in POLICIES:
            value = self._evaluated(("policy", id, key), resource.get(key))
            if isinstance(value, str) and value != "Delete":
                yield key, value

    def _resources(self) -> dict[str, Mapping[str, Any]]:
        found = _section(self.source.template, "Resources")
        return {
            str(id): each
            for id, each in found.items()
            if isinstance(each, Mapping) and isinstance(each.get("Type"), str)
        }

    def _child(self, id: str) -> Stack | None:
        if id not in self._children:
            self._children[id] = None
            resource = self._resources().get(id, {})
            properties = resource.get("Properties", {})
            source = self.stacks.template(str(_section(resource, "Properties").get("TemplateURL")))
            if resource.get("Type") == NESTED and source and source not in self.within:
                given = self._evaluated(("stack", id), properties.get("Parameters", {}))
                prefix = f"{self.prefix}{id}."
                # CloudFormation adds an id of its own to the names of nested stacks.
                name = f"{self.name}-{id}-{unknown(f'{prefix}AWS::StackName')}"
                self._children[id] = Stack(
                    self.stacks, source, name, prefix, given, (*self.within, source)
                )
        return self._children[id]

    def _evaluated(self, key: tuple[str, ...], value: Any) -> Any:
        if key in self._busy:  # a reference in a circle, which CloudFormation rejects
            return {"Ref": ".".join(key)}
        self._busy.add(key)
        try:
            return evaluate(value, self)
        finally:
            self._busy.discard(key)

    def exports(self) -> Iterator[tuple[str, Any]]:
        """The exports: a pattern of the name, and what evaluates the value."""
        for id, output in _section(self.source.template, "Outputs").items():
            name = _section(output, "Export").get("Name")
            if name is not None:
                text = as_text(self._evaluated(("export", id), name))
                yield UNKNOWN.sub("*", text), lambda id=id: self.output(id)

    def outputs(self) -> Iterator[tuple[str, Any]]:
        for name in map(str, _section(self.source.template, "Outputs")):
            yield name, self.output(name)

    def output(self, name: str) -> Any:
        outputs = _section(self.source.template, "Outputs")
        if name not in outputs:
            return {"Fn::GetAtt": [self.prefix.rstrip("."), f"Outputs.{name}"]}
        return self._evaluated(("output", name), _section(outputs, name).get("Value"))

    # The scope of the template's functions.

    def ref(self, name: str) -> Any:
        qualified = self.prefix + name
        values = self.stacks.given.values
        if name == "AWS::NoValue":
            return NOTHING
        for known in (qualified, name):
            if known in values:
                return self._given(values[known], name)
        if name.startswith("AWS::"):
            return self._pseudo(name)
        if name in self.arguments:
            return self._given(self.arguments[name], name)
        parameter = _section(_section(self.source.template, "Parameters"), name)
        if "Default" in parameter and str(parameter.get("NoEcho")).lower() != "true":
            return self._given(parameter["Default"], name)
        return {"Ref": qualified}

    def _given(self, value: Any, parameter: str) -> Any:
        """The value of a parameter; by its type, only Systems Manager may know what is under it."""
        parameters = _section(self.source.template, "Parameters")
        type = str(_section(parameters, parameter).get("Type", ""))
        if type.startswith("AWS::SSM::Parameter::Value<") and str(value).startswith("/"):
            return {"Ref": self.prefix + parameter}
        return _listed(value, type)

    def _pseudo(self, name: str) -> Any:
        region = self.stacks.given.region
        match name:
            case "AWS::Region":
                return region
            case "AWS::Partition":
                return partition_of(region).name
            case "AWS::URLSuffix":
                return partition_of(region).dns_suffix
            case "AWS::StackName":
                return self.name
        return {"Ref": name}

    def attribute(self, name: str, attribute: str) -> Any:
        qualified = f"{self.prefix}{name}.{attribute}"
        if qualified in self.stacks.given.values:
            return self.stacks.given.values[qualified]
        child = self._child(name)
        if child and attribute.startswith("Outputs."):
            return child.output(attribute.removeprefix("Outputs."))
        resource = self._resources().get(name, {})
        own = _section(resource, "Properties").get(attribute)
        if str(resource.get("Type", "")).startswith("Custom::") and own is not None:
            # What makes a thing of a name answers with the name.
            return self._evaluated(("attribute", name, attribute), own)
        return {"Fn::GetAtt": [self.prefix + name, attribute]}

    def dynamic(self, reference: re.Match[str]) -> str:
        """The text itself, unless the user says what it is; no secret gets into a spec."""
        given = self.stacks.given.values if reference[1].startswith("ssm:") else {}
        return given.get(reference[1], reference[0])

    def imported(self, name: str) -> Any:
        return self.stacks.exported(name)

    def mapping(self, name: str) -> Mapping[str, Any]:
        return _section(_section(self.source.template, "Mappings"), name)

    def condition(self, name: str) -> bool:
        if name not in self._conditions:
            self._conditions[name] = False  # while it is evaluated: one in a circle does not hold
            condition = _section(self.source.template, "Conditions").get(name)
            self._conditions[name] = holds(condition, self)
        return self._conditions[name]


def _listed(value: Any, type: str) -> Any:
    """The value of a parameter: a text with commas where it is a list."""
    if is_reference(value) or isinstance(value, list):
        return value
    if type.startswith("List<") or type == "CommaDelimitedList":
        return [each.strip() for each in as_text(value).split(",")]
    return value
