"""A CreateCluster request in JSON, for document rules.

Accepts any JSON, because an overlay may contain anything; the schema checks its form.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clustergen.base.findings import Problem
from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType
from clustergen.overlay.parts import Json, as_list, as_map, maps


@dataclass(frozen=True, slots=True)
class _Map:
    data: Json

    def __contains__(self, member: str) -> bool:
        return member in self.data

    def part(self, member: str) -> Json:
        """A member that is a map; empty if it is missing or not a map."""
        return as_map(self.data.get(member))


@dataclass(frozen=True, slots=True)
class Group(_Map):
    """An instance group, and its place in the request."""

    section: str
    """``InstanceGroups`` or ``RestrictedInstanceGroups``."""
    index: int

    @property
    def name(self) -> str:
        return str(self.data.get("InstanceGroupName", ""))

    @property
    def types(self) -> list[InstanceType]:
        several = as_list(self.part("InstanceRequirements").get("InstanceTypes"))
        named = several or [self.data.get("InstanceType", "")]
        found = (catalog.find(str(name).removeprefix("ml.")) for name in named)
        return [type for type in found if type is not None]

    @property
    def labels(self) -> Json:
        return as_map(self.part("KubernetesConfig").get("Labels"))

    @property
    def taints(self) -> list[Json]:
        return maps(self.part("KubernetesConfig").get("Taints"))

    @property
    def is_spot(self) -> bool:
        return "Spot" in self.part("CapacityRequirements")

    def problem(self, member: str, message: str, help: str, source: str = "") -> Problem:
        """A problem with a member; ``source`` replaces that of the rule."""
        said = f"{self.name}: {message}"
        return Problem((self.section, self.index, member), said, help, source=source)


@dataclass(frozen=True, slots=True)
class Document(_Map):
    """A CreateCluster request."""

    @property
    def groups(self) -> list[Group]:
        return list(self._groups("InstanceGroups"))

    @property
    def all_groups(self) -> list[Group]:
        """All instance groups, including restricted ones."""
        return [*self.groups, *self._groups("RestrictedInstanceGroups")]

    @property
    def slurm_groups(self) -> list[Group]:
        """Groups with a Slurm role; empty on EKS."""
        return [] if self.is_eks else [group for group in self.groups if "SlurmConfig" in group]

    @property
    def controllers(self) -> list[Group]:
        return [g for g in self.groups if g.part("SlurmConfig").get("NodeType") == "Controller"]

    @property
    def is_eks(self) -> bool:
        return "Eks" in self.part("Orchestrator")

    @property
    def is_continuous(self) -> bool:
        return self.data.get("NodeProvisioningMode") == "Continuous"

    @property
    def is_autoscaled(self) -> bool:
        return self.part("AutoScaling").get("Mode") == "Enable"

    def problem(self, member: str, message: str, help: str, source: str = "") -> Problem:
        """A problem with a member; ``source`` replaces that of the rule."""
        return Problem((member,), message, help, source=source)

    def _groups(self, section: str) -> Iterator[Group]:
        for index, group in enumerate(as_list(self.data.get(section))):
            if isinstance(group, Mapping):
                yield Group(group, section, index)
