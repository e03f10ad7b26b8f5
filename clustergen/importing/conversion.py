"""From a configuration to a spec that renders to the same, and the proof that it does."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

from clustergen import overlay, targets
from clustergen.base import discovery
from clustergen.base.documents import change_texts, leaves
from clustergen.base.findings import Finding, Path, errors
from clustergen.base.patterns import pattern
from clustergen.base.secrets import STAND_IN
from clustergen.base.yaml_text import Lines, is_literal, yaml_text
from clustergen.checking import compiler
from clustergen.checking.compiler import Checked
from clustergen.facts.schemas import Schema
from clustergen.importing import rejections
from clustergen.importing.notes import Notes
from clustergen.importing.rules import decisions, losses
from clustergen.overlay.merging import called, deletes, naming
from clustergen.spec.exposed import with_stand_ins
from clustergen.spec.rules import form
from clustergen.spec.rules.secrets import FILLED_IN
from clustergen.spec.source.characters import visible
from clustergen.spec.source.nodes import dotted
from clustergen.targets import Target

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Service:
    """How a service's documents are compared."""

    target: str
    normal: Callable[[Mapping[str, Any], Schema], Json]
    equivalent: Callable[[Mapping[str, Any], Mapping[str, Any], Schema], Any]
    literal: bool = False
    """The rendered document must be the original as it is written, defaults included."""
    adopts: bool = False
    """The cluster of the original runs."""
    judged: bool = False
    """The schema and the rules of the document know all that the service rejects of it."""
    place: Callable[[Mapping[str, Any]], Callable[[Path], Path]] | None = None
    """For a document: where the original has what is at a path, if these are not alike."""
    added: Callable[[Any], str] = lambda _: ""
    """What the document has that is no part of the comparison."""


class Imported(NamedTuple):
    """An imported configuration."""

    text: str
    findings: tuple[Finding, ...]
    lossless: bool
    words: int
    """Number of values of the original that are fields of the spec."""
    overlaid: int
    """Number of values of the original that the overlay has, whole sections as one."""
    removed: int = 0
    """Number of values that the spec would add and the overlay removes."""
    errors: tuple[Finding, ...] = ()
    """What rules reject in the spec, with places in :attr:`text`."""

    @classmethod
    def refused(cls, *findings: Finding) -> Imported:
        """No spec, and why."""
        return cls("", findings, lossless=False, words=0, overlaid=0)

    def without(self, lost: Sequence[Finding]) -> Imported:
        """This, after something was left out before the comparison."""
        return self._replace(findings=(*self.findings, *lost), lossless=self.lossless and not lost)


SPEC: Final = "<spec>"
"""The name of the imported spec in positions, until it has a file."""
_ROUNDS = 12
_FORM: Final = frozenset({form.OPTION.code, form.VALUE.code})
"""Codes of what the language cannot say; a service may take it."""
_OPEN = pattern(r"\$\{[A-Za-z]\w*\}")
"""What deploying a bundle fills in: only an overlay can have it."""
_BY_HAND = "write it in the overlay, or accept the difference with --allow-loss"
_ALONE = "errors prevent rendering the spec, so it lacks what no field covers"
_AGAIN = "correct them in the original, and import it again"


