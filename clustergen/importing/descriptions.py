"""What services describe, in the form of resources of a template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.importing.cloudformation import Resource
from clustergen.importing.reading import Source
from clustergen.importing.settings import TEMPLATE

Json = dict[str, Any]
VERSIONS: Final = "LaunchTemplateVersions"
_MAPS: Final = frozenset(("Tags", "Labels"))
"""Members whose keys are names of users."""
_GIVEN: Final = ("LaunchTemplateName", "LaunchTemplateData")


def capitalized(value: Any) -> Any:
    """Members of an API in the spelling of CloudFormation."""
    if isinstance(value, Mapping):
        found = {}
        for key, each in value.items():
            name = str(key)[:1].upper() + str(key)[1:]
            found[name] = dict(each) if name in _MAPS and each else capitalized(each)
        return {key: each for key, each in found.items() if each is not None}
    return [capitalized(each) for each in value] if isinstance(value, list) else value


def launch_templates(sources: Iterable[Source]) -> Iterator[Resource]:
    """The launch templates that EC2 describes, each version by its id and number."""
    for source in sources:
        data = source.data if isinstance(source.data, Mapping) else {}
        versions = data.get(VERSIONS)
        for index, each in enumerate(versions if isinstance(versions, list) else ()):
            if isinstance(each, Mapping):
                properties = {key: each[key] for key in _GIVEN if key in each}
                path = (VERSIONS, index)
                id = _version(each.get("LaunchTemplateId"), each.get("VersionNumber"))
                yield Resource(id, TEMPLATE, properties, source, path)


def _version(id: Any, number: Any) -> str:
    return f"{id}:{number}"


def used_template(named: Mapping[str, Any], known: Sequence[Resource]) -> Json | None:
    """A reference to the launch template that a description names; None if no file has it.

    ``named`` has an id or a name, and a version.
    """
    version = str(named.get("version", ""))
    for each in known:
        id, _, number = each.id.partition(":")
        name = each.properties.get("LaunchTemplateName")
        same = named.get("id") == id or (name and named.get("name") == name)
        if same and version in (number, "", "$Latest", "$Default"):
            return {"Ref": each.id}
    return None
