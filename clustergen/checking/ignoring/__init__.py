"""Findings that a team decided to ignore.

A comment ignores findings on its line, or on the next entry if it has a line of its own::

    ssh_from: [0.0.0.0/0]  # clustergen: ignore[NET013] because a firewall filters it

``ignore-file`` ignores them everywhere in the spec. Codes that come from elsewhere (``--ignore``)
may be beginnings of codes. Only warnings and notes can be ignored.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from clustergen.base.findings import Finding, Rule, Severity
from clustergen.checking.ignoring.comments import Comment, read
from clustergen.checking.ignoring.rules.comments import ERROR, UNUSED
from clustergen.spec.source.nodes import Text

_LIVE: Final = "PRE"
"""The area of findings that only `preflight` has: a check does not know whether they are used."""


class Ran(NamedTuple):
    """What a spec was checked for."""

    targets: Sequence[str]
    complete: bool
    """Whether these are all targets that the spec names."""
    custom: Sequence[Rule] | None
    """The custom rules; None if there are some that did not run."""


def apply(
    findings: Sequence[Finding], texts: Iterable[Text], codes: Sequence[str], ran: Ran
) -> tuple[list[Finding], list[Finding]]:
    """The findings that are not ignored, with those about the comments; and the ignored ones.

    ``texts`` are the files of the spec, ``codes`` the codes to ignore everywhere.
    """
    comments, problems = read(texts)
    if not comments and not codes:
        return [*findings, *problems], []
    kept: list[Finding] = []
    hidden: list[Finding] = []
    for finding in findings:
        (hidden if _is_ignored(finding, comments, tuple(codes)) else kept).append(finding)
    problems += _errors(kept, comments)
    if not any(finding.fatal for finding in findings):  # otherwise some rules did not run
        problems += _unused(findings, comments, ran)
    return kept + problems, hidden


def kept(findings: Iterable[Finding], texts: Iterable[Text], codes: Sequence[str]) -> list[Finding]:
    """The findings about an account that neither comments in the spec nor ``codes`` ignore."""
    comments, _ = read(texts)
    return [f for f in findings if not _is_ignored(f, comments, tuple(codes))]


def _is_ignored(finding: Finding, comments: Sequence[Comment], codes: tuple[str, ...]) -> bool:
    if finding.severity is Severity.ERROR:
        return False
    return finding.code.startswith(codes) or any(c.covers(finding) for c in comments)


def _errors(kept: Sequence[Finding], comments: Sequence[Comment]) -> Iterator[Finding]:
    """Comments about errors, which stay."""
    for comment in comments:
        hit = dict.fromkeys(f.code for f in kept if comment.covers(f))
        for code in hit:
            message = f"{code} is an error, so it cannot be ignored"
            help = "fix it, and remove this comment"
            fix = comment.without(code)
            yield ERROR.at((), message, help=help, fix=fix).placed(comment.span)


def _unused(
    findings: Sequence[Finding], comments: Sequence[Comment], ran: Ran
) -> Iterator[Finding]:
    """Codes in comments that hide nothing although their rules ran."""
    for comment in comments:
        used = {finding.code for finding in findings if comment.covers(finding)}
        for code in comment.codes:
            if code in used:
                continue
            message, help = _why_unused(code, ran)
            if message:
                fix = comment.without(code)
                yield UNUSED.at((), message, help=help, fix=fix).placed(comment.span)


def _why_unused(code: str, ran: Ran) -> tuple[str, str]:
    """Why a code hides nothing, and help; empty if its rule may not have run."""
    from clustergen.checking.registry import by_code, may_be_custom, nearest  # imports all rules

    if ran.custom is None and may_be_custom(code):
        return "", ""
    rules = by_code(ran.custom or ())
    if code not in rules:
        near = nearest(code, rules)
        return f"no finding has the code {code}", f"did you mean {near}?" if near else "remove it"
    if code.startswith(_LIVE):
        return "", ""
    if (ran.complete and "" not in ran.targets) or rules[code].target in ran.targets:
        return f"there is no {code} to ignore here", "remove the comment, or move it"
    return "", ""
