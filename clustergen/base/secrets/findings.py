"""Findings and other texts without secrets."""

import functools
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Final

from clustergen.base.findings import Edit, Finding, Fix
from clustergen.base.patterns import pattern
from clustergen.base.secrets.data import Secret
from clustergen.base.secrets.forms import in_form
from clustergen.base.secrets.texts import stars

_FRAGMENT: Final = pattern(r"[A-Za-z0-9+/]{8,}")
"""Long enough to be no word that a message has by chance."""
_SHORT: Final = 6


def masked(finding: Finding, secrets: Collection[Secret] = ()) -> Finding:
    """The finding with ``secrets``, and text that looks like one, masked.

    It has no fix that would show a secret, or write something in its place.
    """
    known = frozenset(secret.text for secret in secrets)
    help, message = without(finding.help, known), without(finding.message, known)
    path = tuple(without(s, known) if isinstance(s, str) else s for s in finding.path)
    span = finding.span
    if span is not None and known:
        span = replace(span, text=without(span.text, known, stars))
    fix = _shown(finding, secrets, known) if help == finding.help else None
    if (help, message, path, span) != (finding.help, finding.message, finding.path, finding.span):
        finding = replace(finding, message=message, help=help, path=path, span=span)
    if fix is None or finding.editor is None or not known:
        return finding if fix == finding.fix else replace(finding, fix=fix)
    editor = finding.editor

    def edits(fix: Fix) -> tuple[Edit, ...]:
        made = editor(fix)
        return () if _hold(made, known) else made

    return replace(finding, editor=edits)


def _shown(finding: Finding, secrets: Iterable[Secret], known: frozenset[str]) -> Fix | None:
    fix = finding.fix
    if fix is None or _hold(fix.edits, known):
        return None
    places = {secret.path for secret in secrets}
    puts = (change for change in fix.changes if change.kind == "put")
    return None if any(change.path in places for change in puts) else fix


def _hold(edits: Iterable[Edit], known: frozenset[str]) -> bool:
    return any(without(edit.text, known) != edit.text for edit in edits)


@functools.lru_cache(maxsize=1024)
def without(
    text: str, known: frozenset[str] = frozenset(), mask: Callable[[str], str] = lambda _: "***"
) -> str:
    """``text`` with ``known`` secrets, parts of them, and what looks like one, masked."""
    for secret in sorted(known, key=len, reverse=True):
        for written in (repr(secret), repr(secret)[1:-1], secret.strip()):
            if written in text and len(written) > 1:
                whole = rf"(?<!\w){re.escape(written)}(?!\w)"
                searched = re.escape(written) if len(written) >= _SHORT else whole
                text = re.sub(searched, lambda found: mask(found[0]), text)
    all_known = "\n".join(known).casefold()
    if all_known:
        text = _FRAGMENT.sub(lambda m: mask(m[0]) if m[0].casefold() in all_known else m[0], text)
    for start, end in reversed([*in_form(text)]):
        text = text[:start] + mask(text[start:end]) + text[end:]
    return text
