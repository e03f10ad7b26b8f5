"""The picture of the floors in CONTRIBUTING.md, and the imports that it has to agree with."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_OUTSIDE = ("app", "stacks")
"""What stands beside the package in a checkout."""

Arrow = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Picture:
    """The boxes of each floor, the highest first, and the arrows."""

    floors: Mapping[str, tuple[str, ...]]
    arrows: frozenset[Arrow]


def drawn(markdown: str) -> Picture:
    """The flowchart of the section "Floors"."""
    section = markdown.partition("\n## Floors\n")[2].partition("\n## ")[0]
    chart = section.partition("```mermaid\n")[2].partition("```")[0]
    floors: dict[str, list[str]] = {}
    arrows: set[Arrow] = set()
    inside = ""
    for line in map(str.strip, chart.splitlines()[1:]):
        if match := re.fullmatch(r'subgraph (\w+)\["[^"]+"\]', line):
            inside = match[1]
            floors[inside] = []
        elif line == "end":
            inside = ""
        elif match := re.fullmatch(r"(\w+) --> (\w+(?: & \w+)*)", line):
            arrows.update((match[1], end) for end in match[2].split(" & "))
        elif inside and (match := re.fullmatch(r'(\w+)(?:\["[^"]+"\])?', line)):
            floors[inside].append(match[1])
        else:
            raise ValueError(f"not understood in the picture of the floors: {line!r}")
    return Picture({name: tuple(boxes) for name, boxes in floors.items()}, frozenset(arrows))


def imported() -> dict[str, set[Arrow]]:
    """Each box that there is, with the imports (importing module, imported box) that leave it."""
    paths = list((ROOT / "clustergen").rglob("*.py"))
    paths += [ROOT / "app.py", *(ROOT / "stacks").rglob("*.py")]
    found: dict[str, set[Arrow]] = {_box(path): set() for path in paths}
    for path in paths:
        box = _box(path)
        ends = {end for name in _names(path) if (end := _box_of(name, found)) not in ("", box)}
        found[box] |= {(path.relative_to(ROOT).as_posix(), end) for end in ends}
    return found


def _box(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] in _OUTSIDE:
        return parts[0]
    return "clustergen" if parts[1] == "__init__" else parts[1]


def _box_of(name: str, boxes: Mapping[str, object]) -> str:
    """The box that a dotted name lies in; "" for what is not ours."""
    first, _, rest = name.partition(".")
    if first in _OUTSIDE:
        return first
    second = rest.partition(".")[0]
    if first == "clustergen" and second:
        # The public names are attributes of the package; its parts take only the version.
        return second if second in boxes else "clustergen"
    return ""


def _names(path: Path) -> Iterator[str]:
    """What a module imports anywhere, and the modules whose names it holds as text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [alias.name for alias in node.names if alias.name != "__version__"]
            yield from (f"{node.module}.{name}" for name in names)
        elif isinstance(node, ast.Constant) and (
            isinstance(node.value, str) and _is_module(node.value)
        ):
            yield node.value.strip(".")


def _is_module(value: str) -> bool:
    """Whether text names a module, as importlib takes it: "clustergen.targets.pcs"."""
    if not re.fullmatch(r"clustergen(\.[a-z_]+)+\.?", value):
        return False
    module = ROOT.joinpath(*value.strip(".").split("."))
    return module.is_dir() or module.with_suffix(".py").is_file()


def disagreements(picture: Picture, imports: Mapping[str, set[Arrow]]) -> list[str]:
    """What is wrong with the picture or with the imports."""
    return [
        *_wrong_boxes(picture, imports),
        *_wrong_floors(picture),
        *_wrong_imports(picture, imports),
        *_unused(picture, imports),
        *_cycles({box: {end for _, end in ends} for box, ends in imports.items()}),
    ]


def _wrong_boxes(picture: Picture, imports: Mapping[str, object]) -> Iterator[str]:
    count = Counter(box for boxes in picture.floors.values() for box in boxes)
    yield from (f"{box} is not drawn" for box in sorted(imports.keys() - count.keys()))
    yield from (f"{box} is drawn and does not exist" for box in sorted(count.keys() - imports))
    yield from (f"{box} is drawn {times} times" for box, times in count.items() if times > 1)
    # Mermaid would draw them as one.
    both = sorted(count.keys() & picture.floors.keys())
    yield from (f"{name} is a box and a floor" for name in both)


def _wrong_floors(picture: Picture) -> Iterator[str]:
    """Floors are joined from top to bottom in the order in which they are drawn."""
    names = list(picture.floors)
    due = set(pairwise(names))
    found = {arrow for arrow in picture.arrows if set(arrow) & set(names)}
    yield from (f"no arrow from floor {a} to {b}" for a, b in sorted(due - found))
    yield from (f"floor {b} is not right below {a}" for a, b in sorted(found - due))


def _wrong_imports(picture: Picture, imports: Mapping[str, set[Arrow]]) -> Iterator[str]:
    height = _heights(picture)
    for box, ends in imports.items():
        for module, end in sorted(ends):
            if box not in height or end not in height:
                continue
            if height[end] < height[box]:
                yield f"{module} imports {end} from a higher floor"
            elif height[end] == height[box] and (box, end) not in picture.arrows:
                yield f"{module} imports {end} of its own floor: no arrow {box} --> {end}"


def _unused(picture: Picture, imports: Mapping[str, set[Arrow]]) -> Iterator[str]:
    """Arrows between boxes that no import needs, or that the floors say already."""
    height = _heights(picture)
    for start, end in sorted(picture.arrows):
        if start in picture.floors and end in picture.floors:
            continue
        if end not in {name for _, name in imports.get(start, ())}:
            yield f"no import for the arrow {start} --> {end}"
        elif height.get(start) != height.get(end):
            yield f"the arrow {start} --> {end} leaves its floor"


def _heights(picture: Picture) -> dict[str, int]:
    """The number of each box's floor, counted from the top."""
    floors = enumerate(picture.floors.values())
    return {box: number for number, boxes in floors for box in boxes}


def _cycles(needs: Mapping[str, set[str]]) -> Iterator[str]:
    done: set[str] = set()

    def visit(box: str, way: tuple[str, ...]) -> Iterator[str]:
        if box in way:
            yield f"a cycle: {' -> '.join((*way[way.index(box) :], box))}"
        elif box not in done:
            for other in sorted(needs.get(box, ())):
                yield from visit(other, (*way, box))
            done.add(box)

    for box in sorted(needs):
        yield from visit(box, ())
