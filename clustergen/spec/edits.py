"""The places of a spec that have stand-ins or are left out, and the spec with them.

A spec may have thousands of invalid places, so each step takes time for its own place only.
"""

import bisect
from collections.abc import Iterable
from typing import Any

from clustergen.base.findings import Path
from clustergen.spec import substitutes
from clustergen.spec.substitutes import ABSENT


class Edits:
    """Replaces places of ``data``; of two stand-ins for a place it takes number ``choice``."""

    def __init__(self, data: Any, choice: int = 0, gone: Iterable[Path] = ()) -> None:
        self.data = data
        self.made: dict[Path, Any] = {}
        """The replaced places, with their stand-ins."""
        self._choice = choice
        # Items of lists stay here as ABSENT, so that the indexes of others do not change.
        self._tree = _copy(data)
        self._above_absent: set[Path] = set()
        self._left_out: dict[Path, list[int]] = {}
        for path in gone:
            self._put(path, ABSENT)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edits) and (self.data, self.made) == (other.data, other.made)

    __hash__ = None  # type: ignore[assignment]

    def within(self, path: Path) -> Path | None:
        """The outermost replaced place that contains ``path``."""
        return next((path[:n] for n in range(len(path) + 1) if path[:n] in self.made), None)

    def explain(self, at: Path) -> bool:
        """Whether an error at ``at`` is a result of the edits."""
        return at in self._above_absent or self.within(at) is not None

    def replace(self, path: Path) -> None:
        """Replace ``path``; if that did not help before, omit it, and then its parents."""
        within = self.within(path)
        if within is None:
            self._choose(path)
        elif self.made[within] is not ABSENT:
            self._put(within, ABSENT)
        else:
            self._choose(within[:-1])

    def applied(self) -> Any:
        """A copy of the data with the edits."""
        return _copy(self._tree)

    def original(self, path: Path) -> Path:
        """``path`` in :meth:`applied` with the indexes of list items before others were omitted."""
        restored: Path = ()
        for step in path:
            before = self._left_out_before(restored, step) if isinstance(step, int) else 0
            restored = (*restored, step + before if isinstance(step, int) else step)
        return restored

    def _left_out_before(self, list_path: Path, index: int) -> int:
        """The number of omitted list items before the one that is now at ``index``."""
        out = self._left_out.get(list_path, [])
        return bisect.bisect_right(range(len(out)), index, key=lambda number: out[number] - number)

    def _choose(self, path: Path) -> None:
        if path:
            self._put(path, substitutes.choose(path, self._tree)[self._choice])

    def _put(self, path: Path, value: Any) -> None:
        self.made[path] = value
        *above, last = path
        if value is ABSENT:
            self._above_absent.update(path[:n] for n in range(len(path) + 1))
            if isinstance(last, int):
                bisect.insort(self._left_out.setdefault(path[:-1], []), last)
        node = self._tree
        for step in above:
            if isinstance(node, dict):
                node = node.setdefault(str(step), {})
            else:
                node = node[step] if _has(node, step) else None
        if isinstance(node, dict) and value is ABSENT:
            node.pop(last, None)
        elif isinstance(node, dict) or _has(node, last):
            node[last] = value


def _has(node: Any, step: str | int) -> bool:
    return isinstance(node, list) and isinstance(step, int) and step < len(node)


def _copy(node: Any) -> Any:
    """New dicts and lists, without omitted items."""
    if isinstance(node, dict):
        return {key: _copy(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_copy(item) for item in node if item is not ABSENT]
    return node
