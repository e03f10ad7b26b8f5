"""Slurm's configuration files: keys, value formats, versions.

``data/slurm.json`` has one row for each key; its header has sources and date.
``tests/validators/slurm/verdicts.json`` has the responses of a real ``slurmctld`` to many valid and
invalid values.
"""

import difflib
import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, get_args

from clustergen.facts.catalog.lookup import DATA

Scope = Literal["cluster", "partition", "node", "slurmdbd", "cgroup"]
"""Where a key is used: a line in slurm.conf, a partition or node line, or another file."""

SCOPES: tuple[Scope, ...] = get_args(Scope)


class Key(NamedTuple):
    name: str
    """Spelling of Slurm's manual; Slurm ignores case."""
    form: str
    """Format of the value: see :mod:`clustergen.facts.catalog.slurm_values`."""
    of: tuple[str, ...] = ()
    """Valid values, flags or plugins. A flag that ends with = has a value."""
    options: bool = False
    """A list of independent options, so those of the service and the user can be joined. A second
    line of the key replaces the first."""
    ignored: bool = False
    """Whether Slurm ignores unknown values, instead of failing to start."""
    least: int = 0
    most: int | None = None
    since: str = ""
    """The first version with the key; empty for all."""
    until: str = ""
    """The last version that accepts the key; empty if it still exists."""
    defunct: str = ""
    """The first version that accepts the key with a warning, but ignores it."""
    alias: str = ""
    """The current name, if this key is an older spelling."""
    gone: Mapping[str, str] = {}
    """Values that later versions lack -> the last version with them."""


class Need(NamedTuple):
    """What has to be there before slurmctld starts with a value of a key of the cluster."""

    key: str
    value: str = ""
    """The value, of a list one word; empty for every value."""
    file: str = ""
    """A file beside slurm.conf."""
    setting: str = ""
    """Another key."""
    flag: str = ""
    """What the value of :attr:`setting` has; empty for any."""

    @property
    def program(self) -> bool:
        """Whether the value is the path of a program."""
        return not (self.file or self.setting)


def needs(name: str, value: str) -> Iterator[Need]:
    """What a setting of the cluster needs."""
    given = {word.strip().rpartition("/")[2] for word in value.lower().split(",")}
    for need in every_need():
        if need.key.lower() == name.lower() and need.value.rpartition("/")[2] in {*given, ""}:
            yield need


@functools.cache
def every_need() -> tuple[Need, ...]:
    """All that values need, in the order of their keys."""
    return tuple(Need(**row) for row in _data()["needs"]["rows"])


def find(scope: Scope, name: str) -> Key | None:
    """The key ``name``, in any case; None if no version of Slurm has it there."""
    return _keys(scope).get(name.lower())


def spelt(scope: Scope, name: str) -> str:
    """``name`` in the manual's spelling."""
    key = find(scope, name)
    return key.name if key else name


def same(scope: Scope, name: str) -> str:
    """A text that is equal for all spellings of a key, including aliases."""
    key = find(scope, name)
    return (key.alias or key.name).lower() if key else name.lower()


def nearest(scope: Scope, name: str) -> str | None:
    """The known key that is most similar to ``name``."""
    keys = _keys(scope)
    near = difflib.get_close_matches(name.lower(), keys, n=1, cutoff=0.75)
    return keys[near[0]].name if near else None


def current(scope: Scope) -> list[Key]:
    """The keys that the newest version has, without older spellings."""
    keys = _keys(scope).values()
    return [key for key in keys if not (key.until or key.defunct or key.alias)]


def scopes_of(name: str) -> list[Scope]:
    return [scope for scope in SCOPES if find(scope, name)]


def options(scope: Scope) -> Mapping[str, str]:
    """The keys that are lists of options, by lower-case name."""
    return {name: key.name for name, key in _keys(scope).items() if key.options}


@functools.cache
def _keys(scope: Scope) -> Mapping[str, Key]:
    rows: Mapping[str, Mapping[str, Any]] = _data()[scope]
    keys = (Key(name, **{**row, "of": tuple(row.get("of", ()))}) for name, row in rows.items())
    return {key.name.lower(): key for key in keys}


@functools.cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads((DATA / "slurm.json").read_text(encoding="utf-8"))
    return data
