"""Which fields of a spec cause an effect.

With several changes, each is made alone and its bundle compared: a field causes the effects that it
has alone. Other effects come from the changes that are not valid alone, such as a renamed group.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from clustergen.analysis.diff.changes import Item, SpecChange, applied, changes
from clustergen.analysis.diff.sides import rendered
from clustergen.bundle import effects
from clustergen.bundle.effects import Effect, Files
from clustergen.checking import compiler
from clustergen.spec.source import Document

_MOST: Final = 12
"""Changes to try one by one."""

_Key = tuple[str, str, str]


def causes(
    old: Document, new: Document, target: str, before: Files, found: Sequence[Effect]
) -> Mapping[_Key, list[SpecChange]]:
    """The changed fields of each effect, by :func:`key`."""
    made = list(changes(old.root, new.root))
    if len(made) == 1:
        return {key(effect): made for effect in found}
    if len(made) > _MOST:
        return {}
    wanted = {key(effect) for effect in found}
    known: dict[_Key, list[SpecChange]] = {}
    touching: dict[str, list[SpecChange]] = {}
    joint: list[SpecChange] = []
    for change in made:
        alone = _alone(old, change, target, before)
        joint += [change] if alone is None else []
        for each in dict.fromkeys(map(key, alone or ())):
            if each in wanted:
                known.setdefault(each, []).append(change)
            # Tags of the cluster change everything.
            if change.path[:1] != ("tags",) and change not in touching.setdefault(each[2], []):
                touching[each[2]].append(change)
    named = {f"user {_user(change)}": [change] for change in made if _user(change)}
    # What no change has alone, those have together that touch the same.
    return {
        each: named.get(each[2]) or known.get(each) or touching.get(each[2]) or joint
        for each in wanted
    }


def _user(change: SpecChange) -> str:
    """The user whose uid changes; bundles alone do not show the effect."""
    match change.path:
        case ("users", Item(name), "uid"):
            return name
    return ""


def key(effect: Effect) -> _Key:
    """What identifies an effect: its cause alone may be another one of several properties."""
    return effect.kind, effect.file, effect.subject


def _alone(
    old: Document, change: SpecChange, target: str, before: Files
) -> Iterable[Effect] | None:
    """The effects of one change; None if the spec would not be valid with it alone."""
    document = Document.of(applied(old.root, change.path, change.new), old.texts)
    checked = compiler.check_document(document, targets=[target], allow_unsupported=True)
    after = rendered(checked, target)
    return effects.effects(before, after) if after else None
