"""How a resource of a template changes."""

from typing import Any, NamedTuple

from clustergen.base.artifacts import Json
from clustergen.services.fields import value_at


class Change(NamedTuple):
    """A resource that is in both templates, and how it changes."""

    name: str
    old: Json
    new: Json
    paths: list[str]
    """The properties, and the attributes of the resource."""
    fixed: str
    """The property with which it has to be another resource; empty if there is none."""

    @property
    def type(self) -> str:
        return str(self.new["Type"])

    @property
    def earlier(self) -> Json:
        found: Json = self.old.get("Properties", {})
        return found

    @property
    def properties(self) -> Json:
        found: Json = self.new.get("Properties", {})
        return found

    def both(self, path: str) -> tuple[Any, Any]:
        """The earlier and the new value of a property, by dotted path; None if there is none."""
        return value_at(self.earlier, path), value_at(self.properties, path)
