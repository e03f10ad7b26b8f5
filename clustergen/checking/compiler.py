"""From files to plans and findings: the first step of every command on specs."""

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from clustergen import rules, targets
from clustergen.base import discovery, secrets
from clustergen.base.findings import Finding, Path, Rule, Severity, Unrenderable, errors, limited
from clustergen.plan import build, features
from clustergen.plan.features.rules.support import unsupported
from clustergen.plan.model import Plan
from clustergen.plan.model.foundation import Served
from clustergen.spec import Spec, exposed, formats, named_targets, parse, remainders, source
from clustergen.spec.rules.form import OTHER_TOOL
from clustergen.spec.source import Document
from clustergen.targets import Target, needs


@dataclass(frozen=True, slots=True)
class Checked:
    """A spec planned for each of its targets, and all findings."""

    spec: Spec | None
    plans: Mapping[str, Plan]
    """By target name, without targets for which the spec cannot be planned."""
    findings: tuple[Finding, ...]
    targets: tuple[str, ...] = ()
    """The checked targets; the empty name if there are none."""
    ignored: tuple[Finding, ...] = ()
    """The findings that comments or ``ignore`` hide."""
    data: Any = field(default=None, repr=False)
    """What the user wrote, merged, as data."""

    def blocking(self, target: str) -> list[Finding]:
        """The errors that keep ``target`` from being rendered."""
        return [f for f in errors(self.findings) if f.target in ("", target)]

    def about(self, target: str) -> list[Finding]:
        """All findings for ``target``."""
        return [f for f in self.findings if f.target in ("", target)]

    @property
    def listed(self) -> list[Finding]:
        """The findings; what a target does not use is listed once, and only if no target uses it.

        The README of a target's bundle has them all.
        """
        unused: dict[tuple[str, Path], Finding] = {}
        for finding in self.findings:
            if finding.unused:
                unused.setdefault((finding.target, finding.path), finding)

        def at(target: str, path: Path) -> list[Finding]:
            """The findings on the section that ``path`` is in, and its parts down to ``path``."""
            places = ((n, path[:end]) for end in range(1, len(path) + 1) for n in ("", target))
            return [unused[place] for place in places if place in unused]

        def is_listed(finding: Finding) -> bool:
            everywhere = all(at(name, finding.path) for name in self.plans)
            return everywhere and at(finding.target, finding.path)[0] is finding

        return [f for f in self.findings if not f.unused or is_listed(f)]


class UnknownTarget(ValueError):
    """A target that does not exist; the message names those that do."""


class _Request(NamedTuple):
    """What to check a spec for."""

    targets: Sequence[str]
    """The requested targets; without any, those that the spec names."""
    allow_unsupported: bool
    ignore: Sequence[str]
    rules: Sequence[Rule] | None
    declared: Sequence[str] = ()
    """Targets for which the spec is meant, besides those that it names."""


def check(  # noqa: PLR0913 all but one are options
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    sets: Sequence[str] = (),
    targets: Sequence[str] = (),
    allow_unsupported: bool = False,
    ignore: Sequence[str] = (),
    rules: Sequence[Rule] | None = (),
    contents: Mapping[str, bytes] = MappingProxyType({}),
    declared: Sequence[str] = (),
) -> Checked:
    """Read, plan and check one spec, given as a file or as files that merge in order.

    ``targets`` are target names, by default those that the spec names. If it names none, only rules
    for all targets are checked. ``ignore`` are codes, or beginnings of codes, of warnings and notes
    to leave out. ``rules`` are custom rules to check besides ours; None if there are some that
    should not run, so that comments may ignore their codes. ``contents`` are the contents of files
    that are not read, by the names in ``files``. ``declared`` are targets for which the spec is
    meant besides those that it names: the foundation serves them, too.

    :raises UnknownTarget: if there is no target with such a name.
    """
    several = [files] if isinstance(files, str | os.PathLike) else files
    document, findings = source.read(several, sets, contents)
    request = _Request(_known(targets), allow_unsupported, ignore, rules, _known(declared))
    return _check(document, findings, request)


def check_text(  # noqa: PLR0913 all but one are options
    text: str,
    *,
    name: str = "<text>",
    targets: Sequence[str] = (),
    allow_unsupported: bool = False,
    ignore: Sequence[str] = (),
    rules: Sequence[Rule] | None = (),
) -> Checked:
    """Plan and check the spec in ``text`` (YAML or JSON), which findings call ``name``.

    The other arguments are those of :func:`check`.

    :raises UnknownTarget: if there is no target with such a name.
    """
    document, findings = source.read_text(text, name)
    return _check(document, findings, _Request(_known(targets), allow_unsupported, ignore, rules))


