"""A rendered EKS template for document rules: its resources and their relations.

Accepts any JSON, because an overlay may contain anything; the schema checks its form. Values that
only CloudFormation can resolve are assumed to be valid.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clustergen.base.findings import Path, Problem
from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType
from clustergen.overlay.parts import Json, as_list, as_map, maps
from clustergen.services.aws import user_data


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource, with logical id and properties."""

    id: str
    properties: Json

    def problem(self, path: Path, message: str, help: str) -> Problem:
        """A problem at ``path`` of the properties."""
        return Problem(("Resources", self.id, "Properties", *path), f"{self.id}: {message}", help)


@dataclass(frozen=True, slots=True)
class Nodes:
    """A managed node group and its launch template."""

    group: Resource
    template: Resource | None
    """None if the group has none, or if it is not in this document."""

    @property
    def data(self) -> Json:
        """LaunchTemplateData; empty without a launch template."""
        return as_map(self.template.properties.get("LaunchTemplateData")) if self.template else {}

    @property
    def image(self) -> str:
        """Its AmiType; empty without one."""
        given = self.group.properties.get("AmiType")
        return given if isinstance(given, str) else ""

    @property
    def has_custom_image(self) -> bool:
        return "ImageId" in self.data

    @property
    def user_data(self) -> str | None:
        """The text before base64, with unresolved references; None if it is unknown."""
        return user_data.decoded(self.data.get("UserData"))

    @property
    def market(self) -> object:
        return as_map(self.data.get("InstanceMarketOptions")).get("MarketType")

    @property
    def interfaces(self) -> list[Json]:
        return maps(self.data.get("NetworkInterfaces"))

    @property
    def type_names(self) -> list[str]:
        """The instance types that the group or the launch template names."""
        named = [
            self.data.get("InstanceType"),
            *as_list(self.group.properties.get("InstanceTypes")),
        ]
        return [name for name in named if isinstance(name, str)]

    @property
    def types(self) -> list[InstanceType]:
        """The named types that are in the catalog."""
        found = (catalog.find(name) for name in self.type_names)
        return [type for type in found if type is not None]

    def template_problem(self, path: Path, message: str, help: str) -> Problem:
        """A problem at ``path`` of LaunchTemplateData, or at the group if it has no template."""
        if self.template is None:
            return self.group.problem(("LaunchTemplate",), message, help)
        return self.template.problem(("LaunchTemplateData", *path), message, help)


@dataclass(frozen=True, slots=True)
class Template:
    document: Json

    def resources(self, type: str) -> list[Resource]:
        return [
            Resource(name, as_map(body.get("Properties")))
            for name, body in as_map(self.document.get("Resources")).items()
            if isinstance(body, Mapping) and body.get("Type") == type
        ]

    def default(self, value: Any) -> Any:
        """The default of a parameter for a reference to it; other values unchanged."""
        parameters = as_map(self.document.get("Parameters"))
        name = as_map(value).get("Ref")
        if not isinstance(name, str):
            return value
        return as_map(parameters.get(name)).get("Default", value)

    @property
    def clusters(self) -> list[Resource]:
        return self.resources("AWS::EKS::Cluster")

    @property
    def addons(self) -> list[Resource]:
        return self.resources("AWS::EKS::Addon")

    def has_addon(self, name: str) -> bool:
        return any(addon.properties.get("AddonName") == name for addon in self.addons)

    @property
    def nodes(self) -> Iterator[Nodes]:
        """All managed node groups, with their launch templates."""
        templates = {
            resource.id: resource for resource in self.resources("AWS::EC2::LaunchTemplate")
        }
        for group in self.resources("AWS::EKS::Nodegroup"):
            used = as_map(group.properties.get("LaunchTemplate"))
            name = referred(used.get("Id")) or referred(used.get("Name"))
            yield Nodes(group, templates.get(name or ""))


def number(value: object) -> int | None:
    """A number; CloudFormation also accepts ``"2"`` for 2."""
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else None


def referred(value: Any) -> str | None:
    """The logical id that a Ref or GetAtt names."""
    given = as_map(value)
    if isinstance(given.get("Ref"), str):
        return str(given["Ref"])
    match given.get("Fn::GetAtt"):
        case [str(name), *_]:
            return name
        case str(text):
            return text.partition(".")[0]
    return None


def attribute(value: Any) -> str | None:
    """The attribute that a GetAtt reads."""
    match as_map(value).get("Fn::GetAtt"):
        case [_, str(name)]:
            return name
        case str(text):
            return text.partition(".")[2]
    return None
