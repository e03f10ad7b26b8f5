"""Sizes and durations: text, and the number or the advice that it gives."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustergen.spec.quantities import (
    GIB_PER,
    SECONDS_PER,
    QuantityError,
    format_duration,
    format_slurm_duration,
    parse_duration,
    parse_size,
)
from tests.support.tables import flow

SIZES = flow("""
{500GiB: 500, 0GiB: 0, 1TiB: 1024, 1.5TiB: 1536, 37.5TiB: 38400, 2.0GiB: 2, 1PiB: 1048576}
""")
TEN = "counts in powers of ten; sizes here are GiB or TiB"
REFUSED_SIZES = [
    ("500", "500 has no unit", "500GiB or 500TiB?"),
    ("1.5", "1.5 has no unit", "1.5GiB or 1.5TiB?"),
    (
        "4.8TiB",
        "4.8TiB is not a whole number of GiB",
        "write 4800GiB, which FSx calls 4.8 TiB, or 4915GiB or 4916GiB",
    ),
    ("0.5GiB", "0.5GiB is not a whole number of GiB", "write 0GiB or 1GiB"),
    ("500GB", f"GB {TEN}", "write 500GiB if that is meant; 500GB is about 466GiB"),
    (
        "2tb",
        f"tb {TEN}",
        "write 2TiB if that is meant; 2tb is about 1863GiB. FSx calls 2000GiB 2tb",
    ),
    ("2048MB", f"MB {TEN}", "2048MB is about 2GiB"),
    ("500 GiB", "'500 GiB' is not a size", "write 500GiB"),
    ("500Gi", "'500Gi' is not a size", "write 500GiB"),
    ("500gib", "'500gib' is not a size", "write 500GiB"),
    ("500MiB", "MiB is not a unit of size", "write it as 500GiB or 2TiB"),
    ("-5GiB", "'-5GiB' is not a size", "write it as 500GiB or 2TiB"),
    ("1,000GiB", "'1,000GiB' is not a size", "write it as 500GiB or 2TiB"),
    ("", "'' is not a size", "write it as 500GiB or 2TiB"),
    ("٥GiB", "'٥GiB' is not a size", "write it as 500GiB or 2TiB"),
]
DURATIONS = flow("""
{7d: 604800, 12h: 43200, 90m: 5400, 30s: 30, 1d12h: 129600, 1h30m15s: 5415, 7-00:00:00: 604800,
  '24:00:00': 86400, '100:30:15': 361815, 0s: 0}
""")
REFUSED_DURATIONS = [
    ("10", "10 has no unit", "10s, 10m, 10h or 10d?"),
    ("1.5h", "'1.5h' is not a duration", "write 1h30m"),
    ("7 days", "'7 days' is not a duration", "write 7d"),
    ("7D", "'7D' is not a duration", "write 7d"),
    ("24:00", "24:00 can be hours or minutes", "write 24:00:00 for hours, 24m0s for minutes"),
    ("12h1d", "'12h1d' is not a duration", "write it as 7d, 1d12h, 90m or 24:00:00"),
    ("7-24:00:00", "'7-24:00:00' is not a duration", "write it as 7d, 1d12h, 90m or 24:00:00"),
    ("24:60:00", "'24:60:00' is not a duration", "write it as 7d, 1d12h, 90m or 24:00:00"),
    ("infinite", "'infinite' is not a duration", "write it as 7d, 1d12h, 90m or 24:00:00"),
    ("2w", "'2w' is not a duration", "write it as 7d, 1d12h, 90m or 24:00:00"),
    ("", "'' is not a duration", "write it as 7d, 1d12h, 90m or 24:00:00"),
]


@pytest.mark.parametrize(("text", "gib"), SIZES.items())
def test_size(text: str, gib: int) -> None:
    assert parse_size(text) == gib


@pytest.mark.parametrize(("text", "message", "help"), REFUSED_SIZES)
def test_invalid_size(text: str, message: str, help: str) -> None:
    with pytest.raises(QuantityError) as raised:
        parse_size(text)
    assert (raised.value.message, raised.value.help) == (message, help)


@pytest.mark.parametrize(("text", "seconds"), DURATIONS.items())
def test_duration(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(("text", "message", "help"), REFUSED_DURATIONS)
def test_invalid_duration(text: str, message: str, help: str) -> None:
    with pytest.raises(QuantityError) as raised:
        parse_duration(text)
    assert (raised.value.message, raised.value.help) == (message, help)


@pytest.mark.parametrize(
    ("seconds", "short", "slurm"),
    [
        (0, "0s", "0-00:00:00"),
        (5400, "1h30m", "0-01:30:00"),
        (604800, "7d", "7-00:00:00"),
        (129601, "1d12h1s", "1-12:00:01"),
    ],
)
def test_formats_of_a_duration(seconds: int, short: str, slurm: str) -> None:
    assert format_duration(seconds) == short
    assert format_slurm_duration(seconds) == slurm


@given(st.integers(0, 10**9))
def test_any_size_is_read(gib: int) -> None:
    assert parse_size(f"{gib}GiB") == gib


@given(st.integers(0, 10**9))
def test_a_duration_survives_formatting(seconds: int) -> None:
    assert parse_duration(format_duration(seconds)) == seconds
    assert parse_duration(format_slurm_duration(seconds)) == seconds


@given(st.decimals(0, 9999, places=3), st.sampled_from(sorted(GIB_PER)))
def test_sizes_are_exact_or_rejected(number: object, unit: str) -> None:
    size = Fraction(str(number)) * GIB_PER[unit]
    if size.denominator == 1:
        assert parse_size(f"{number}{unit}") == size
    else:
        with pytest.raises(QuantityError, match="whole number"):
            parse_size(f"{number}{unit}")


@given(st.lists(st.tuples(st.integers(0, 999), st.sampled_from(list(SECONDS_PER))), max_size=3))
def test_units_of_time_come_once_and_in_order(parts: list[tuple[int, str]]) -> None:
    text = "".join(f"{count}{unit}" for count, unit in parts)
    units = [unit for _, unit in parts]
    if units and units == [unit for unit in SECONDS_PER if unit in units]:
        assert parse_duration(text) == sum(count * SECONDS_PER[unit] for count, unit in parts)
    else:
        with pytest.raises(QuantityError):
            parse_duration(text)


@given(st.text(max_size=30) | st.from_regex(r"[0-9.:dhms -]{0,12}(GiB|TB)?", fullmatch=True))
def test_any_text_is_a_number_or_an_error(text: str) -> None:
    for parse in (parse_size, parse_duration):
        assert outcome(parse, text)


def outcome(parse: Callable[[str], int], text: str) -> bool:
    """Is it a number, or an error with its help?"""
    try:
        return parse(text) >= 0
    except QuantityError as error:
        return bool(error.message and error.help)
