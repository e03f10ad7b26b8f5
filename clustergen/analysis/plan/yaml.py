"""An expanded spec as YAML, with comments at the defaults."""

from collections.abc import Iterator
from typing import Any

from clustergen.analysis.plan.model import ExpandedSpec
from clustergen.base.findings import Path
from clustergen.base.yaml_text import scalar
from clustergen.spec.source.characters import visible
from clustergen.spec.source.scalars import Float


def as_yaml(expanded: ExpandedSpec) -> str:
    """The spec as YAML text; a comment at a default has its reason."""
    plan = expanded.plan
    head = [
        f"# {plan.name} for {plan.limits.title or plan.target}, with all defaults.",
        "# A comment gives the reason for a value that the spec leaves open.",
    ]
    return "\n".join([*head, *_Lines(expanded).block(expanded.spec, (), "")]) + "\n"


class _Lines:
    """The lines of an expanded spec."""

    def __init__(self, expanded: ExpandedSpec) -> None:
        self.defaults = expanded.defaults

    def block(self, value: Any, path: Path, indent: str) -> Iterator[str]:
        """The lines of a map or a list of maps."""
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from self._entry(f"{indent}{scalar(key)}:", inner, (*path, key), indent)
            return
        for index, item in enumerate(value):
            if isinstance(item, dict) and item:
                first, *rest = self.block(item, (*path, index), indent + "  ")
                yield f"{indent}- {first.lstrip(' ')}"
                yield from rest
            else:
                yield f"{indent}- {flow(item)}"

    def _entry(self, opening: str, value: Any, path: Path, indent: str) -> Iterator[str]:
        reason = self.defaults[path].reason if path in self.defaults else ""
        comment = f"  # {visible(reason)}" if reason else ""
        nested = isinstance(value, list) and any(isinstance(item, dict) for item in value)
        if nested or (isinstance(value, dict) and value):
            yield f"{opening}{comment}"
            yield from self.block(value, path, indent + "  ")
        else:
            yield f"{opening} {flow(value)}{comment}"


def flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        entries = (f"{scalar(key)}: {flow(inner)}" for key, inner in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    return value.text if isinstance(value, Float) else scalar(value)
