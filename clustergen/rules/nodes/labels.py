"""Labels of nodes, and tags of resources."""

import re
import unicodedata
from collections.abc import Iterator

from clustergen.base.findings import Problem, put, rename, rule, safe, unsafe
from clustergen.base.patterns import pattern
from clustergen.plan.model import Plan

_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
_KEY = pattern(rf"(?:[a-z0-9](?:[a-z0-9.-]{{0,251}}[a-z0-9])?/)?{_PART}")
_VALUE = pattern(rf"(?:{_PART})?")


@rule(
    "K8S001",
    "Invalid label",
    why="A label is a name of letters, digits, `-`, `_` and `.`, at most 63 long, with an optional "
    "DNS prefix; its value has the same form or is empty.",
    source="https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/",
    bad="node_groups: [{name: h200, labels: {team name: llm}}]",
)
def labels(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for key, value in group.labels.items():
            if not _KEY.fullmatch(key):
                yield Problem(
                    group.at("labels", key),
                    f"{key!r} is not a label name",
                    help="use letters, digits, - _ . and at most 63 of them",
                    fix=unsafe(rename(group.at("labels", key), meant))
                    if (meant := _repaired(key)) and _KEY.fullmatch(meant)
                    else None,
                    on_key=True,
                )
            elif not _VALUE.fullmatch(value):
                yield Problem(
                    group.at("labels", key),
                    f"{value!r} is not a valid label value",
                    help="use letters, digits, - _ . and at most 63 of them",
                    fix=unsafe(put(group.at("labels", key), _repaired(value))),
                )


def _repaired(text: str) -> str:
    """A name with valid characters and length; a prefix stays."""
    prefix, slash, name = text.rpartition("/")
    valid = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:63].strip("-._")
    return f"{prefix}{slash}{valid}"


@rule(
    "SPC035",
    "Reserved tag key",
    why="Only AWS can set keys that begin with `aws:`; create calls with such a key fail.",
    source="https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html",
    bad="tags: {'aws:team': llm}",
)
def reserved_tags(plan: Plan) -> Iterator[Problem]:
    for path, _ in plan.tags_by_path:
        key = str(path[-1])
        if key.lower().startswith("aws:"):
            yield Problem(
                path,
                f"{key!r} is reserved",
                help=f"write {key[4:] or 'team'}",
                fix=safe(rename(path, key[4:] or "team")),
                on_key=True,
            )


_SIGNS = "_.:/=+-@"


@rule(
    "SPC036",
    "Tag with invalid characters",
    why="Roles and log groups get the tags too, and take only letters, digits, spaces and a few "
    "signs; any other character fails their creation, and with it the stack.",
    source="https://docs.aws.amazon.com/IAM/latest/APIReference/API_Tag.html",
    bad="tags: {owner: alice & bob}",
    good="tags: {owner: alice and bob}",
)
def tag_characters(plan: Plan) -> Iterator[Problem]:
    for path, value in plan.tags_by_path:
        for text, on_key in ((str(path[-1]), True), (value, False)):
            if wrong := _invalid_characters(text):
                valid = "".join("_" if c in wrong else c for c in text)
                change = rename(path, valid) if on_key else put(path, valid)
                yield Problem(
                    path,
                    f"{text!r} has {' '.join(wrong)}",
                    help=f"use letters, digits, spaces and {_SIGNS}",
                    fix=unsafe(change),
                    on_key=on_key,
                )


def _invalid_characters(text: str) -> list[str]:
    """The characters of ``text`` that tags must not contain, each once."""
    taken = (c in _SIGNS or unicodedata.category(c)[0] in "LNZ" for c in text)
    return list(dict.fromkeys(c for c, fine in zip(text, taken, strict=True) if not fine))
