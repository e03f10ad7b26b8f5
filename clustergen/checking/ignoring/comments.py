"""Comments in a spec that ignore findings, as data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clustergen.base.findings import Edit, Finding, Fix, Span
from clustergen.base.patterns import pattern
from clustergen.checking.ignoring.rules.comments import NO_REASON, UNREADABLE
from clustergen.spec.source.nodes import Place, Text

FORM = "# clustergen: ignore[CODE] because REASON"

_COMMENT = pattern(r"(?:^|\s)(#\s*clustergen:\s*ignore.*?)\s*$")
_IGNORE = pattern(r"#\s*clustergen:\s*ignore(-file)?\[([A-Z0-9, ]+)\]\s*(?:because\b)?[:,\s]*(.*)")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment that ignores findings with some codes."""

    span: Span
    codes: tuple[str, ...]
    line: int
    """The line whose findings it ignores, from 1; 0 for all lines of all files of the spec."""

    def covers(self, finding: Finding) -> bool:
        at = (finding.span.file, finding.span.line) if finding.span else None
        return finding.code in self.codes and (not self.line or at == (self.span.file, self.line))

    def without(self, code: str) -> Fix:
        """Remove a code from the comment, or the comment with its last code."""
        start, end = self.span.column - 1, self.span.end - 1
        row, before = self.span.line - 1, self.span.text[:start]
        kept = ", ".join(each for each in self.codes if each != code)
        if kept:
            opened = self.span.text.index("[", start) + 1
            closed = self.span.text.index("]", opened)
            return self._edit(row, opened, row, closed, kept)
        if before.strip():
            return self._edit(row, len(before.rstrip()), row, end, "")
        return self._edit(row, 0, row + 1, 0, "")

    def _edit(self, line: int, column: int, end_line: int, end_column: int, text: str) -> Fix:
        return Fix(edits=(Edit(self.span.file, line, column, end_line, end_column, text),))


def read(texts: Iterable[Text]) -> tuple[list[Comment], list[Finding]]:
    """The comments in the files of a spec, and findings about those in the wrong form."""
    comments: list[Comment] = []
    findings: list[Finding] = []
    for text in texts:
        for index, line in enumerate(text.lines):
            match = _COMMENT.search(line) if "clustergen:" in line else None
            if match:
                place = Place(text, index, match.start(1), index, match.end(1))
                found = _comment(match[1], place.span(), _covered(text.lines, index))
                if isinstance(found, Comment):
                    comments.append(found)
                else:
                    findings.append(found)
    return comments, findings


def _comment(written: str, at: Span, line: int) -> Comment | Finding:
    match = _IGNORE.fullmatch(written)
    whole, codes, reason = match.groups() if match else ("", "", "")
    if reason:
        named = tuple(code.strip() for code in codes.split(",") if code.strip())
        return Comment(at, named, 0 if whole else line)
    rule, message = NO_REASON, "this comment gives no reason, so it ignores nothing"
    if match is None:
        rule, message = UNREADABLE, "this comment does not have the form of an ignore comment"
    return rule.at((), message, help=f"write {FORM}").placed(at)


def _covered(lines: Sequence[str], index: int) -> int:
    """The number of the line that a comment at ``index`` is about: its own, or the next entry."""
    if not lines[index].lstrip().startswith("#"):
        return index + 1
    below = enumerate(map(str.strip, lines[index + 1 :]), index + 2)
    return next((number for number, line in below if line and line[0] != "#"), index + 1)
