"""Resources that a new bundle replaces when it is deployed over the one in its folder.

Only the CloudFormation templates are compared; the deployed stack may differ from both.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from clustergen.artifacts import Bundle, Json
from clustergen.catalog import replacements
from clustergen.patterns import pattern

_TEMPLATE = ".template.json"
_FILE_SYSTEMS = frozenset({"AWS::FSx::FileSystem", "AWS::EFS::FileSystem"})
_REFERENCE = pattern(r'"(?:Ref|Fn::GetAtt)": \[?"(\w+)|\$\{(\w+)')


def replaced(folder: Path, bundle: Bundle) -> list[str]:
    """A line for each resource that deploying ``bundle`` over the one in ``folder`` replaces."""
    lines: list[str] = []
    gone: frozenset[str] = frozenset()
    # The foundation first: the cluster's template refers to its resources by output names.
    templates = (artifact for artifact in bundle if artifact.path.endswith(_TEMPLATE))
    for artifact in sorted(templates, key=lambda each: not each.path.startswith("foundation")):
        template = json.loads(artifact.text)
        old, new = _resources(folder / artifact.path), template["Resources"]
        causes = _causes(old, new, gone)
        lines += (_line(name, cause, new[name]) for name, cause in causes.items())
        lines += _removed(old, new)
        outputs = template.get("Outputs", {}).items()
        gone |= {name for name, output in outputs if _references(output) & causes.keys()}
    return lines


def _resources(path: Path) -> Json:
    """The resources of the template in a file; empty if it is not a template."""
    try:
        found: Json = json.loads(path.read_text(encoding="utf-8"))["Resources"]
        return {name: resource for name, resource in found.items() if "Type" in resource}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _causes(old: Json, new: Json, gone: Collection[str]) -> Mapping[str, str]:
    """The replaced resources, each with the property that causes it.

    A resource that refers to a replaced one gets a new id, and so may be replaced too.
    """
    causes: dict[str, str] = {}
    while True:
        found = {
            name: cause
            for name in new
            if name in old and name not in causes
            if (cause := _cause(old[name], new[name], {*gone, *causes}))
        }
        if not found:
            return causes
        causes |= found


def _cause(old: Json, new: Json, gone: Collection[str]) -> str:
    if old["Type"] != new["Type"]:
        return "Type"
    for path in replacements.properties().get(new["Type"], ()):
        before, after = _at(old, path), _at(new, path)
        if before != after or _references(after) & set(gone):
            return path
    return ""


def _at(resource: Json, path: str) -> Any:
    value: Any = resource.get("Properties", {})
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _references(value: Any) -> set[str]:
    found = _REFERENCE.finditer(json.dumps(value))
    return {match[1] or match[2] for match in found}


def _line(name: str, cause: str, resource: Json) -> str:
    empty = ": the new file system is empty" if resource["Type"] in _FILE_SYSTEMS else ""
    return f"replaces {name} ({cause.rpartition('.')[2]} changes){empty}"


def _removed(old: Json, new: Json) -> Iterator[str]:
    for name in sorted(old.keys() - new.keys()):
        if old[name]["Type"] in _FILE_SYSTEMS:
            kept = old[name].get("DeletionPolicy", "Delete").startswith("Retain")
            fate = "stays, and continues to cost money" if kept else "is deleted with its data"
            yield f"removes {name} from the stack: the file system {fate}"
