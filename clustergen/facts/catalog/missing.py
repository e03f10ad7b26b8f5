"""Reasons why the catalog lacks an instance type, and the name that was probably meant."""

import difflib
import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from clustergen.base.patterns import pattern
from clustergen.facts.catalog import ultraservers
from clustergen.facts.catalog.lookup import DATA, every, find, names


class Missing(NamedTuple):
    """Two sentences for the user, and the suggested name, if any."""

    reason: str
    suggestion: str
    nearest: str | None = None


FORM = pattern(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")
_DESCRIBE = "describe it in a file of [catalog] in clustergen.toml"
_LONGEST = 40
"""Longer names are not compared: no instance type name is nearly as long."""
_SHOWN = 6


# A spec is planned for each of its targets, with the same names.
@functools.lru_cache(maxsize=32)
def explain_missing(name: str) -> Missing:
    """Why :func:`find` does not find ``name``, and what to write instead. Never raises."""
    plain = name.strip().lower()
    if find(plain):
        return _suggestion(
            f"instance type names are lower case and without spaces: {name!r}", plain
        )
    server = ultraservers.find(plain) or _other_ultraserver(plain)
    if server:
        return _ultraserver(plain, server)
    if plain.startswith("ml."):
        return _sagemaker(plain)
    # Families that users request but cannot launch.
    for gone in json.loads((DATA / "unavailable.json").read_text(encoding="ascii"))["families"]:
        if re.fullmatch(gone["pattern"], plain):
            return Missing(f"{plain}: {gone['reason']}", gone["instead"], gone.get("nearest"))
    return _by_family(plain) or _by_accelerator(plain) or _by_letters(name, plain)


def _suggestion(reason: str, nearest: str) -> Missing:
    return Missing(reason, f"did you mean {nearest}?", nearest)


def _other_ultraserver(plain: str) -> ultraservers.UltraServer | None:
    like = re.fullmatch(r"(ml\.)?u-p6e-gb200(x\d{1,4})?", plain)
    return ultraservers.ULTRASERVERS[1] if like else None


def _ultraserver(plain: str, server: ultraservers.UltraServer) -> Missing:
    known = ultraservers.containing(server.instance_type)
    counts = " or ".join(f"{s.instances} ({s.name})" for s in known)
    return Missing(
        f"{plain} is an UltraServer, not an instance type",
        f"use {server.instance_type} with a count of {counts}",
        server.instance_type,
    )


def _sagemaker(plain: str) -> Missing:
    bare = plain.removeprefix("ml.")
    if find(bare):
        return _suggestion("a spec names EC2 instance types: without SageMaker's ml.", bare)
    return explain_missing(bare)


def _by_family(plain: str) -> Missing | None:
    """The sizes of the family that ``plain`` names."""
    sizes = _sizes(plain)
    if not sizes:
        return None
    family, _, size = plain.partition(".")
    nearest = _nearest_size(size, sizes)
    listed = ", ".join(f"{family}.{one}" for one in sizes)
    described = find(f"{family}.{sizes[0]}")
    if size and described and described.own:
        return Missing(f"{plain} is not described; {listed} is", f"if EC2 has it, {_DESCRIBE}")
    reason = f"{family} has no size {size}" if size else f"{plain} is a family, not a type"
    if nearest is None:
        return Missing(reason, f"it has {listed}")
    found = f"{family}.{nearest}"
    help = f"did you mean {found}?" + (f" The family has {listed}" if len(sizes) > 1 else "")
    return Missing(reason, help, found)


def _sizes(plain: str) -> tuple[str, ...]:
    start = plain.partition(".")[0] + "."
    found = (name.removeprefix(start) for name in names() if name.startswith(start))
    return tuple(sorted(found, key=_order))


def _order(size: str) -> tuple[int, int, str]:
    """Sort key: small before large, bare metal last."""
    number = re.match(r"\d+", size)
    small = ("nano", "micro", "small", "medium", "large", "xlarge")
    rank = small.index(size) if size in small else len(small)
    return (
        len(small) + 1 if size.startswith("metal") else rank,
        int(number[0] if number else 0),
        size,
    )


def _nearest_size(size: str, sizes: tuple[str, ...]) -> str | None:
    if len(sizes) == 1:
        return sizes[0]
    written = re.fullmatch(r"(\d{1,3})(x|xl|xlarg|xlarge)?", size)
    if written:
        return _next_size(int(written[1]), sizes)
    return _closest(size, sizes)


def _next_size(number: int, sizes: tuple[str, ...]) -> str | None:
    """The smallest ``<n>xlarge`` with room for ``number``, or else the largest."""
    counted = [size for size in sizes if re.fullmatch(r"\d+xlarge", size)]
    enough = [size for size in counted if int(size.removesuffix("xlarge")) >= number]
    return (enough or counted[-1:])[0] if counted else None


def _by_accelerator(plain: str) -> Missing | None:
    """The types with the accelerator that is named, largest number first."""
    having = _accelerators().get(plain)
    if not having:
        return None
    listed = ", ".join(having[:_SHOWN])
    return Missing(f"{plain} is an accelerator, not an instance type", f"use {listed}", having[0])


@functools.cache
def _accelerators() -> Mapping[str, Sequence[str]]:
    """The types with each accelerator, by its name; largest number first."""
    counted: dict[str, list[tuple[int, str]]] = {}
    for type in every():
        if type.accelerator:
            entry = (-type.accelerator.count, type.name)
            counted.setdefault(type.accelerator.name.lower(), []).append(entry)
    return {name: [type for _, type in sorted(types)] for name, types in counted.items()}


def _by_letters(name: str, plain: str) -> Missing:
    if not FORM.fullmatch(plain):
        reason = f"{name[:_LONGEST]!r} does not have the form of an instance type"
        if meant := _by_characters().get(_characters(plain)):
            return _suggestion(reason, meant)
        return Missing(reason, "write family and size, for example p5.48xlarge")
    reason = f"there is no instance type {plain[:_LONGEST]}"
    family, _, size = plain.partition(".")
    near = _closest(family, tuple(dict.fromkeys(n.partition(".")[0] for n in names())))
    if near is None or len(plain) > _LONGEST:
        return Missing(reason, f"if EC2 has it, {_DESCRIBE}")
    sizes = _sizes(f"{near}.")
    nearest = size if size in sizes else _nearest_size(size, sizes) or sizes[0]
    meant = f"{near}.{nearest}"
    return Missing(reason, f"did you mean {meant}? If EC2 has yours, {_DESCRIBE}", meant)


@functools.cache
def _by_characters() -> Mapping[str, str]:
    """The names by their letters and digits, for names without the dot."""
    return {_characters(name): name for name in names()}


def _characters(name: str) -> str:
    return "".join(filter(str.isalnum, name))


def _closest(word: str, known: tuple[str, ...]) -> str | None:
    if len(word) > _LONGEST:
        return None
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return close[0] if close else None