def check_document(
    document: Document, *, targets: Sequence[str] = (), allow_unsupported: bool = False
) -> Checked:
    """Plan and check a spec that is already read.

    :raises UnknownTarget: if there is no target with such a name.
    """
    return _check(document, [], _Request(_known(targets), allow_unsupported, (), ()))


_IMPORT = "`clustergen import FILE -o spec.yaml` turns it into a spec"


def _check(document: Document | None, findings: list[Finding], request: _Request) -> Checked:
    if document is None:
        unread = tuple(map(secrets.masked, limited(findings)))
        return Checked(None, MappingProxyType({}), unread)
    known = list(secrets.found(document.data))
    spec, found = parse(document)
    if spec is None and (format := formats.recognized(document.data)):
        # Its keys are no mistakes of a spec: one finding explains more than one for each of them.
        found = [OTHER_TOOL.at((), f"this is {format}, not a spec", help=_IMPORT)]
        return Checked(None, MappingProxyType({}), tuple(map(document.place, found)))
    plans: dict[str, Plan] = {}
    if spec is not None:
        plans, found = _check_targets(spec, document.written(), request)
    if spec is None or any(finding.fatal for finding in found):
        found = _with_rest(found, document.data, request)
    found = [*found, *exposed.exposed(known, found)]
    if any(mark in text.source for text in document.texts for mark in exposed.MARKS):
        found = [*exposed.with_stand_ins(document.data, found)]
    # A finding of the reader explains more than the errors that follow from it.
    reported = {finding.span for finding in findings if finding.span}
    findings = [document.place(finding) for finding in findings]
    findings += (f for f in map(document.place, found) if f.span not in reported)
    checked = tuple(_wanted(spec, request)) if spec else tuple(request.targets)
    hidden: list[Finding] = []
    if request.ignore or any("clustergen:" in line for t in document.texts for line in t.lines):
        from clustergen.checking import ignoring  # few specs have such a comment

        complete = spec is not None and set(checked) >= set(named_targets(spec))
        ran = ignoring.Ran(checked, complete, request.rules)
        findings, hidden = ignoring.apply(findings, document.texts, request.ignore, ran)
    lists = (limited(findings), hidden)
    shown, ignored = (tuple(secrets.masked(f, known) for f in part) for part in lists)
    return Checked(spec, MappingProxyType(plans), shown, checked, ignored, document.data)


def _known(names: Sequence[str]) -> list[str]:
    """The canonical target names for names and aliases.

    :raises UnknownTarget: if there is no such target.
    """
    names = [names] if isinstance(names, str) else names
    for name in names:
        if name and targets.resolve(name) is None:
            raise UnknownTarget(f"no target {name!r}; use {', '.join(targets.NAMES)}")
    return [targets.resolve(name) or "" for name in names]


_ROUNDS = 5
"""Maximum rounds; each finds places that prevent checking the rest."""


def _with_rest(found: Sequence[Finding], data: Any, request: _Request) -> list[Finding]:
    """``found``, which prevents planning, and all findings about the rest of the spec."""
    all_found = dict.fromkeys(found)
    bad = [finding.path for finding in found if finding.fatal]
    for _ in range(_ROUNDS):
        rest = _rest_of(data, bad, request)
        all_found |= dict.fromkeys(rest)
        known = set(bad)
        more = [f.path for f in rest if f.fatal and f.path not in known]
        if not more:
            break
        bad += more
    return list(all_found)


def _rest_of(data: Any, bad: Sequence[Path], request: _Request) -> list[Finding]:
    """The findings about a spec, except at the places ``bad`` and at places with an invalid form.

    They do not depend on the values at these places. Custom rules wait for a spec that can be
    planned: they need not cope with a part of one.
    """
    request = request._replace(rules=())
    versions: list[list[Finding]] = []
    for rest in remainders(data, bad):
        _, found = _check_targets(rest.spec, rest.written, request)
        versions.append([*rest.findings, *filter(None, map(rest.restored, found))])
    plannable = [found for found in versions if not any(f.fatal for f in found)]
    first, *others = plannable or versions or [[]]
    return list(_agreed(first, others))


def _agreed(first: Sequence[Finding], others: Sequence[Sequence[Finding]]) -> Iterator[Finding]:
    """The findings that all versions of a spec have, with their help if it is the same."""
    helps = [{replace(f, help=""): f.help for f in found} for found in others]
    for finding in first:
        bare = replace(finding, help="")
        if all(bare in found for found in helps):
            same = all(found[bare] == finding.help for found in helps)
            yield finding if same else replace(bare, fix=None)


