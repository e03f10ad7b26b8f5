"""Changes of an overlay without those, as few as possible, that the rules reject."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from clustergen.base.findings import Finding, Path
from clustergen.importing.rejections import without_paths
from clustergen.spec.values import value_at

Check = Callable[[Any], Sequence[Finding]]
"""The errors about an overlay, each at its path in the overlay."""
_ROUNDS: Final = 12
_CHECKS: Final = 60
"""How often an import looks for the least: a check compiles the whole spec."""


class Refusal(NamedTuple):
    """What the overlay does without, and why."""

    path: Path
    finding: Finding


class Accepted(NamedTuple):
    """The changes that are left, and those that are not."""

    changes: Any
    refusals: tuple[Refusal, ...]


def accepted(changes: Any, check: Check) -> Accepted:
    """``changes`` without what ``check`` rejects."""
    refusals: list[Refusal] = []
    search = _Search(check)
    for _ in range(_ROUNDS):
        found = check(changes)
        if not found:
            break
        refused = [
            Refusal(_whole(changes, search.least(changes, each, found)), each) for each in found
        ]
        refusals += (each for each in refused if not _follows(each, refusals))
        changes = without_paths(changes, (each.path for each in refused))
    return Accepted(changes, tuple(refusals))


def _follows(refusal: Refusal, earlier: Sequence[Refusal]) -> bool:
    """Whether a section lacks only what was left out of it before."""
    inner = (each.path for each in earlier if len(each.path) > len(refusal.path))
    return any(path[: len(refusal.path)] == refusal.path for path in inner)


class _Search:
    """Looks for the part of an overlay that causes a finding."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._left = _CHECKS

    def least(self, changes: Any, finding: Finding, all: Sequence[Finding]) -> Path:
        """The path of the smallest part without which the finding is gone, and no new one there."""
        known = frozenset(map(_identity, all))

        def cures(paths: Sequence[Path]) -> bool:
            self._left -= 1
            now = frozenset(map(_identity, self._check(without_paths(changes, paths))))
            return _identity(finding) not in now and now <= known

        path = finding.path
        while len(keys := _keys(changes, path)) > 0:
            key = self._culprit(path, keys, cures)
            if key is None:
                break
            path = (*path, key)
        return path

    def _culprit(
        self, path: Path, keys: Sequence[str], cures: Callable[[Sequence[Path]], bool]
    ) -> str | None:
        """The one key of a mapping that has to go; None if it takes several."""
        half = len(keys) // 2
        for part in (keys[:half], keys[half:]):
            if part and self._left > 0 and cures([(*path, key) for key in part]):
                return part[0] if len(part) == 1 else self._culprit(path, part, cures)
        return None


def _whole(changes: Any, path: Path) -> Path:
    """``path``, or that of the list whose only item it is: an empty list says something else."""
    *outer, last = path or ("",)
    node = value_at(changes, tuple(outer))
    alone = isinstance(last, int) and isinstance(node, list) and len(node) == 1
    return tuple(outer) if alone else path


def _identity(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.message


def _keys(node: Any, path: Path) -> list[str]:
    found = value_at(node, path)
    return list(found) if isinstance(found, Mapping) else []
