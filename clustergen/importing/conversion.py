"""From a configuration to a spec that renders to the same, and the proof that it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from clustergen import overlay, targets
from clustergen.base.findings import Finding, Path, errors
from clustergen.base.patterns import pattern
from clustergen.checking import compiler
from clustergen.facts.schemas import Schema
from clustergen.importing import acceptance
from clustergen.importing.acceptance import Accepted, Refusal
from clustergen.importing.notes import Notes
from clustergen.importing.rejections import without
from clustergen.importing.rules import decisions, losses
from clustergen.importing.writing import spec_text
from clustergen.overlay.merging import called, deletes, naming
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
    place: Callable[[Mapping[str, Any], Path], Path] | None = None
    """Where the original has what is at a path of the document, if these are not alike."""


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

    def without(self, lost: Sequence[Finding]) -> Imported:
        """This, after something was left out before the comparison."""
        return self._replace(findings=(*self.findings, *lost), lossless=self.lossless and not lost)


_ROUNDS = 12
_PLACEHOLDER = pattern(r'"[^"]*(?:<[^<>"]+>|\$\{?[A-Za-z_])')
_FILL_IN = "replace the placeholder by its value in the original"
_BY_HAND = "write it in the overlay, or accept the difference with --allow-loss"
_BY_RULE = "correct the original as IMP012 says, or accept the difference with --allow-loss"


def convert(original: Json, words: Json, origin: str, notes: Notes, service: Service) -> Imported:
    """The spec made of ``words``, and of an overlay for the rest of ``original``."""
    target = targets.load(service.target)
    words, document, found = _planned(words, target, notes)
    if document is None:
        rejected = [losses.NOT_RENDERED.at((), f.message, help=f.help) for f in found]
        text = spec_text(words, origin, notes.comments)
        return Imported(text, (*notes.findings, *rejected), False, 0, 0)
    wanted = service.equivalent(document, original, target.schema)
    changes = overlay.difference(document, wanted, keys=target.schema.list_keys)
    changes, refusals = _accepted(words, changes, target)
    if changes:
        notes.comment("targets", "Values that `import` did not map to fields:")
    text = spec_text(_with_overlay(words, changes, target), origin, notes.comments)

    def place(path: Path) -> Path:
        return service.place(wanted, path) if service.place else _place(path, original)

    refused = [_refused(each, place) for each in refusals]
    left_out = [
        finding.path if service.place else refusal.path
        for finding, refusal in zip(refused, refusals, strict=True)
    ]
    lost = [*refused, *_proved(text, original, target, service, left_out)]
    changed = list(_carried(document, changes, target.schema.list_keys))
    carried = [decisions.IN_OVERLAY.at(place(path), text) for path, text in _folded(changed)]
    removed = sum(each.removed for each in changed)
    overlaid = len(changed) - removed
    total = sum(1 for _ in _leaves(service.normal(original, target.schema)))
    findings = (*notes.findings, *carried, *lost)
    return Imported(text, findings, not lost, max(total - overlaid, 0), overlaid, removed)


def _planned(words: Json, target: Target, notes: Notes) -> tuple[Json, Json | None, list[Finding]]:
    """The words that the rules accept, and the document that they render to."""
    found: list[Finding] = []
    for _ in range(_ROUNDS):
        checked = compiler.check_text(spec_text(words, "", {}), targets=(target.name,))
        found = errors(checked.findings)
        if not found:
            return words, dict(target.document(checked.plans[target.name])), []
        fewer = without(words, (finding.path for finding in found))
        if fewer == words:
            break
        for finding in found:
            text = f"{_text(finding.path)} is not in the spec. {finding.code}: {finding.message}"
            notes.findings.append(decisions.WITHOUT.at((), text, help=finding.help))
        words = fewer
    return words, None, found


def _with_overlay(words: Json, changes: Any, target: Target) -> Json:
    if not changes:
        return words
    section = target.traits.section
    options = {**words["targets"].get(section, {}), "overlay": changes}
    return {**words, "targets": {**words["targets"], section: options}}


def _accepted(words: Json, changes: Any, target: Target) -> Accepted:
    """The changes that the rules for documents accept, and findings about the others."""

    prefix = ("targets", target.traits.section, "overlay")

    def check(changes: Any) -> list[Finding]:
        text = spec_text(_with_overlay(words, changes, target), "", {})
        found = errors(compiler.check_text(text, targets=(target.name,)).findings)
        within = (each for each in found if each.path[: len(prefix)] == prefix)
        return [replace(each, path=each.path[len(prefix) :]) for each in within]

    return acceptance.accepted(changes, check)


def _refused(refusal: Refusal, place: Callable[[Path], Path]) -> Finding:
    """What the overlay does without, at its place in the original."""
    path, finding = refusal
    message = f"{_text(path) or 'the overlay'} is left out. {finding.code}: {finding.message}"
    help = _FILL_IN if _PLACEHOLDER.search(finding.message) else finding.help
    return losses.REFUSED.at(place(path), message, help=help)


def _proved(
    text: str, original: Json, target: Target, service: Service, refused: Sequence[Path]
) -> list[Finding]:
    """The differences between the rendered spec and the original."""
    checked = compiler.check_text(text, targets=(target.name,))
    found = errors(checked.findings)
    if found:
        return [losses.NOT_RENDERED.at((), f"{f.code}: {f.message}", help=f.help) for f in found]
    plan = checked.plans[target.name]
    keys = target.schema.list_keys
    rendered = overlay.apply(target.document(plan), plan.overlay, keys=keys)
    if service.literal:
        ours, theirs = rendered, original
    else:
        ours, theirs = (service.normal(each, target.schema) for each in (rendered, original))
    ours_flat, theirs_flat = dict(_leaves(ours)), dict(_leaves(theirs))
    different = {**theirs_flat, **ours_flat}
    return [
        losses.LOST.at(
            path if service.place else _place(path, original),
            f"{_text(path)} is {_shown(ours_flat, path)}, was {_shown(theirs_flat, path)}",
            help=_BY_RULE
            if any(each and path[: len(each)] == each for each in refused)
            else _BY_HAND,
        )
        for path in different
        if ours_flat.get(path) != theirs_flat.get(path)
    ]


def _shown(values: Mapping[Path, Any], path: Path) -> str:
    return repr(values[path]) if path in values else "absent"


def _leaves(value: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    inner: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    if not inner:
        return [(path, value)] if path else []
    return [leaf for step, each in inner for leaf in _leaves(each, (*path, step))]


class _Change(NamedTuple):
    """A change that an overlay makes, whole sections as one."""

    path: Path
    what: str
    removed: bool

    @property
    def text(self) -> str:
        where = "is not in the original; the overlay removes it"
        return f"{self.what} {where if self.removed else 'is in the overlay'}"


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
    """The changes of an overlay to a document."""
    if isinstance(changes, Mapping) and isinstance(document, Mapping):
        for key, value in changes.items():
            if key in document and document[key] == value:
                continue  # it only says which item this is
            yield from _carried(document.get(key), value, keys, (*path, key))
    elif isinstance(changes, list) and (name := naming(document, changes, keys)):
        items = {called(item, name): item for item in document}
        for index, item in enumerate(changes):
            if deletes(item):
                yield _Change(path, f"{called(item, name)} of {_text(path)}", removed=True)
            else:
                yield from _carried(items.get(called(item, name)), item, keys, (*path, index))
    else:
        yield _Change(path, _text(path), removed=changes is None)


def _text(path: Path) -> str:
    words = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(words).lstrip(".")


def _place(path: Path, original: Any) -> Path:
    """The part of ``path`` that is in the original."""
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
