"""Rendering scripts from templates, with every interpolated value quoted for the shell.

``{{ name }}`` in a template becomes one quoted word, whatever it contains, and ``{{ names }}`` one
quoted word for each item. Text that the shell must interpret is marked where it is used, with the
reason: ``{{ text | raw("made by us") }}``.

Quoting makes words, so a value must be where a word may be: not inside quotes, a heredoc or a
comment. ``${#name}`` would start a Jinja comment; count in another way.
"""

from __future__ import annotations

import functools
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clustergen.base.digests import sha256

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, /, **values: Any) -> str:
    """The script rendered from ``template``, a path under ``templates/`` (``scripts/mount.sh.j2``).

    Raises jinja2.UndefinedError for a name without a value, TypeError for a value other than text,
    numbers and lists of them, ValueError for text with a NUL, which shells do not support.
    """
    return environment().get_template(template).render(values)


def content_key(name: str, text: str) -> str:
    """The key of an uploaded script; it depends on the text, so scripts are never overwritten."""
    return f"{sha256(text)[:16]}/{name}"


@functools.cache
def environment() -> Environment:
    """The Jinja environment of all scripts; Jinja is imported when the first script is rendered."""
    from clustergen.base import compiled_templates

    made = compiled_templates.environment(
        __file__, finalize=_words, keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["raw"] = _raw
    return made


@dataclass(frozen=True, slots=True)
class _Raw:
    """Text for the script, without quoting."""

    text: str


def _raw(value: object, why: str) -> _Raw:
    """Mark ``value`` as shell text; ``why`` explains to the reader why it must not be quoted."""
    if not why.strip():
        raise ValueError("raw needs the reason why the value is not quoted")
    return _Raw(str(value))


def _words(value: object) -> str:
    """A value as shell words: one, or one per item of a list."""
    if isinstance(value, _Raw):
        return value.text
    if isinstance(value, list | tuple):
        return " ".join(_word(item) for item in value)
    return _word(value)


def _word(value: object) -> str:
    from jinja2 import Undefined

    if isinstance(value, Undefined):
        str(value)  # raises an error with the undefined name
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(f"no shell word for {value!r}: give text or a number")
    text = str(value)
    if "\0" in text:
        raise ValueError(f"a shell word cannot hold a NUL: {text!r}")
    return shlex.quote(text)
