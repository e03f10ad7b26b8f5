"""Fields of the spec, and where a service's document has them: one table for both ways.

:func:`written` makes a part of the document from the plan, :func:`read` the fields of the spec from
a part of any document.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clustergen.base.artifacts import Json


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a section of the spec, and its place in a part of a document."""

    spec: str
    """Its path in the section, with dots."""
    document: str
    """Its path in the part of the document, with dots."""
    plan: str = ""
    """The attribute of the plan's value, where its name is not the last of ``spec``."""
    default: Any = None
    """The plan's value where the spec has none."""
    words: Mapping[Any, Any] | None = None
    """Values of the document by those of the plan, where they differ."""
    spelled: Mapping[Any, Any] | str | None = None
    """Values of the spec by those of the plan, or their form, such as ``{}GiB``."""
    always: bool = False
    """Whether the document has the default, too."""

    def write(self, values: Any) -> Any:
        """The document's value; None where the document has none."""
        name = self.plan or self.spec.rpartition(".")[2]
        value = getattr(values, name, None)
        value = self.default if value is None else value
        if value == self.default and not self.always:
            return None
        return self.words.get(value, value) if self.words else value

    def read(self, value: Any) -> Any:
        """The value of the spec; None where the spec says nothing, or has no word for it."""
        if value is None or isinstance(value, Mapping):
            return None
        if self.words:
            known = {_text(theirs): ours for ours, theirs in self.words.items()}
            value = known.get(_text(value))
        elif isinstance(self.default, bool):
            value = _text(value) == "true"
        elif isinstance(value, str) and value.isdigit():
            value = int(value)
        if value is None or value == self.default:
            return None
        if isinstance(self.spelled, str):
            return self.spelled.format(value)
        return self.spelled.get(value, value) if self.spelled else value


def _text(value: Any) -> str:
    """A value as text: templates have numbers and booleans in either form."""
    text = str(value)
    return text.lower() if text in ("True", "False") else text


def written(fields: Iterable[Field], values: Any) -> Json:
    """The part of a document, in the order of ``fields``."""
    found: Json = {}
    for field in fields:
        value = field.write(values)
        if value is not None:
            _put(found, field.document, value)
    return found


def read(fields: Iterable[Field], part: Any) -> Json:
    """The section of a spec for a part of a document."""
    found: Json = {}
    for field in fields:
        value = field.read(value_at(part, field.document))
        if value is not None:
            _put(found, field.spec, value)
    return found


def value_at(node: Any, path: str) -> Any:
    """The value at a dotted path; None if there is none."""
    for key in path.split("."):
        node = node.get(key) if isinstance(node, Mapping) else None
    return node


def _put(node: Json, path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for key in outer:
        node = node.setdefault(key, {})
    node[last] = value
