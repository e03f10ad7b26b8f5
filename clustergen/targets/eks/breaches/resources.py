"""The resources of an EKS template, and which of them belong together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clustergen import catalog
from clustergen.catalog import InstanceType
from clustergen.findings import Path
from clustergen.targets.eks.breaches.breach import Area, Breach

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource: logical id and properties."""

    id: str
    properties: Json

    def breach(self, area: Area, path: Path, message: str, help: str) -> Breach:
        """A breach of this resource."""
        return Breach(area, self.id, path, f"{self.id}: {message}", help)


@dataclass(frozen=True, slots=True)
class Nodes:
    """A managed node group and the launch template that it starts nodes from."""

    group: Resource
    template: Resource | None
    """None when the group has none, or one that is not in this document."""

    @property
    def data(self) -> Json:
        """LaunchTemplateData; empty without a launch template."""
        return a_map(self.template.properties.get("LaunchTemplateData")) if self.template else {}

    @property
    def interfaces(self) -> list[Json]:
        return maps(self.data.get("NetworkInterfaces"))

    @property
    def type_names(self) -> list[str]:
        """The instance types that are named, by group or launch template."""
        named = [self.data.get("InstanceType"), *a_list(self.group.properties.get("InstanceTypes"))]
        return [name for name in named if isinstance(name, str)]

    @property
    def types(self) -> list[InstanceType]:
        """Those of them that the catalog knows."""
        found = (catalog.find(name) for name in self.type_names)
        return [type for type in found if type is not None]

    def in_template(self, area: Area, path: Path, message: str, help: str) -> Breach:
        """A breach of the launch template's data; of the group, where it has no template."""
        if self.template is None:
            return self.group.breach(area, ("LaunchTemplate",), message, help)
        return self.template.breach(area, ("LaunchTemplateData", *path), message, help)


@dataclass(frozen=True, slots=True)
class Template:
    """A CloudFormation template."""

    document: Json

    def of(self, type: str) -> list[Resource]:
        """The resources of a type."""
        return [
            Resource(name, a_map(body.get("Properties")))
            for name, body in a_map(self.document.get("Resources")).items()
            if isinstance(body, Mapping) and body.get("Type") == type
        ]

    def nodes(self) -> Iterator[Nodes]:
        """Every managed node group with its launch template."""
        templates = {resource.id: resource for resource in self.of("AWS::EC2::LaunchTemplate")}
        for group in self.of("AWS::EKS::Nodegroup"):
            used = a_map(group.properties.get("LaunchTemplate"))
            name = referred(used.get("Id")) or referred(used.get("Name"))
            yield Nodes(group, templates.get(name or ""))


def referred(value: Any) -> str | None:
    """The logical id that a Ref or GetAtt names."""
    given = a_map(value)
    if isinstance(given.get("Ref"), str):
        return str(given["Ref"])
    match given.get("Fn::GetAtt"):
        case [str(name), *_]:
            return name
        case str(text):
            return text.partition(".")[0]
    return None


def attribute(value: Any) -> str | None:
    """The attribute that a GetAtt asks for."""
    match a_map(value).get("Fn::GetAtt"):
        case [_, str(name)]:
            return name
        case str(text):
            return text.partition(".")[2]
    return None


def a_map(value: Any) -> Json:
    """``value`` where it is a map, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def a_list(value: Any) -> list[Any]:
    """``value`` where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def maps(value: Any) -> list[Json]:
    """The maps of a list."""
    return [item for item in a_list(value) if isinstance(item, Mapping)]
