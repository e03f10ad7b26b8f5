"""An expanded spec as YAML, with comments at the defaults."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.analysis.plan.model import Default, ExpandedSpec
from clustergen.base.findings import Path
from clustergen.base.yaml_text import scalar
from clustergen.spec.source.characters import visible
from clustergen.spec.source.scalars import Float

Defaults = Mapping[Path, Default]


def as_yaml(expanded: ExpandedSpec) -> str:
    """The spec as YAML text; a comment at a default has its reason."""
    plan = expanded.plan
    head = [
        f"# {plan.name} for {plan.limits.title or plan.target}, with all defaults.",
        "# A comment gives the reason for a value that the spec leaves open.",
    ]
    return "\n".join([*head, *_block(expanded.spec, expanded.defaults)]) + "\n"


def _block(value: Any, defaults: Defaults, path: Path = (), indent: str = "") -> Iterator[str]:
    """The lines of a map or a list of maps."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        place = (*path, key)
        comment = f"  # {visible(defaults[place].reason)}" if place in defaults else ""
        opening = f"{indent}{scalar(key)}:"
        nested = isinstance(inner, list) and any(isinstance(item, dict) for item in inner)
        if nested or (isinstance(inner, dict) and inner):
            yield f"{opening}{comment}"
            yield from _block(inner, defaults, place, indent + "  ")
        else:
            yield f"{opening} {flow(inner)}{comment}"
    for index, item in enumerate(value) if isinstance(value, list) else ():
        if isinstance(item, dict) and item:
            first, *rest = _block(item, defaults, (*path, index), indent + "  ")
            yield f"{indent}- {first.lstrip(' ')}"
            yield from rest
        else:
            yield f"{indent}- {flow(item)}"


def flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        entries = (f"{scalar(key)}: {flow(inner)}" for key, inner in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    return value.text if isinstance(value, Float) else scalar(value)
