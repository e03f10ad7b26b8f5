"""What CloudFormation does with a template in place of an earlier one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from clustergen.artifacts import Json
from clustergen.bundle.effects import Effect, differs, references
from clustergen.catalog import replacements

_FILE_SYSTEMS = frozenset({"AWS::FSx::FileSystem", "AWS::EFS::FileSystem"})


def effects(before: Json, after: Json, gone: Collection[str]) -> tuple[list[Effect], set[str]]:
    """The effects, and the outputs whose value changes with a resource.

    ``gone`` has outputs of earlier templates whose values change so.
    """
    old, new = _resources(before), _resources(after)
    causes = _causes(old, new, gone)
    found = [_replaced(name, cause, new[name]) for name, cause in causes.items()]
    found += (_refused(name, cause) for name, cause in _fixed(old, new, {*gone, *causes}))
    found += _removed(old, new)
    outputs = after.get("Outputs", {}).items()
    return found, {name for name, output in outputs if references(output) & causes.keys()}


def _resources(template: Json) -> Json:
    found = template["Resources"]
    return {name: resource for name, resource in found.items() if "Type" in resource}


def _causes(old: Json, new: Json, gone: Collection[str]) -> Mapping[str, str]:
    """The replaced resources, each with the property that causes it.

    A resource that refers to a replaced one gets a new id, and so may be replaced too.
    """
    causes: dict[str, str] = {}
    while True:
        found = {
            name: cause
            for name in new
            if name in old and name not in causes and not _keeps_its_name(old[name], new[name])
            if (cause := _cause(old[name], new[name], {*gone, *causes}))
        }
        if not found:
            return causes
        causes |= found


def _fixed(old: Json, new: Json, gone: Collection[str]) -> Iterator[tuple[str, str]]:
    """Resources that would have to be replaced, and cannot be: two cannot have one name.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-name.html
    """
    for name in new:
        if name in old and _keeps_its_name(old[name], new[name]):
            cause = _cause(old[name], new[name], gone)
            if cause:
                yield name, cause


def _keeps_its_name(old: Json, new: Json) -> bool:
    if old["Type"] != new["Type"]:
        return False
    path = replacements.names().get(new["Type"])
    name = _at(new, path) if path else None
    return name is not None and name == _at(old, path or "")


def _cause(old: Json, new: Json, gone: Collection[str]) -> str:
    if old["Type"] != new["Type"]:
        return "Type"
    for path in replacements.properties().get(new["Type"], ()):
        if differs(_at(old, path), _at(new, path), gone):
            return path
    return ""


def _at(resource: Json, path: str) -> Any:
    value: Any = resource.get("Properties", {})
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _replaced(name: str, cause: str, resource: Json) -> Effect:
    empty = ": the new file system is empty" if resource["Type"] in _FILE_SYSTEMS else ""
    text = f"replaces {name} ({cause.rpartition('.')[2]} changes){empty}"
    return Effect("replaces-resource", name, cause, text)


def _refused(name: str, cause: str) -> Effect:
    text = (
        f"is refused: {cause.rpartition('.')[2]} of {name} cannot change, and two resources "
        "cannot have its name; use another name"
    )
    return Effect("refused", name, cause, text)


def _removed(old: Json, new: Json) -> Iterator[Effect]:
    for name in sorted(old.keys() - new.keys()):
        if old[name]["Type"] in _FILE_SYSTEMS:
            kept = old[name].get("DeletionPolicy", "Delete").startswith("Retain")
            fate = "stays, and continues to cost money" if kept else "is deleted with its data"
            text = f"removes {name} from the stack: the file system {fate}"
            yield Effect("removes-resource", name, "", text)
