"""Selecting instance types with an expression such as ``efa and accelerator=H200 and vcpus>=96``.

::

    expression = all {"or" all}
    all        = one {"and" one}
    one        = {"not"} ( "(" expression ")" | field [sign value] )
    sign       = "=" | "!=" | "<" | "<=" | ">" | ">="

A field without a comparison is a flag (``efa``, ``spot``). Words may contain ``*``; numbers may
have a unit (``memory>=2TiB``).
"""

import difflib
import fnmatch
import functools
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from clustergen.base.patterns import pattern
from clustergen.facts.catalog.instance import InstanceType
from clustergen.facts.catalog.lookup import every

Test = Callable[[InstanceType], bool]


class SelectionError(ValueError):
    """An invalid expression: the reason, and the position (in characters, from 0)."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


def select(expression: str) -> list[InstanceType]:
    """The instance types that match ``expression``, by name.

    :raises SelectionError: if the expression is invalid, or compares with a value that no type has.
    """
    test = _Parser(_tokens(expression), len(expression)).whole()
    return [instance for instance in _all() if test(instance)]


@dataclass(frozen=True, slots=True)
class Flag:
    """A field that is true or false."""

    read: Test


@dataclass(frozen=True, slots=True)
class Number:
    """A field that is compared by size; None matches no comparison."""

    read: Callable[[InstanceType], float | None]
    units: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Text:
    """A field of one or more words, one of which must match."""

    read: Callable[[InstanceType], tuple[str, ...]]


_GIB = {"mib": 1 / 1024, "gib": 1.0, "tib": 1024.0}

FIELDS: Mapping[str, Flag | Number | Text] = {
    "accelerator": Text(lambda i: (i.accelerator.name,) if i.accelerator else ()),
    "accelerator-kind": Text(lambda i: (i.accelerator.kind,) if i.accelerator else ()),
    "accelerator-memory": Number(
        lambda i: i.accelerator.memory_mib / 1024 if i.accelerator else None, _GIB
    ),
    "accelerators": Number(lambda i: i.accelerator.count if i.accelerator else 0),
    "arch": Text(lambda i: (i.arch,)),
    "bare-metal": Flag(lambda i: i.bare_metal),
    "burstable": Flag(lambda i: i.burstable),
    "capacity-block": Flag(lambda i: i.capacity_block),
    "cores": Number(lambda i: i.cores),
    "current-generation": Flag(lambda i: i.current_generation),
    "disk": Number(lambda i: i.disk_count * i.disk_gb, {"gb": 1.0, "tb": 1000.0}),
    "efa": Flag(lambda i: i.efa),
    "efa-generation": Text(lambda i: (i.efa_generation,) if i.efa_generation else ()),
    "family": Text(lambda i: (i.family,)),
    "gpus": Number(lambda i: i.gpus),
    "hyperpod": Flag(lambda i: i.hyperpod is not None),
    "max-efa": Number(lambda i: i.max_efa),
    "memory": Number(lambda i: i.memory_gib, _GIB),
    "name": Text(lambda i: (i.name,)),
    "network": Number(lambda i: i.network_gbps, {"gbps": 1.0, "tbps": 1000.0}),
    "network-cards": Number(lambda i: len(i.cards)),
    "neuron-devices": Number(lambda i: i.neuron_devices),
    "nitro": Number(lambda i: i.nitro),
    "on-demand": Flag(lambda i: "on-demand" in i.usage_classes),
    "placement": Text(lambda i: i.placement),
    "price": Number(lambda i: i.price_usd_hour),
    "region": Text(lambda i: i.regions),
    "spot": Flag(lambda i: i.spot),
    "training-plan": Flag(lambda i: i.training_plan),
    "ultraserver": Flag(lambda i: i.ultraserver is not None),
    "vcpus": Number(lambda i: i.vcpus),
    "zone": Text(lambda i: i.zone_ids),
}

_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_DEEPEST = 20
"""Maximum nesting of parentheses, to protect the stack."""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    at: int
    quoted: bool = False

    def is_(self, *texts: str) -> bool:
        return not self.quoted and self.text.lower() in texts


_TOKEN = pattern(
    r"\s*(?:(?P<sign>==|!=|<=|>=|[=<>()])|\"(?P<quoted>[^\"]*)\"|(?P<word>[^\s=<>()!\"]+))"
)


def _tokens(expression: str) -> tuple[_Token, ...]:
    found: list[_Token] = []
    at = 0
    end = len(expression.rstrip())
    while at < end:
        match = _TOKEN.match(expression, at)
        kind = match.lastgroup if match else None
        if match is None or kind is None:
            rest = expression[at:].lstrip()
            raise SelectionError("this cannot be read here", len(expression) - len(rest))
        text = "=" if kind == "sign" and match[kind] == "==" else match[kind]
        found.append(_Token(text, match.start(kind), kind == "quoted"))
        at = match.end()
    return tuple(found)


class _Parser:
    """Recursive descent parser for the tokens of one expression."""

    def __init__(self, tokens: tuple[_Token, ...], length: int) -> None:
        self._tokens = tokens
        self._length = length
        self._next = 0
        self._depth = 0

    def whole(self) -> Test:
        if not self._tokens:
            raise SelectionError("the filter is empty; write for example efa and vcpus>=96", 0)
        test = self._any()
        left = self._peek()
        if left is not None:
            raise SelectionError(f"expected and, or, or the end before {left.text!r}", left.at)
        return test

    def _any(self) -> Test:
        tests = [self._every()]
        while self._took("or"):
            tests.append(self._every())
        return tests[0] if len(tests) == 1 else lambda i: any(test(i) for test in tests)

    def _every(self) -> Test:
        tests = [self._one()]
        while self._took("and"):
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda i: all(test(i) for test in tests)

    def _one(self) -> Test:
        wanted = True
        while self._took("not"):
            wanted = not wanted
        test = self._group() if self._took("(") else self._comparison()
        return test if wanted else lambda i: not test(i)

    def _group(self) -> Test:
        opened = self._tokens[self._next - 1].at
        self._depth += 1
        if self._depth > _DEEPEST:
            raise SelectionError(f"more than {_DEEPEST} parentheses in each other", opened)
        test = self._any()
        if not self._took(")"):
            raise SelectionError("this parenthesis is not closed", opened)
        self._depth -= 1
        return test

    def _comparison(self) -> Test:
        name = self._take("a field")
        known = _field(name)
        sign = self._peek()
        if sign is None or not sign.is_(*_COMPARE):
            return _question(name, known)
        self._next += 1
        return _compared(name, known, sign, self._take("a value"))

    def _peek(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _took(self, text: str) -> bool:
        token = self._peek()
        if token is None or not token.is_(text):
            return False
        self._next += 1
        return True

    def _take(self, what: str) -> _Token:
        token = self._peek()
        if token is None:
            raise SelectionError(f"{what} is missing at the end", self._length)
        if token.is_("and", "or", "not", "(", ")", *_COMPARE):
            raise SelectionError(f"expected {what} before {token.text!r}", token.at)
        self._next += 1
        return token


def _field(token: _Token) -> Flag | Number | Text:
    name = token.text.lower().replace("_", "-")
    if name not in FIELDS:
        raise SelectionError(
            f"{token.text!r} is not a field{_hint(name, FIELDS)}; fields: {', '.join(FIELDS)}",
            token.at,
        )
    return FIELDS[name]


def _question(token: _Token, known: Flag | Number | Text) -> Test:
    if isinstance(known, Flag):
        return known.read
    sign = ">=" if isinstance(known, Number) else "="
    raise SelectionError(f"{token.text} needs a value: {token.text}{sign}...", token.at)


def _compared(name: _Token, known: Flag | Number | Text, sign: _Token, value: _Token) -> Test:
    if isinstance(known, Number):
        return _sized(known, sign, value)
    if not sign.is_("=", "!="):
        raise SelectionError(f"{name.text} has no order: use = or !=", sign.at)
    test = _worded(name, known, value) if isinstance(known, Text) else _flagged(known, value)
    return test if sign.is_("=") else lambda i: not test(i)


def _sized(known: Number, sign: _Token, value: _Token) -> Test:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([a-z]*)", value.text.lower())
    if match is None or (match[2] and match[2] not in known.units):
        units = f", with or without {', '.join(known.units)}" if known.units else ""
        raise SelectionError(f"{value.text!r} is not a number{units}", value.at)
    limit = float(match[1]) * known.units.get(match[2], 1.0)
    compare = _COMPARE[sign.text]

    def test(instance: InstanceType) -> bool:
        number = known.read(instance)
        return number is not None and compare(number, limit)

    return test


def _worded(name: _Token, known: Text, value: _Token) -> Test:
    # Unlike in fnmatch, "[" has no special meaning.
    pattern = value.text.lower().replace("[", "[[]")

    def test(instance: InstanceType) -> bool:
        return any(fnmatch.fnmatchcase(word.lower(), pattern) for word in known.read(instance))

    # A value that no type has is a typo, not a request for an empty list.
    if not any(test(instance) for instance in _all()):
        words = {word for instance in _all() for word in known.read(instance)}
        hint = _hint(value.text, {word.lower(): word for word in sorted(words)})
        raise SelectionError(f"no instance type has {name.text}={value.text}{hint}", value.at)
    return test


def _flagged(known: Flag, value: _Token) -> Test:
    if not value.is_("true", "false"):
        raise SelectionError("this field is either true or false", value.at)
    wanted = value.is_("true")
    return lambda i: known.read(i) is wanted


def _hint(word: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(word.lower()[:40], known, n=1, cutoff=0.6)
    if not close:
        return ""
    found = known[close[0]]
    return f"; did you mean {found if isinstance(found, str) else close[0]}?"


@functools.cache
def _all() -> tuple[InstanceType, ...]:
    return tuple(every())
