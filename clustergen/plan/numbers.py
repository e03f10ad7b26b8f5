"""Numbers of a node group's nodes, which count from 1: ``1-8,12``."""

from collections.abc import Iterable


def ranges(text: str) -> tuple[range, ...]:
    """The parts of numbers that the language allows, each number once, in ascending order."""
    return merged(map(_range, text.split(",")))


def merged(parts: Iterable[range]) -> tuple[range, ...]:
    """Parts that touch as one, in ascending order."""
    found: list[range] = []
    for part in sorted(parts, key=lambda part: part.start):
        if found and part.start <= found[-1].stop:
            found[-1] = range(found[-1].start, max(part.stop, found[-1].stop))
        else:
            found.append(part)
    return tuple(found)


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def text(parts: Iterable[range]) -> str:
    """The numbers as the language and Slurm write them."""
    return ",".join(
        f"{part.start}-{part.stop - 1}" if len(part) > 1 else str(part.start) for part in parts
    )
