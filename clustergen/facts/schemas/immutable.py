"""Fields of Kubernetes objects that the API server never changes.

Those of custom resources are in ``kubernetes-updates.json``, which ``tools/schemas/immutable.py``
makes from their definitions. Built-in kinds have no definitions, and the rules of webhooks are
code: both are in ``kubernetes-by-hand.json``, each with its source. Of a claim, requests grow where
the class allows it, which :mod:`clustergen.bundle.effects` decides.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

Fixed = Literal["value", "presence", "once", "always"]
"""How a field is fixed.

``value``: another value is rejected; it may come and go. ``presence``: it neither comes nor goes.
``once``: once set, it stays as it is. ``always``: no change is accepted.
"""


class Field(NamedTuple):
    """A field, by its path: ``[name]`` stands for the items of a list, known by that key."""

    path: str
    fixed: Fixed
    source: str
    only_while: str = ""
    """A field that the old object has to have; empty if the rule always applies."""
    but: tuple[str, ...] = ()
    """The fields below it that can change."""
    unless_last: tuple[str, str] | None = None
    """Key and value that the last item of the list has before and after a change it accepts."""


def fields(api_version: str, kind: str) -> tuple[Field, ...]:
    """The fixed fields of a kind; of another version of its API, those of the version known."""
    key = f"{api_version}/{kind}"
    known = every()
    return known.get(key) or known.get(f"{api_version.rpartition('/')[0]}/*/{kind}", ())


@functools.cache
def every() -> Mapping[str, tuple[Field, ...]]:
    """By ``apiVersion/kind``, and by ``group/*/kind`` for versions that are not listed."""
    found: dict[str, tuple[Field, ...]] = {}
    for key, rows in (*_read("kubernetes-by-hand.json"), *_read("kubernetes-updates.json")):
        found[key] = (*found.get(key, ()), *rows)
    for key, rows in dict(found).items():
        group, _, kind = key.rpartition("/")
        found[f"{group.rpartition('/')[0]}/*/{kind}"] = rows
    return found


def _read(file: str) -> Iterator[tuple[str, tuple[Field, ...]]]:
    data = json.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))
    for key, rows in data["$defs"].items():
        yield (
            key,
            tuple(
                Field(
                    row["path"],
                    row["fixed"],
                    data["projects"][row["project"]]["source"],
                    row.get("while", ""),
                    tuple(row.get("but", ())),
                    next(iter(row.get("unless_last", {}).items()), None),
                )
                for row in rows
            ),
        )
