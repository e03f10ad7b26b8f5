"""No field vanishes: in each mode of a target it changes the output, or a finding says why not."""

import dataclasses
import fnmatch
import functools
import json
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from clustergen import overlay, targets
from clustergen.base.artifacts import Artifact
from clustergen.base.findings import Finding, Path, Severity, errors
from clustergen.base.text_lists import word_set
from clustergen.bundle import bundle_json
from clustergen.checking.compiler import Checked
from clustergen.plan import model
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.monitoring import stack
from clustergen.spec import base
from tests.plan.features.evidence import PC
from tests.plan.features.fields import EXCEPTIONS, FIELDS, NO_ROW, Change
from tests.plan.features.modes import BASE, MODES, Mode, edited, path_of
from tests.support.checking import check

# Notes and warnings that say that what the spec has at their place has no effect, or another one.
# An error at the place of a field says enough, whatever its code is.
WITHOUT_EFFECT = word_set("""
    CAP505 CAP506 IAM401 IMG001 K8S404 K8S425 K8S433 K8S434 K8S437 K8S440 K8S531 K8S532 K8S533
    K8S534 K8S545 LIM005 LIM007 LIM008 LIM304 MON400 NET021 NET023 NET045 PLC500 SLM208 SLM216
    SLM353 SLM365 SLM367 SLM606 SLM607 STG053 STG301 SUP002 SUP004
""")


PARTS = 6  # of the fields of a mode

# ------------------------------------------------------------------ the fields of the plan


def fields(kind: type, place: str = "") -> Iterator[str]:
    """The place of every field of a part of the plan that holds a value, parts of it included.

    A queue's node groups are those of the plan; storage and options have a step for their class.
    """
    hints = typing.get_type_hints(kind, localns=vars(base))
    for field in dataclasses.fields(kind):
        here = f"{place}.{field.name}".lstrip(".")
        leaves = set(_leaves(hints[field.name]))
        parts = (
            {leaf for leaf in leaves if _is_part(leaf)} if here != "queues.node_groups" else set()
        )
        if leaves - parts - {type(None)}:
            yield here
        for part in parts:
            if part is model.Storage:
                for stored in model.Storage.__subclasses__():
                    yield from fields(stored, f"{here}.{stored.__name__}")
            elif part is not model.Options:
                yield from fields(part, here)


def _leaves(hint: Any) -> Iterator[Any]:
    """The types that a type is made of."""
    inner = [part for part in typing.get_args(hint) if part is not Ellipsis]
    if not inner or typing.get_origin(hint) is typing.Literal:
        yield hint
    for part in inner:
        yield from () if typing.get_origin(hint) is typing.Literal else _leaves(part)


def _is_part(kind: Any) -> bool:
    """Whether a type is a part of the plan with fields of its own; a reference is a value."""
    module = getattr(kind, "__module__", "")
    own = module.startswith(model.__name__) or module.endswith(".options")
    return dataclasses.is_dataclass(kind) and own and kind is not model.Ref


@functools.cache
def every_field() -> set[str]:
    found = set(fields(Plan))
    for name in targets.NAMES:
        found |= set(fields(targets.load(name).traits.options, f"options.{name}"))
    return found


def test_every_field_of_the_plan_has_a_row() -> None:
    """A new field needs a row in fields.py: what does each mode make of it?"""
    assert {place for place in every_field() - set(FIELDS) if not _reason(place)} == set()
    assert set(FIELDS) <= every_field()


def test_every_target_has_a_mode() -> None:
    assert {mode.target for mode in MODES.values()} == set(targets.NAMES)


def test_every_reason_is_for_a_field() -> None:
    assert all(any(_matches(key, place) for place in every_field()) for key in NO_ROW)
    assert {field for field, _ in EXCEPTIONS} <= set(FIELDS)


def _reason(place: str) -> str:
    """Why a field has no row; empty if it needs one."""
    return next((reason for key, reason in NO_ROW.items() if _matches(key, place)), "")


def _matches(key: str, place: str) -> bool:
    """A key is a pattern: ``part.*`` are all fields of a part, ``*.name`` a field of any part."""
    return fnmatch.fnmatchcase(place, key)


# ------------------------------------------------------------------ a field in a mode


@dataclass(frozen=True, slots=True)
class Pair:
    """A spec for a target before and after a change, and the paths that were changed."""

    target: str
    before: str
    after: str
    changed: tuple[Path, ...]
    given: tuple[Path, ...]
    """The paths that the change needs to be set, in both specs."""


def pair(mode: Mode, change: Change) -> Pair:
    here = change.on(mode)
    before = edited(edited(edited({}, BASE), mode.values), here.given)
    before, after = mode.spec(before), mode.spec(edited(before, here.values))
    texts = json.dumps(before), json.dumps(after)
    return Pair(
        mode.target, *texts, tuple(map(path_of, here.values)), tuple(map(path_of, here.given))
    )


@functools.lru_cache(maxsize=16)
def checked(target: str, text: str) -> Checked:
    return check(text, target=target)


def answer(two: Pair) -> str:
    """The effect of a change in a mode: ``rejected``, ``reported``, ``shown``, or a problem."""
    before, after = checked(two.target, two.before), checked(two.target, two.after)
    if rejected := errors(before.findings):
        mine = all(_is_at(finding, (*two.given, *two.changed)) for finding in rejected)
        return "rejected" if mine else f"before the change: {_shown(rejected)}"
    if rejected := errors(after.findings):
        mine = any(_is_at(finding, two.changed) for finding in rejected)
        return "rejected" if mine else f"refused elsewhere: {_shown(rejected)}"
    if any(_says_so(finding, two.changed) for finding in after.findings):
        return "reported"
    return "shown" if differs(two) else "vanishes"


