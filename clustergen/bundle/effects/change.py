"""How a resource of a template changes."""

from __future__ import annotations

from typing import NamedTuple

from clustergen.base.artifacts import Json


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
