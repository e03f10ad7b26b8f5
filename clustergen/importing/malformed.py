"""What no service accepts in a configuration, whatever it configures."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.documents import leaves
from clustergen.base.findings import Finding, Path
from clustergen.importing.reading import Source
from clustergen.importing.rules import losses
from clustergen.overlay.merging import PATCH, RENAME
from clustergen.spec.source.nodes import dotted


def directives(value: Any, path: Path = ()) -> Iterator[Finding]:
    """Keys with which an overlay says how it is merged: no overlay could carry them."""
    if isinstance(value, Mapping | list):
        for step, each in value.items() if isinstance(value, Mapping) else enumerate(value):
            if step in (PATCH, RENAME):
                message = f"{step} is a directive of overlays, and no key of a configuration"
                yield losses.UNREADABLE.at((*path, step), message, help="remove it")
            yield from directives(each, (*path, step))


def resources(source: Source) -> Iterator[Finding]:
    """What CloudFormation rejects in any template; the rest is imported without it."""
    for id, resource in source.template.get("Resources", {}).items() if source.is_template else ():
        path: Path = ("Resources", str(id))
        if str(id).startswith("Fn::"):
            continue  # CloudFormation expands it
        if not isinstance(resource, Mapping) or not isinstance(resource.get("Type"), str):
            message, help = f"{id} has no type", "write its Type and its Properties"
            yield losses.UNREADABLE.at(path, message, help=help)
        elif not isinstance(resource.get("Properties", {}), Mapping):
            path = (*path, "Properties")
            message = f"the properties of {id} are no mapping"
            yield losses.UNREADABLE.at(path, message, help="write a mapping")
        else:
            for place, value in leaves(resource, path):
                if value is None:
                    message = f"{dotted(place)} is null, which templates cannot have"
                    help = "write a value, or remove the key"
                    yield losses.UNREADABLE.at(place, message, help=help)
