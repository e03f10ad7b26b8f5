"""The document that an overlay has to reach: what is rendered, where it means the same."""

from collections.abc import Mapping
from typing import Any

from clustergen.facts.schemas import Schema
from clustergen.importing.parallelcluster.normal import Reader
from clustergen.overlay.merging import called, naming


def equivalent(document: Mapping[str, Any], original: Mapping[str, Any], schema: Schema) -> Any:
    """``original`` in the words of ``document`` wherever these mean the same.

    A default that only one of the two writes makes no difference, so the overlay need not undo it.
    """
    return _Equivalence(schema).section(document, original, "Cluster")


class _Equivalence:
    def __init__(self, schema: Schema) -> None:
        self._reader = Reader(schema)
        self._keys = schema.list_keys

    def section(self, document: Mapping[str, Any], original: Mapping[str, Any], name: str) -> Any:
        read = self._reader
        ours, theirs = read.section(document, name), read.section(original, name)
        properties = read.properties(name)
        found = {}
        for key in {**document, **original}:
            if ours.get(key) == theirs.get(key):
                if key in document:
                    found[key] = document[key]
            elif key in theirs:
                inner = properties.get(key, {})
                found[key] = self.value(document.get(key), original[key], inner)
        return found if read.section(found, name) == theirs else dict(original)

    def value(self, document: Any, original: Any, schema: Mapping[str, Any]) -> Any:
        reference = schema.get("$ref", "").removeprefix("#/$defs/")
        if reference and isinstance(document, Mapping) and isinstance(original, Mapping):
            return self.section(document, original, reference)
        if isinstance(document, list) and isinstance(original, list):
            return self._items(document, original, schema.get("items", {}))
        return original

    def _items(self, document: list[Any], original: list[Any], schema: Mapping[str, Any]) -> Any:
        name = naming(document, original, self._keys)
        if name is None:
            return original
        ours = {called(item, name): item for item in document}
        return [self.value(ours.get(called(item, name)), item, schema) for item in original]
