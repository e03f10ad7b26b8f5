"""Resources of a CloudFormation template, and references to them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.base.findings import Finding, Path
from clustergen.base.patterns import pattern
from clustergen.facts.schemas import Schema
from clustergen.overlay.parts import Json, as_map, counterpart
from clustergen.overlay.rules.references import DANGLING, UNCHECKED
from clustergen.overlay.suggestions import nearest

_SECTIONS: Final = ("Parameters", "Resources")
_SUBSTITUTED: Final = pattern(r"\$\{([\w:]+)(?:\.[^}]*)?\}")


def unchecked(merged: Any, overlay: Json, schema: Schema) -> Iterator[Finding]:
    """Notes on changed resources whose type the schema does not contain."""
    known = schema.document()["$defs"]
    for name in as_map(overlay.get("Resources")):
        type = as_map(merged["Resources"].get(name)).get("Type")
        if isinstance(type, str) and type not in known:
            message = f"{name} is an {type}, whose properties are not checked"
            yield UNCHECKED.at(("Resources", name), message, help="run cfn-lint on the template")


def dangling(document: Json, merged: Json, overlay: Json) -> Iterator[Finding]:
    """References of the merged template to missing names, except those already in ``document``."""
    known = _names_in(merged)
    before = set(_referred(document)) - _names_in(document)
    for name in sorted(set(_referred(merged)) - known - before):
        message = f"the template refers to {name}, which it does not define"
        help = _way_out(document, merged, overlay, name) or nearest(name, sorted(known))
        yield DANGLING.at(_cause(overlay, name), message, help=help)


def _cause(overlay: Any, name: str) -> Path:
    """The path at which the overlay deletes ``name``, or first refers to it."""
    for section in _SECTIONS:
        if name in as_map(overlay.get(section)):
            return (section, name)
    return _reference(overlay, name)


def _way_out(document: Json, merged: Json, overlay: Json, name: str) -> str:
    """What to do about a name that the overlay deletes; empty for others."""
    if _cause(overlay, name)[1:] != (name,):
        return ""
    if other := counterpart(as_map(document.get("Resources")).get(name), merged):
        return f"write what refers to it in the overlay, with {other}, which it is called there"
    return f"remove `{name}: null` from the overlay"


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


def _names_in(template: Json) -> set[str]:
    return {name for section in _SECTIONS for name in as_map(template.get(section))}


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