def convert(original: Json, words: Json, origin: str, notes: Notes, service: Service) -> Imported:
    """The spec made of ``words``, and of an overlay for the rest of ``original``.

    Values that rules reject stay in the spec. Those of a running cluster are known to work, so
    the overlay has them.
    """
    target = targets.load(service.target)
    words, document = _planned(words, target, notes, service)
    # The rest depends on a region; another one hardly changes it.
    open = {} if notes.region_known else {"region": f"{STAND_IN}region"}
    if document is None:
        text = _spec_text({**words, **open}, origin, notes.comments)
        findings = (*notes.findings, losses.NOT_RENDERED.at((), _ALONE, help=_AGAIN))
        wrong = tuple(errors(_checked(text, target).findings))
        return Imported(text, findings, False, 0, 0, errors=wrong)
    wanted = service.equivalent(document, original, target.schema)
    if more := service.added(wanted):
        notes.decided((), f"beside the cluster of the original, clustergen makes {more}", "targets")
    keys = target.schema.list_keys
    changes = overlay.difference(document, wanted, keys=keys)
    if changes:
        notes.comment("targets", "Values that `import` did not map to fields:")
        words = with_option(words, target.traits.section, overlay=changes)
    text = _spec_text(words, origin, notes.comments)
    place = service.place(wanted) if service.place else partial(_place, original=original)
    checked = _checked(text, target)
    rendered = _rendered(checked, target)
    lost = _proved(rendered, original, target, service)
    if rendered is not None and service.judged and not (lost or _rejected(checked)):
        lost += _broken(rendered, target, place)
    changed = [
        each._replace(path=overlay.in_document(each.path, changes, wanted, keys))
        for each in _carried(document, changes, keys)
    ]
    carried = [decisions.IN_OVERLAY.at(place(path), text) for path, text in _folded(changed)]
    removed = sum(each.removed for each in changed)
    overlaid = len(changed) - removed
    total = sum(1 for _ in leaves(service.normal(original, target.schema)))
    findings = (*notes.findings, *carried, *lost)
    fields = max(total - overlaid, 0)
    wrong = tuple(errors(checked.findings))
    written = _spec_text({**words, **open}, origin, notes.comments) if open else text
    return Imported(written, findings, not lost, fields, overlaid, removed, wrong)


def _planned(
    words: Json, target: Target, notes: Notes, service: Service
) -> tuple[Json, Json | None]:
    """The words of the spec, and the document that they render to if they can be planned."""
    words = rejections.without(words, [p for p, v in leaves(words) if _OPEN.search(str(v))])
    for _ in range(_ROUNDS):
        checked = _checked(_spec_text(words, "", {}), target)
        found = _rejected(checked)
        if not found:
            break
        paths = [finding.path for finding in found]
        if names := rejections.queue_names(words, paths):
            words = rejections.with_queue_names(words, names)
            for old, new in names.items():
                text = f"the queue of node group {old} is {new}: its namespace cannot be {old}"
                notes.decided((), text, "queues")
            continue
        # What the language cannot say is judged in the overlay, where that is as strict.
        left = [f for f in found if service.adopts or (service.judged and f.code in _FORM)]
        left = [f for f in left if rejections.without(words, [f.path]) != words]
        fewer = rejections.without(words, [finding.path for finding in left])
        if not left:
            break
        for finding in left if service.adopts else ():
            text = f"{dotted(finding.path)} is not in the spec. {finding.code}: {finding.message}"
            notes.findings.append(decisions.WITHOUT.at((), text, help=finding.help))
        words = fewer
    return words, _document(checked, target)


def _document(checked: Checked, target: Target) -> Json | None:
    """What a spec renders to, in spite of errors where that is possible."""
    plan = checked.plans.get(target.name)
    flawed = bool(checked.blocking(target.name))
    return target.attempt(plan, flawed=flawed) if plan else None


def _rendered(checked: Checked, target: Target) -> Json | None:
    document = _document(checked, target)
    if document is None:
        return None
    changes = checked.plans[target.name].overlay
    return dict(overlay.apply(document, changes, keys=target.schema.list_keys))


def _checked(text: str, target: Target) -> Checked:
    return compiler.check_text(text, name=SPEC, targets=(target.name,))


def _rejected(checked: Checked) -> tuple[Finding, ...]:
    """The errors of a spec that have to do with its meaning: a stand-in is as good as a value."""
    return tuple(each for each in errors(checked.findings) if each.code != FILLED_IN.code)


def with_option(words: Json, section: str, **option: Any) -> Json:
    """``words`` with an option in a section of ``targets``."""
    options = {**words["targets"].get(section, {}), **option}
    return {**words, "targets": {**words["targets"], section: options}}


