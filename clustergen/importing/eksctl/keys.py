"""A configuration that remembers which of its keys were read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.base.documents import leaves
from clustergen.base.findings import Path
from clustergen.base.text_lists import word_set

# https://docs.aws.amazon.com/eks/latest/eksctl/schema.html, read on 2026-11-23.
_ON: Final = word_set("enableSsm vpcResourceControllerPolicy withLocal withShared")
"""What eksctl does unless the file says false."""
SELF_MANAGED: Final = "nodeGroups"


class Keys:
    """A section of a configuration."""

    def __init__(self, data: Any, path: Path = (), used: set[Path] | None = None) -> None:
        self._data = data if isinstance(data, Mapping) else {}
        self.path = path
        self._used = set() if used is None else used

    def value(self, key: str) -> Any:
        """The value of ``key``, which stays to be read; None if there is none."""
        return self._data.get(key)

    def take(self, key: str) -> Any:
        """The value of ``key``, of which nothing is left to read; None if there is none."""
        self._used.add((*self.path, key))
        return self.value(key)

    def number(self, key: str) -> int | None:
        """A whole number; None if there is none. Another value stays to be read."""
        value = self.value(key)
        if not str(value).isdigit():
            return None
        self.take(key)
        return int(value)

    def texts(self, key: str) -> list[str]:
        value = self.take(key)
        return [str(each) for each in value] if isinstance(value, list) else []

    def table(self, key: str) -> dict[str, Any]:
        """A map of any keys."""
        value = self.take(key)
        return {str(key): each for key, each in value.items()} if isinstance(value, Mapping) else {}

    def section(self, key: str) -> Keys:
        return Keys(self._data.get(key), (*self.path, key), self._used)

    def sections(self, key: str) -> list[Keys]:
        """The items of a list."""
        value = self._data.get(key)
        items = value if isinstance(value, list) else []
        return [Keys(each, (*self.path, key, i), self._used) for i, each in enumerate(items)]

    def groups(self) -> list[Keys]:
        """The node groups: those that EKS manages, then those that are self-managed."""
        return [each for key in ("managedNodeGroups", SELF_MANAGED) for each in self.sections(key)]

    def names(self) -> set[str]:
        """The keys of the section."""
        return {str(key) for key in self._data}

    def __contains__(self, key: str) -> bool:
        return self._data.get(key) is not None

    def asked(self) -> Mapping[Path, set[str]]:
        """The keys that something has asked for, by the section that has or lacks them."""
        found: dict[Path, set[str]] = {}
        for path in self._used:
            for length, step in enumerate(path):
                found.setdefault(path[:length], set()).add(str(step))
        return found

    def unread(self) -> Iterator[tuple[Path, Any]]:
        """The values that nothing has read, and their places."""
        for path, value in leaves(self._data, self.path):
            is_read = any(path[:length] in self._used for length in range(1, len(path) + 1))
            if not is_read and not _says_nothing(path, value):
                yield path, value


def meant(path: Path, asked: Mapping[Path, set[str]]) -> tuple[Path, str] | None:
    """A key in ``path`` that nothing asks for, and the one like it that was probably meant."""
    for length, step in enumerate(path):
        names = asked.get(path[:length], set())
        if str(step) not in names:
            known = {name.lower(): name for name in sorted(names)}
            near = difflib.get_close_matches(str(step).lower(), known, n=1, cutoff=0.85)
            return (path[: length + 1], known[near[0]]) if near else None
    return None


def _says_nothing(path: Path, value: Any) -> bool:
    """Whether eksctl does the same without the key."""
    return value in (None, [], {}, "") or (value is False and path[-1] not in _ON)
