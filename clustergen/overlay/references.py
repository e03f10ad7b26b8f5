"""Resources of a CloudFormation template, and references to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.findings import Finding, Path
from clustergen.overlay.rules.references import DANGLING, UNCHECKED
from clustergen.overlay.words import nearest
from clustergen.patterns import pattern
from clustergen.schemas import Schema

_SUBSTITUTED: Final = pattern(r"\$\{([\w:]+)(?:\.[^}]*)?\}")


def unchecked(merged: Any, overlay: Mapping[str, Any], schema: Schema) -> Iterator[Finding]:
    """Notes on changed resources whose type the schema does not contain."""
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
    """References of the merged template to missing names, except those already in ``document``."""
    known = _names_in(merged)
    before = set(_referred(document)) - _names_in(document)
    for name in sorted(set(_referred(merged)) - known - before):
        message = f"the template refers to {name}, which it does not define"
        yield DANGLING.at(_cause(overlay, name), message, help=nearest(name, sorted(known)))


def _cause(overlay: Any, name: str) -> Path:
    """The path at which the overlay deletes ``name``, or first refers to it."""
    resources = overlay.get("Resources")
    if isinstance(resources, Mapping) and name in resources:
        return ("Resources", name)
    return _reference(overlay, name)


def _reference(node: Any, name: str) -> Path:
    for step, inner in _inner(node):
        if name in _referred(inner):
            return (step, *_reference(inner, name))
    return ()


def _inner(node: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(node, Mapping):
        yield from node.items()
    elif isinstance(node, list):
        yield from enumerate(node)


def _names_in(template: Mapping[str, Any]) -> set[str]:
    sections = (template.get(key) for key in ("Parameters", "Resources"))
    return {name for section in sections if isinstance(section, Mapping) for name in section}


def _referred(node: Any) -> Iterator[str]:
    """The names that ``node``, which may be user input, refers to."""
    for key, inner in _inner(node):
        match key, inner:
            case "Ref", str(name):
                yield from _plain(name)
            case "Fn::GetAtt", str(text) | [str(text), *_]:
                yield from _plain(text.partition(".")[0])
            case "Fn::Sub", str(text) | [str(text)]:
                yield from _plain(*_SUBSTITUTED.findall(text))
            case "Fn::Sub", [str(text), {**given}]:
                found = (name for name in _SUBSTITUTED.findall(text) if name not in given)
                yield from (*_plain(*found), *_referred(given))
            case _:
                yield from _referred(inner)


def _plain(*names: str) -> Iterator[str]:
    return (name for name in names if not name.startswith("AWS::"))