def _proved(
    rendered: Json | None, original: Json, target: Target, service: Service
) -> list[Finding]:
    if rendered is None:
        return [losses.NOT_RENDERED.at((), _ALONE, help=_AGAIN)]
    if service.literal:
        ours, theirs = rendered, original
    else:
        ours, theirs = (service.normal(each, target.schema) for each in (rendered, original))
    ours_flat, theirs_flat = dict(leaves(ours)), dict(leaves(theirs))
    different = {**theirs_flat, **ours_flat}
    return [
        losses.LOST.at(
            path if service.place else _place(path, original),
            f"{dotted(path)} is {_shown(ours_flat, path)}, was {_shown(theirs_flat, path)}",
            help=_BY_HAND,
        )
        for path in different
        if ours_flat.get(path) != theirs_flat.get(path)
    ]


def _broken(rendered: Json, target: Target, place: Callable[[Path], Path]) -> Iterator[Finding]:
    """What the service would reject of the rendered spec, at its place in the original.

    Rules for the spec find more, and say more; these know all that a document can have.
    """
    rules = discovery.rules(target.document_rules) if target.document_rules else ()
    broken = with_stand_ins(rendered, overlay.broken(rendered, target.schema, rules))
    for finding in errors(broken):
        if finding.code != FILLED_IN.code:  # found in the spec
            yield replace(finding, path=place(finding.path), fix=None)


def _shown(values: Mapping[Path, Any], path: Path) -> str:
    return repr(values[path]) if path in values else "absent"


class _Change(NamedTuple):
    """A change that an overlay makes, whole sections as one."""

    path: Path
    item: str
    """What of the list at the path, if not the whole."""
    removed: bool

    @property
    def text(self) -> str:
        where = "is not in the original; the overlay removes it"
        what = f"{self.item} of {dotted(self.path)}" if self.item else dotted(self.path)
        return f"{what} {where if self.removed else 'is in the overlay'}"


_INDEX = pattern(r"\[\d+\]")


def _folded(changed: Sequence[_Change]) -> Iterator[tuple[Path, str]]:
    """The place and the text of each change; of those that only differ in an index, one."""
    alike: dict[str, list[_Change]] = {}
    for each in changed:
        alike.setdefault(_INDEX.sub("[*]", each.text), []).append(each)
    for text, (first, *others) in alike.items():
        more = f" ({len(others) + 1} times)"
        yield first.path, f"{text}{more}" if others else first.text


def _carried(
    document: Any, changes: Any, keys: Sequence[str], path: Path = ()
) -> Iterator[_Change]:
    if isinstance(changes, Mapping) and isinstance(document, Mapping):
        for key, value in changes.items():
            if key in document and document[key] == value:
                continue  # it only says which item this is
            yield from _carried(document.get(key), value, keys, (*path, key))
    elif isinstance(changes, list) and (name := naming(document, changes, keys)):
        items = {called(item, name): item for item in document}
        for index, item in enumerate(changes):
            if deletes(item):
                yield _Change(path, called(item, name) or "", removed=True)
            else:
                yield from _carried(items.get(called(item, name)), item, keys, (*path, index))
    else:
        yield _Change(path, "", removed=changes is None)


def _place(path: Path, original: Any) -> Path:
    place: list[str | int] = []
    for step in path:
        known = isinstance(original, dict) and step in original
        if not known and not (
            isinstance(original, list) and isinstance(step, int) and step < len(original)
        ):
            break
        original = original[step]
        place.append(step)
    return tuple(place)


_WIDTH = 98
_SPACED = frozenset({"network", "head_node", "node_groups", "queues", "storage", "targets"})


def _spec_text(spec: Mapping[str, Any], origin: str, comments: Mapping[str, Sequence[str]]) -> str:
    """``spec`` as YAML; ``comments`` are by section."""
    parts = [_comment(f"Imported from {origin} by `clustergen import`.")]
    for key, value in spec.items():
        gap = "\n" if key in _SPACED or comments.get(key) else ""
        notes = "".join(_comment(text) for text in comments.get(key, ()))
        parts.append(gap + notes + yaml_text({key: change_texts(value, _readable)}))
    return "".join(parts)


def _readable(text: str) -> str:
    """A script as a literal block, where this can hold it."""
    return Lines(text) if is_literal(text) else text


def _comment(text: str) -> str:
    """``text`` as a comment, which no character of it can end."""
    lines = textwrap.wrap(visible(text), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines)