def _shown(findings: Iterable[Finding]) -> str:
    return "; ".join(f"{f.code} {'.'.join(map(str, f.path))}: {f.message}" for f in findings)


def _is_at(finding: Finding, paths: Iterable[Path]) -> bool:
    """Whether a finding is at one of the paths, around or inside it."""
    lengths = ((min(len(finding.path), len(path)), path) for path in paths)
    return any(length and finding.path[:length] == path[:length] for length, path in lengths)


@functools.cache
def ignored() -> set[str]:
    """The reasons of features that a target ignores."""
    rows = (row for name in targets.NAMES for row in targets.load(name).support.values())
    return {row.how for row in rows if row.ignored}


def _says_so(finding: Finding, changed: Iterable[Path]) -> bool:
    """Whether a finding says that a change has no effect, or another one than the spec suggests."""
    if finding.code not in WITHOUT_EFFECT or not _is_at(finding, changed):
        return False
    # What is done differently may yet obey each field of it.
    return finding.code != "SUP002" or finding.help in ignored() or finding.path in changed


def differs(two: Pair) -> bool:
    """Whether the bundle differs. The cheap parts are compared first: they mostly do."""
    before, after = (
        checked(two.target, spec).plans[two.target] for spec in (two.before, two.after)
    )
    if foundation.build(before) != foundation.build(after):
        return True
    return any(
        part(two.target, two.before) != part(two.target, two.after) for part in (_document, _files)
    )


@functools.lru_cache(maxsize=16)
def _document(target: str, spec: str) -> dict[str, Any]:
    plan, chosen = checked(target, spec).plans[target], targets.load(target)
    document: dict[str, Any] = overlay.apply(
        chosen.document(plan), plan.overlay, keys=chosen.schema.list_keys
    )
    return document


@functools.lru_cache(maxsize=16)
def _files(target: str, spec: str) -> Mapping[str, str]:
    """All files, made for the document of the base: what follows from the document is the same."""
    document = _document(target, json.dumps(BASE))
    plan, chosen = checked(target, spec).plans[target], targets.load(target)
    bundle = [*chosen.emit(plan, document), *stack.files(plan)]
    bundle += bundle_json.files(plan, chosen.deployment(plan, document), bundle)
    return {file.path: _without_comments(file) for file in bundle}


def _without_comments(file: Artifact) -> str:
    if file.path.endswith((".json", ".conf")):
        return file.text
    return "\n".join(line for line in file.text.splitlines() if not line.lstrip().startswith("#"))


def is_in(mode: Mode, name: str) -> bool:
    """Whether a field is one of a mode: options are those of its target."""
    owner = PC if name.startswith("more_login.") else name.partition(".")[2].partition(".")[0]
    if name.startswith(("options.", "more_login.")) and owner != mode.target:
        return False
    return not any((name, word) in EXCEPTIONS for word in mode.words)


@pytest.mark.sampled(31)  # some modes with some fields each, but all fields
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_field_vanishes(mode: Mode, part: int) -> None:
    wrong = []
    names = (name for name in [*FIELDS][part::PARTS] if is_in(mode, name))
    mine = ((name, change) for name in names for change in FIELDS[name])
    for name, change in mine:
        two = pair(mode, change)
        what = "changes nothing in the spec" if two.before == two.after else answer(two)
        if what not in ("rejected", "reported", "shown"):
            wrong.append(f"{name} ({', '.join(change.on(mode).values)}): {what}")
    assert wrong == [], "\n".join(wrong)


# ------------------------------------------------------------------ the table itself


def values(part: Any, steps: tuple[str, ...]) -> list[Any]:
    """The values of a field in all parts of a plan that have it."""
    if not steps:
        return [part]
    if isinstance(part, tuple):
        return [value for one in part for value in values(one, steps)]
    if isinstance(part, model.Options) and steps[0] in targets.NAMES:
        return values(part, steps[1:])
    if isinstance(part, model.Storage) and steps[0][0].isupper():
        return values(part, steps[1:]) if type(part).__name__ == steps[0] else []
    return values(getattr(part, steps[0]), steps[1:]) if hasattr(part, steps[0]) else []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_row_changes_its_field(part: int) -> None:
    """In one mode at least the plan differs in this field, and no error stands against it."""
    dead = [
        f"{name} ({', '.join(change.values)})"
        for name in [*FIELDS][part::PARTS]
        for number, change in enumerate(FIELDS[name])
        if not any(_changes(mode, name, number) for mode in MODES.values())
    ]
    assert dead == []


def _changes(mode: Mode, name: str, number: int) -> bool:
    if not is_in(mode, name):
        return False
    two = pair(mode, FIELDS[name][number])
    specs = [checked(two.target, text) for text in (two.before, two.after)]
    if any(errors(spec.findings) for spec in specs):
        return False
    before, after = (values(spec.plans[two.target], tuple(name.split("."))) for spec in specs)
    return before != after


def test_a_field_without_effect_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its finding, a note of a managed feature, a field vanishes."""
    monkeypatch.setattr("tests.plan.features.test_fields.WITHOUT_EFFECT", frozenset())
    mode = MODES["pcs"]
    assert answer(pair(mode, FIELDS["head.type"][0])) == "vanishes"
    assert answer(pair(mode, FIELDS["node_groups.image"][0])) == "shown"
    assert answer(pair(mode, FIELDS["storage.Ebs.mount"][0])) == "rejected"
    note = Finding("SUP004", Severity.NOTE, "", ("head_node", "image"))
    assert not _is_at(note, [("head_node", "instance_type")])