def _check_targets(
    spec: Spec, written: Iterable[Path], request: _Request
) -> tuple[dict[str, Plan], list[Finding]]:
    """The plans of a spec for its targets, and all findings about them."""
    plans: dict[str, Plan] = {}
    by_target: dict[str, list[Finding]] = {}
    common = build.shared(spec, written, _served(spec, request))
    planned = functools.partial(build.build, spec, common)
    for name in _wanted(spec, request):
        plan, by_target[name] = _check_target(planned, name, request.allow_unsupported)
        if plan is None:
            continue
        plans[name] = plan
        if request.rules:
            from clustergen.checking import custom_rules  # few projects have any

            by_target[name] += custom_rules.check(plan, request.rules)
    return plans, list(_shared(by_target))


def _wanted(spec: Spec, request: _Request) -> list[str]:
    """The targets to plan for; the empty name means rules for all targets."""
    return [*request.targets] or [*named_targets(spec)] or [""]


def _served(spec: Spec, request: _Request) -> Served:
    """The targets that the foundation serves: those in the spec, and those requested.

    None if the spec is declared for none: each requested target then gets the same foundation.
    Otherwise two renders, each for one target, would remove each other's roles.
    """
    named = (*named_targets(spec), *request.declared)
    served = needs.served((*named, *request.targets) if named else ())
    sections = {name: each for name, each in vars(spec.targets).items() if each is not None}
    if len(sections) == 1 and not spec.foundation:
        ((name, section),) = sections.items()
        if section.leave_out:
            alone = targets.load(name.replace("_", "-")).traits.options
            return served._replace(alone=alone)
    return served


def _check_target(
    planned: Callable[..., tuple[Plan | None, list[Finding]]], name: str, allow_unsupported: bool
) -> tuple[Plan | None, list[Finding]]:
    """The plan for one target, and all findings about it; ``planned`` makes it from traits."""
    if not name:
        plan, findings = planned()
        return plan, findings + (list(rules.check(plan)) if plan else [])
    target = targets.load(name)
    plan, findings = planned(target.traits)
    if plan is None:
        return None, findings
    findings += rules.check(plan)
    specific = [*features.check(plan, target.support, target.title), *target.check(plan)]
    specific = [_with_other_targets(finding) for finding in specific]
    if allow_unsupported:
        specific = [_allowed(finding) for finding in specific]
    findings += (replace(finding, target=name) for finding in specific)
    if plan.overlay:
        found = _overlaid(plan, target, flawed=bool(errors(findings)))
        findings += [replace(f, target=name) for f in found]
    return plan, findings


def _with_other_targets(finding: Finding) -> Finding:
    """The finding, with the targets that support the feature named in its help."""
    if not finding.feature:
        return finding
    *first, last = targets.supporting(finding.feature) or [""]
    choice = f"{', '.join(first)} or {last}" if first else last
    way_out = f"{finding.help}; or use {choice}" if last else finding.help
    return replace(finding, help=way_out)


def _overlaid(plan: Plan, target: Target, *, flawed: bool) -> Iterator[Finding]:
    """Findings about the overlay: its changes to the target's document, and what it breaks."""
    from clustergen import overlay  # loads schemas, which only specs with an overlay need

    path = ("targets", target.traits.section, "overlay")
    try:
        document = target.attempt(plan, flawed=flawed)
    except Unrenderable as error:
        yield from error.findings
        return
    if document is None:
        return
    rules = discovery.rules(target.document_rules) if target.document_rules else ()
    yield from overlay.check(
        document, plan.overlay, target.schema, path, rules=rules, flawed=flawed
    )


def _allowed(finding: Finding) -> Finding:
    """The note on an unsupported feature that the user allowed clustergen to omit."""
    if finding.code != unsupported.code:
        return finding
    return replace(finding, severity=Severity.WARNING, message=f"{finding.message}; omitted")


def _shared(by_target: Mapping[str, list[Finding]]) -> Iterator[Finding]:
    """The findings of several targets; those that all of them have are listed once."""
    seen: set[Finding] = set()
    everyones = set.intersection(*map(set, by_target.values())) if by_target else set()
    for name, findings in by_target.items():
        for finding in findings:
            everywhere = finding in everyones
            mine = finding if everywhere or finding.target else replace(finding, target=name)
            if mine not in seen:
                seen.add(mine)
                yield mine
