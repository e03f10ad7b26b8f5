"""Scripts from templates, with every interpolated value quoted for the shell.

A value is text that the shell must never read: ``{{ name }}`` in a template becomes one quoted
word, whatever the name holds, and ``{{ names }}`` one quoted word for each item. What the shell is
meant to read is marked where it is used, with the reason: ``{{ text | raw("made by us") }}``.

Quoting makes words, so a value stands where a word may stand: not inside quotes, a heredoc or a
comment. ``${#name}`` starts a comment of Jinja; count in another way.
"""

from __future__ import annotations

import functools
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clustergen.digests import sha256
from clustergen.resources import tree

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, /, **values: Any) -> str:
    """The script made from ``template``, a path under ``templates/`` (``pcs/mount.sh.j2``).

    Raises jinja2.UndefinedError for a name without a value, TypeError for a value that is neither
    text, a number nor a list of them, ValueError for text with a NUL, which no shell can hold.
    """
    return environment().get_template(template).render(values)


def content_key(name: str, text: str) -> str:
    """The key of an uploaded script: another text is another key, so none is ever overwritten."""
    return f"{sha256(text)[:16]}/{name}"


@functools.cache
def environment() -> Environment:
    """The Jinja environment of all scripts; its import is put off until a script is rendered."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from clustergen.compiled_templates import CompiledTemplates

    made = Environment(  # noqa: S701 these are scripts: values are quoted for the shell, not for HTML
        loader=FileSystemLoader(tree("templates"), encoding="utf-8"),
        undefined=StrictUndefined,
        finalize=_words,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=CompiledTemplates(makers=[__file__]),
    )
    made.filters["raw"] = _raw
    return made


def compile_templates(*folders: str) -> None:
    """Compile the templates in ``folders`` ahead of rendering."""
    made = environment()
    for name in made.list_templates():
        if name.partition("/")[0] in folders:
            made.get_template(name)


@dataclass(frozen=True, slots=True)
class _Raw:
    """Text that goes into the script as it is."""

    text: str


def _raw(value: object, why: str) -> _Raw:
    """Mark ``value`` as shell text; ``why`` explains to the reader why it must not be quoted."""
    if not why.strip():
        raise ValueError("raw needs the reason why the value is not quoted")
    return _Raw(str(value))


def _words(value: object) -> str:
    """A value as shell words: one, or one for each item of a list."""
    if isinstance(value, _Raw):
        return value.text
    if isinstance(value, list | tuple):
        return " ".join(_word(item) for item in value)
    return _word(value)


def _word(value: object) -> str:
    from jinja2 import Undefined

    if isinstance(value, Undefined):
        str(value)  # raises with the name that has no value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(f"no shell word for {value!r}: give text or a number")
    text = str(value)
    if "\0" in text:
        raise ValueError(f"a shell word cannot hold a NUL: {text!r}")
    return shlex.quote(text)
