"""Resources of a CloudFormation template, and what refers to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen import cfn
from clustergen.findings import Finding, Path
from clustergen.overlay.rules import DANGLING, UNCHECKED
from clustergen.overlay.words import nearest
from clustergen.schemas import Schema


def unchecked(merged: Any, overlay: Mapping[str, Any], schema: Schema) -> Iterator[Finding]:
    """Resources that the overlay touches and whose type the schema does not know."""
    known = schema.document()["$defs"]
    resources = overlay.get("Resources")
    for name in resources if isinstance(resources, Mapping) else ():
        resource = merged["Resources"].get(name)
        type = resource.get("Type") if isinstance(resource, Mapping) else None
        if isinstance(type, str) and type not in known:
            message = f"{name} is an {type}, whose properties are not checked"
            yield UNCHECKED.at(("Resources", name), message, help="run cfn-lint on the template")


def dangling(
    document: Mapping[str, Any], merged: Mapping[str, Any], overlay: Mapping[str, Any]
) -> Iterator[Finding]:
    """Names that the merged template refers to and lacks, unless ``document`` did already."""
    known = _names_in(merged)
    before = set(_referred(document)) - _names_in(document)
    for name in sorted(set(_referred(merged)) - known - before):
        message = f"the template refers to {name}, which it does not have"
        yield DANGLING.at(_cause(overlay, name), message, help=nearest(name, sorted(known)))


def _cause(overlay: Any, name: str) -> Path:
    """Where the overlay deletes ``name``, or else first refers to it."""
    resources = overlay.get("Resources")
    if isinstance(resources, Mapping) and name in resources:
        return ("Resources", name)
    return _reference(overlay, name)


def _reference(node: Any, name: str) -> Path:
    items = enumerate(node) if isinstance(node, list) else getattr(node, "items", tuple)()
    for step, inner in items:
        if name in _referred(inner):
            return (step, *_reference(inner, name))
    return ()


def _names_in(template: Mapping[str, Any]) -> set[str]:
    sections = (template.get(key) for key in ("Parameters", "Resources"))
    return {name for section in sections if isinstance(section, Mapping) for name in section}


def _referred(document: Any) -> Iterator[str]:
    names = (*cfn.references(document), *_attributes(document))
    return (name for name in names if not name.startswith("AWS::"))


def _attributes(document: Any) -> Iterator[str]:
    """The names in ``Fn::GetAtt``, whether a list or ``Name.Attribute``."""
    if isinstance(document, Mapping):
        for key, inner in document.items():
            if key == "Fn::GetAtt" and inner:
                name = inner.partition(".")[0] if isinstance(inner, str) else inner[0]
                yield from [name] if isinstance(name, str) else []
            else:
                yield from _attributes(inner)
    elif isinstance(document, list):
        for inner in document:
            yield from _attributes(inner)
