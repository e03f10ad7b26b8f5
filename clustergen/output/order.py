"""Order and counts of findings."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from clustergen.base import digests
from clustergen.base.findings import Finding, Rule, Severity, Span
from clustergen.spec.source.characters import visible
from clustergen.spec.source.nodes import dotted

Rules = Mapping[str, Rule]


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The findings in source order, each once; those without a position come first."""
    return sorted(dict.fromkeys(findings), key=_key)


def shown(findings: Iterable[Finding]) -> list[Finding]:
    """The findings to show in lists: one that several targets share is listed once, for all.

    Help and sources that differ between the targets are listed below each other.
    """
    groups: dict[object, list[Finding]] = {}
    for finding in ordered(findings):
        groups.setdefault(_shared(finding), []).append(finding)
    return [_together(group) if len(group) > 1 else group[0] for group in groups.values()]


def _shared(finding: Finding) -> tuple[object, ...]:
    """What findings of several targets have in common; others differ in it."""
    return (
        *(finding.code, finding.severity, finding.message, finding.path, finding.on_key),
        *(finding.span, finding.fatal, finding.could_not, finding.feature),
    )


def _together(group: Sequence[Finding]) -> Finding:
    names = dict.fromkeys(finding.target for finding in group)
    helps: dict[str, list[str]] = {}
    for finding in group:
        helps.setdefault(finding.help, []).append(finding.target)
    alike = len(helps) == 1
    return replace(
        group[0],
        target="" if "" in names else ", ".join(names),
        help="\n".join(h if alike else f"{', '.join(n)}: {h}" for h, n in helps.items() if h),
        note="\n".join(dict.fromkeys(finding.note for finding in group if finding.note)),
    )


def details(finding: Finding) -> list[tuple[str, str]]:
    """What stands below a message, if there is any of it, with its name."""
    parts = {"target": finding.target, "help": finding.help, "note": finding.note}
    return [(name, text) for name, text in parts.items() if text]


def place(span: Span) -> str:
    """``file:line:column``; a file that could not be read and ``--set`` have no lines to name."""
    if not span.text or span.file.startswith("--set "):
        return one_line(span.file)
    return one_line(f"{span.file}:{span.line}:{span.column}")


def one_line(text: str) -> str:
    """The text without line breaks and invisible characters."""
    return visible(text).replace("\n", "\\n").replace("\r", "\\r")


def _key(finding: Finding) -> tuple[str, int, int, str, str, str]:
    span = finding.span or Span("", 0, 0, 0)
    return (span.file, span.line, span.column, finding.code, finding.target, finding.message)


def tally(findings: Iterable[Finding]) -> dict[Severity, int]:
    """The number of findings of each severity, most severe first."""
    counts = Counter(finding.severity for finding in findings)
    return {severity: counts[severity] for severity in Severity}


def summary(findings: Iterable[Finding]) -> str:
    """``2 errors, 1 warning``; empty when there are none."""
    return ", ".join(
        f"{count} {severity}{'s' if count > 1 else ''}"
        for severity, count in tally(findings).items()
        if count
    )


def about(finding: Finding) -> str:
    """The target behind a message."""
    return f" ({finding.target})" if finding.target else ""


def in_file(span: Span) -> bool:
    """Whether the place is in a file, not on standard input or in ``--set``."""
    return not span.file.startswith(("<", "--set "))


def located_message(finding: Finding) -> str:
    """The message; prefixed with its place if that is not in a file, which formats may need."""
    if finding.span is None or in_file(finding.span):
        return finding.message
    return f"{finding.span.file}: {finding.message}"


def whole_message(finding: Finding) -> str:
    """The same, with the target behind it."""
    return located_message(finding) + about(finding)


def fingerprint(finding: Finding) -> str:
    """The same for a finding after lines above it have changed."""
    file = finding.span.file if finding.span else ""
    parts = (finding.code, file, dotted(finding.path), finding.message, finding.target)
    return digests.sha256("\0".join(parts).encode("utf-8", "replace"))
