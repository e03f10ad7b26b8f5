"""The meaning of unquoted words in a spec.

YAML 1.1 turns ``NO`` into false, ``24:00:00`` into 86400 and ``012`` into ten. Here a word is a
constant of the YAML 1.2 core schema, a number in plain digits, or the text that the user typed.
https://yaml.org/spec/1.2.2/#103-core-schema
"""

import math
from typing import Self, TypeAlias

from clustergen.base.patterns import pattern

_CONSTANTS: dict[str, bool | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# No leading zero and no plus sign, so that str() of the number is the original text. With more
# digits than a 64-bit number, it is an identifier, not a number.
_INTEGER = pattern(r"0|-?[1-9][0-9]{0,17}")
_FLOAT = pattern(r"-?(0|[1-9][0-9]*)\.[0-9]+")


class Float(float):
    """A number that keeps its text: ``str(Float("1.30"))`` is ``1.30``.

    Text fields (``version: 25.11``) use ``str(value)``, which is the original text.
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        self = super().__new__(cls, text)
        self.text = text
        return self

    def __str__(self) -> str:
        return self.text

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]
        return (self.text,)


Scalar: TypeAlias = str | int | Float | bool | None


def resolve(word: str) -> Scalar:
    """The value of an unquoted ``word``."""
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if word[0] not in "-0123456789":
        return word
    if _INTEGER.fullmatch(word):
        return int(word)
    if _FLOAT.fullmatch(word) and math.isfinite(float(word)):
        return Float(word)
    return word
