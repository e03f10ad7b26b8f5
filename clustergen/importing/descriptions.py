"""What services describe, in the form of resources of a template."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.base.text_lists import word_set
from clustergen.importing.cloudformation import Resource
from clustergen.importing.reading import Source
from clustergen.importing.settings import TEMPLATE

Json = dict[str, Any]
VERSIONS: Final = "LaunchTemplateVersions"
_MAPS: Final = word_set("Tags Labels Parameters Options Limits Requests Annotations")
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


def tagged(tags: Any) -> Json:
    """Tags of users: AWS adds some of its own."""
    given = tags if isinstance(tags, Mapping) else {}
    return {str(k): value for k, value in given.items() if not str(k).startswith("aws:")}


def launch_templates(sources: Iterable[Source]) -> Iterator[Resource]:
    """The launch templates that EC2 describes, each version by its id and number."""
    for source in sources:
        data = source.data if isinstance(source.data, Mapping) else {}
        versions = data.get(VERSIONS)
        for index, each in enumerate(versions if isinstance(versions, list) else ()):
            if isinstance(each, Mapping):
                properties = {key: each[key] for key in _GIVEN if key in each}
                path = (VERSIONS, index)
                id = f"{each.get('LaunchTemplateId')}:{each.get('VersionNumber')}"
                yield Resource(id, TEMPLATE, properties, source, path)


def named_template(template: Mapping[str, Any]) -> Json:
    """The launch template of a compute environment, in the words of other services."""
    return {
        "id": template.get("launchTemplateId"),
        "name": template.get("launchTemplateName"),
        "version": template.get("version") or "$Default",
    }


def used_template(named: Mapping[str, Any], known: Sequence[Resource]) -> Json | None:
    """A reference to the launch template that a description names; None if no file has it.

    ``named`` has an id or a name, and a version.
    """
    found = {each.id.rpartition(":")[2]: each for each in known if _is(each, named)}
    version = str(named.get("version") or "$Default")
    if version in found:
        return {"Ref": found[version].id}
    if not found or not version.startswith("$"):
        return None
    if version == "$Default":
        default = next((each for each in found.values() if _is_default(each)), None)
        if default or len(found) > 1:
            return {"Ref": default.id} if default else None
    newest = max(found, key=lambda number: int(number) if number.isdigit() else 0)
    return {"Ref": found[newest].id}


def _is(template: Resource, named: Mapping[str, Any]) -> bool:
    name = template.properties.get("LaunchTemplateName")
    id = template.id.rpartition(":")[0]
    return template.type == TEMPLATE and (
        named.get("id") == id or bool(name and named.get("name") == name)
    )


def _is_default(template: Resource) -> bool:
    _, index = template.path
    return bool(template.source.data[VERSIONS][index].get("DefaultVersion"))
