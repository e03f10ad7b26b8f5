"""Statements of a policy, and documents of them within the limits of IAM."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.services.aws import iam


@dataclass(frozen=True, slots=True)
class Statement:
    """Actions on resources under a condition, which is kept as text: values are compared."""

    sid: str
    actions: tuple[str, ...]
    resources: tuple[str, ...] = ("*",)
    condition: str = ""
    effect: str = "Allow"

    @property
    def document(self) -> Json:
        condition = json.loads(self.condition) if self.condition else None
        made = iam.allow(self.sid, self.actions, self.resources, condition)
        return {**made, "Effect": self.effect}


def statement(
    sid: str,
    actions: Iterable[str],
    resources: Iterable[str] = ("*",),
    condition: Mapping[str, Any] | None = None,
    effect: str = "Allow",
) -> Statement:
    text = json.dumps(condition, sort_keys=True) if condition else ""
    return Statement(sid, tuple(sorted(set(actions))), tuple(resources), text, effect)


def merged(statements: Iterable[Statement]) -> list[Statement]:
    """The statements, with one for all actions on the same resources under the same condition."""
    found: dict[tuple[object, ...], Statement] = {}
    for each in statements:
        key = (each.sid, each.resources, each.condition, each.effect)
        known = found.setdefault(key, each)
        found[key] = replace(known, actions=tuple(sorted({*known.actions, *each.actions})))
    return list(found.values())


_LONGEST = 3000
"""Longer statements are split, so that documents are full."""


def size(document: Json) -> int:
    """The characters that IAM counts."""
    return len("".join(json.dumps(document).split()))


def packed(part: str, statements: Iterable[Statement]) -> dict[str, Json]:
    """Documents with the statements, by the name of their part."""
    pages: list[list[Statement]] = [[]]
    for statement in (piece for each in statements for piece in _pieces(each)):
        if pages[-1] and size(_document([*pages[-1], statement])) > iam.MANAGED:
            pages.append([])
        pages[-1].append(statement)
    if len(pages) == 1:
        return {part: _document(pages[0])} if pages[0] else {}
    return {f"{part}-{number}": _document(page) for number, page in enumerate(pages, 1)}


def _document(statements: Sequence[Statement]) -> Json:
    numbered: dict[str, int] = {}
    made = []
    for statement in statements:
        number = numbered[statement.sid] = numbered.get(statement.sid, 0) + 1
        sid = statement.sid + (str(number) if number > 1 else "")
        made.append(replace(statement, sid=sid).document)
    return iam.document(made)


def _pieces(statement: Statement) -> Iterator[Statement]:
    if size(statement.document) <= _LONGEST or len(statement.actions) < 2:
        yield statement
        return
    half = len(statement.actions) // 2
    for actions in (statement.actions[:half], statement.actions[half:]):
        yield from _pieces(replace(statement, actions=actions))
