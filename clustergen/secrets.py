"""Masking of secrets that users write into a spec by mistake.

A finding quotes the invalid value and shows its source line, and CI logs contain its text. So
values of fields for secrets, and anything that looks like a key or token, are masked in source
lines (:func:`hidden`) and in messages (:func:`masked`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from clustergen.findings import Finding
from clustergen.patterns import pattern

MASK: Final = "***"

_NAME: Final = (
    r"[\w.-]*(?:(?:password|passwd|passphrase|storagepass|secret|credential|private[_-]?key"
    r"|api[_-]?key|access[_-]?key)s?\w*|token|ssh_key)"
)
_SECRET_NAME: Final = pattern(_NAME, re.IGNORECASE)
# A key for secrets whose value begins on the same line.
_FIELD: Final = pattern(
    rf"""(?<![\w.:-])(?:["']{_NAME}["']\s*:\s*|{_NAME}\s*(?::\s+|=\s*))(?=\S)""", re.IGNORECASE
)
_OPEN_FIELD: Final = pattern(rf"""[\s-]*["']?{_NAME}["']?\s*:\s*([|>][+-]?\d?)?\s*""", re.I)
_QUOTED: Final = pattern(r""""(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?""")
# Values that such a field may show: references to secrets, public keys, block indicators.
_PUBLIC: Final = pattern(
    r"""["']?(?:arn:[a-z-]+:[^\s"']*|(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-\S.*)?["']?|[|>][+-]?\d?"""
)

_PEM: Final = pattern(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_PEM_END: Final = pattern(r"-----END [A-Z ]*PRIVATE KEY-----")
_LOOKS_SECRET: Final = pattern(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:.*-----END [A-Z ]*PRIVATE KEY-----|.*)"
    r"|\bb3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]*"  # the body of an OpenSSH key
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}"
    r"|\bxox[abprs]-[\w-]{10,}|\bhf_[A-Za-z0-9]{20,}|\bsk-(?!ssh-|ecdsa-)[\w-]{20,}"
    r"|\beyJ[\w-]{10,}\.[\w-]+\.[\w-]*"
    # A secret access key: 40 characters with upper-case and lower-case letters and digits.
    r"|(?<![\w/+=.-])(?=[\w/+]*[a-z])(?=[\w/+]*[A-Z])(?=[\w/+]*\d)[A-Za-z0-9/+]{40}(?![\w/+=.-])"
    r"|(?<=://)[^\s/@:]+:[^\s/@]+(?=@)",
    re.DOTALL,
)
# Most texts hold none of what the patterns above look for; to tell that is many times as fast.
_NAME_WORDS: Final = ("pass", "secret", "credential", "key", "token")
_MAY_BE_KEY: Final = pattern(
    r"PRIVATE KEY|b3BlbnNzaC1rZXktdjE|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|hf_|sk-|eyJ|@"
    r"|\S{40}"  # a secret access key
)
_END_OF_ENTRY: Final = pattern(r"[,}\]]")
_SHOWN: Final = pattern(r"[^\s\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def hidden(lines: Iterable[str]) -> Iterator[str]:
    """``lines`` of YAML, or ``--set`` arguments, with masked secrets; columns do not change."""
    within: int | None = None  # the indentation of the key whose value continues below it
    pem = False
    for line in lines:
        indentation = len(line) - len(line.lstrip())
        if within is not None and line.strip() and indentation <= within:
            within = None
        if pem or (within is not None and not _PUBLIC.fullmatch(line.strip())):
            shown = _stars(line)
        else:
            shown = _hidden(line)
        if pem or "PRIVATE KEY" in line:
            pem = (pem or bool(_PEM.search(line))) and not _PEM_END.search(line)
        if _may_name(line) and _OPEN_FIELD.fullmatch(line):
            within = indentation
        yield shown


def _hidden(line: str) -> str:
    start = 0
    while _may_name(line) and (field := _FIELD.search(line, start)):
        end = _end_of_value(line, field.end())
        value = line[field.end() : end]
        if not _PUBLIC.fullmatch(value.strip()):
            line = line[: field.end()] + _stars(value) + line[end:]
            start = end
        else:
            start = field.end()
    return without_keys(line, lambda match: _stars(match[0]))


def may_hold(text: str) -> bool:
    """Whether ``text`` may hold a secret; most specs do not."""
    return _may_name(text) or _may_be_key(text)


def _may_name(text: str) -> bool:
    """Whether ``text`` may hold the name of a field for secrets."""
    text = text.casefold()
    return any(word in text for word in _NAME_WORDS)


def without_keys(text: str, mask: str | Callable[[re.Match[str]], str] = MASK) -> str:
    """``text`` with what looks like a key or a token replaced."""
    return _LOOKS_SECRET.sub(mask, text) if _may_be_key(text) else text


def _may_be_key(text: str) -> bool:
    """Whether ``text`` may hold a key or a token."""
    return bool(_MAY_BE_KEY.search(text))


def _end_of_value(line: str, start: int) -> int:
    """The end of the value at ``start``; in a flow mapping, at most the start of the next entry."""
    if line[start] in "{[":
        return len(line)
    if quoted := _QUOTED.match(line, start):
        return quoted.end()
    if "{" not in line[:start]:
        return len(line)
    end = _END_OF_ENTRY.search(line, start)
    return end.start() if end else len(line)


def _stars(text: str) -> str:
    """The same number of stars; invisible characters are kept, for the rule that rejects them."""
    return _SHOWN.sub("*", text)


def values(data: Any, *, inside: bool = False) -> Iterator[str]:
    """The secrets in the data of a spec: values of fields for secrets."""
    if isinstance(data, dict):
        for key, value in data.items():
            if inside:
                yield str(key)
            yield from values(value, inside=inside or _is_secret(str(key)))
    elif isinstance(data, list):
        for item in data:
            yield from values(item, inside=inside)
    elif inside and data is not None and not isinstance(data, bool):
        text = getattr(data, "text", str(data))
        if not _PUBLIC.fullmatch(text.strip()):
            yield text


def _is_secret(name: str) -> bool:
    return _may_name(name) and bool(_SECRET_NAME.fullmatch(name))


def masked(finding: Finding, secrets: frozenset[str]) -> Finding:
    """The finding with ``secrets``, and text that looks like one, masked.

    A finding whose help would show a secret has no fix, which would show it, too.
    """
    help, message = _without(finding.help, secrets), _without(finding.message, secrets)
    path = tuple(_without(s, secrets) if isinstance(s, str) else s for s in finding.path)
    if (help, message, path) == (finding.help, finding.message, finding.path):
        return finding
    fix = finding.fix if help == finding.help else None
    return replace(finding, message=message, help=help, path=path, fix=fix)


@functools.lru_cache(maxsize=1024)
def _without(text: str, secrets: frozenset[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        for written in (repr(secret), repr(secret)[1:-1], secret.strip()):
            if written in text and len(written) > 1:
                text = text.replace(written, MASK)
    return without_keys(text, MASK)
