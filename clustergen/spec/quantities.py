"""Parsing and formatting of sizes and durations with units.

Arithmetic is exact. ``4.8TiB`` is 4915.2GiB, not a whole number of GiB, so it is rejected rather
than rounded; for FSx it means 4800GiB, which the message suggests.
"""

import re
from fractions import Fraction
from math import ceil, floor
from typing import Final

from clustergen.base.patterns import pattern
from clustergen.base.text_lists import words

GIB_PER: Final = {"GiB": 1, "TiB": 1024, "PiB": 1024 * 1024}
SECONDS_PER: Final = {"d": 86400, "h": 3600, "m": 60, "s": 1}

_SIZE = pattern(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)(GiB|TiB|PiB)", re.ASCII)
_DURATION = pattern(
    r"(?=[0-9])(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?"
)
# The form of Slurm's time limits: https://slurm.schedmd.com/sbatch.html#OPT_time
_CLOCK = pattern(r"(?:([0-9]{1,6})-)?([0-9]{1,6}):([0-5][0-9]):([0-5][0-9])")
_TWO_PART_CLOCK = pattern(r"([0-9]{1,6}):([0-5][0-9])")
_NUMBER_AND_UNIT = pattern(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([A-Za-z]*)", re.ASCII)

_SIZE_WORDS: Final = {
    **dict.fromkeys(("g", "gi", "gib"), "GiB"),
    **dict.fromkeys(("t", "ti", "tib"), "TiB"),
    **dict.fromkeys(("p", "pi", "pib"), "PiB"),
}
_NUMBERS: Final = words("zero one two three four five six seven eight nine ten eleven twelve")
_DECIMAL_BYTES: Final = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "pb": 10**15}
_TIME_WORDS: Final = {
    **dict.fromkeys(("d", "day", "days"), "d"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), "m"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
}


class QuantityError(ValueError):
    """An invalid quantity, and what to write instead, if that is known."""

    def __init__(
        self, message: str, help: str, write: str | None = None, *, is_safe: bool = True
    ) -> None:
        self.message, self.help, self.write, self.is_safe = message, help, write, is_safe
        super().__init__(message)


def parse_size(text: str) -> int:
    """``500GiB``, ``1.5TiB`` in whole GiB (1 TiB = 1024 GiB).

    Raises :class:`QuantityError` for anything else: no unit, a decimal unit, a part of a GiB.
    """
    match = _SIZE.fullmatch(text)
    if not match:
        raise _size_error(text)
    size = Fraction(match[1]) * GIB_PER[match[2]]
    if size.denominator != 1:
        raise _part_of_a_gib(text, match[1], match[2], size)
    return int(size)


def parse_duration(text: str) -> int:
    """``7d``, ``1d12h``, ``90m``, ``30s``, ``24:00:00`` or ``7-00:00:00`` in seconds.

    Raises :class:`QuantityError` for anything else.
    """
    if match := _DURATION.fullmatch(text):
        return sum(
            int(count or 0) * seconds
            for count, seconds in zip(match.groups(), SECONDS_PER.values(), strict=True)
        )
    if match := _CLOCK.fullmatch(text):
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        if match[1] is None or hours < 24:
            return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    raise _duration_error(text)


def number_in(text: str) -> int | None:
    """The number that a text names or begins with."""
    if text.lower() in _NUMBERS:
        return _NUMBERS.index(text.lower())
    digits = re.match(r"[0-9]{1,18}(?![0-9])", text.upper().replace("O", "0").replace("I", "1"))
    return int(digits[0]) if digits else None


def format_duration(seconds: int) -> str:
    """``seconds`` as :func:`parse_duration` reads it: ``1d12h``."""
    parts = []
    for unit, length in SECONDS_PER.items():
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def format_slurm_duration(seconds: int) -> str:
    """``seconds`` in Slurm's form, ``7-00:00:00``."""
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{days}-{hours:02}:{minutes:02}:{seconds:02}"


def _part_of_a_gib(text: str, number: str, unit: str, size: Fraction) -> QuantityError:
    """The whole sizes next to ``size``, and its value if a TiB is 1000 GiB.

    FSx for Lustre has increments of 1,200 and 2,400 GiB, which its console calls 1.2 and 2.4 TiB:
    https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html
    """
    message = f"{text} is not a whole number of GiB"
    exact = f"{floor(size)}GiB or {ceil(size)}GiB"
    loose = Fraction(number) * 1000
    if unit != "TiB" or loose.denominator != 1:
        return QuantityError(message, f"write {exact}", f"{ceil(size)}GiB", is_safe=False)
    help = f"write {loose}GiB, which FSx calls {number} TiB, or {exact}"
    return QuantityError(message, help, f"{loose}GiB", is_safe=False)


def _size_error(text: str) -> QuantityError:
    match = _NUMBER_AND_UNIT.fullmatch(text.strip())
    if not match:
        return QuantityError(f"{text!r} is not a size", "write it as 500GiB or 2TiB")
    number, unit = match[1], match[2].lower()
    if not unit:
        help = f"{number}GiB or {number}TiB?"
        return QuantityError(f"{text} has no unit", help, f"{number}GiB", is_safe=False)
    if unit in _SIZE_WORDS:
        meant = f"{number}{_SIZE_WORDS[unit]}"
        return QuantityError(f"{text!r} is not a size", f"write {meant}", meant)
    if unit in _DECIMAL_BYTES:
        gib = Fraction(number) * _DECIMAL_BYTES[unit] / 2**30
        meant = f"{number}{match[2][0].upper()}iB"
        exact = f"{text} is about {max(1, round(gib))}GiB"
        message = f"{match[2]} counts in powers of ten; sizes here are GiB or TiB"
        if unit[0] not in "gtp":
            return QuantityError(message, exact)
        help = f"write {meant} if that is meant; {exact}"
        if unit == "tb" and (whole := Fraction(number) * 1000).denominator == 1:
            help += f". FSx calls {int(whole)}GiB {text}"
        return QuantityError(message, help, meant, is_safe=False)
    return QuantityError(f"{match[2]} is not a unit of size", "write it as 500GiB or 2TiB")


def _duration_error(text: str) -> QuantityError:
    if match := _TWO_PART_CLOCK.fullmatch(text):
        return QuantityError(
            f"{text} can be hours or minutes",
            f"write {match[1]}:{match[2]}:00 for hours, {match[1]}m{int(match[2])}s for minutes",
        )
    match = _NUMBER_AND_UNIT.fullmatch(text.strip())
    unit = match[2].lower() if match else ""
    if match and not unit:
        number = match[1]
        meant = f"{number}s, {number}m, {number}h or {number}d?"
        return QuantityError(f"{text} has no unit", meant)
    if match and unit in _TIME_WORDS:
        seconds = round(Fraction(match[1]) * SECONDS_PER[_TIME_WORDS[unit]])
        meant = format_duration(seconds)
        return QuantityError(f"{text!r} is not a duration", f"write {meant}", meant)
    return QuantityError(f"{text!r} is not a duration", "write it as 7d, 1d12h, 90m or 24:00:00")
