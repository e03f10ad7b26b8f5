"""Tables of tests as text, for rows that would take many lines in Python."""

import re
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import yaml

from clustergen.base.findings import Path

ABSENT = "ABSENT"
"""What stands for a member that a document lacks."""
_FINDING = re.compile(
    r" +(?P<code>[A-Z0-9]{3}\d{3}) (?P<path>.+?) \| (?P<message>.+) \| (?P<help>.+)"
)


class _Loader(yaml.SafeLoader):
    """A key that comes twice would hide a row."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        made = super().construct_mapping(node, deep)
        assert len(made) == len(node.value), f"a key comes twice{node.start_mark}"
        return made


def flow(text: str, **parts: str) -> Any:
    """What `text` says in YAML. `$NAME` is a part."""
    return yaml.load(_filled(text, parts), Loader=_Loader)


def members(
    table: Mapping[str, str], starts: Mapping[str, str] | None = None
) -> list[tuple[str, str, Any]]:
    """Rows of a spec, the place of a member in its document, and the member.

    The table has places and members by spec, as YAML. `starts` are short names of first steps.
    """
    rows = [(spec, *row) for spec, text in table.items() for row in flow(text).items()]
    return [(spec, _full(place, starts or {}), member) for spec, place, member in rows]


def _full(place: str, starts: Mapping[str, str]) -> str:
    first, dot, rest = place.partition(".")
    return f"{starts.get(first, first)}{dot}{rest}"


def by_outcome(table: str) -> list[tuple[Any, Any]]:
    """Rows of an input and its outcome. The table has the inputs of each outcome, as YAML."""
    return [(given, outcome) for outcome, inputs in flow(table).items() for given in inputs]


def at(document: Any, place: str) -> Any:
    """The member at a place such as `Queues.0.Name`; ABSENT if there is none."""
    for step in place.split("."):
        try:
            document = document[int(step) if isinstance(document, list) else step]
        except (KeyError, IndexError):
            return ABSENT
    return document


class Row(NamedTuple):
    """A spec, and a finding in it: code, path, words of its message and of its help."""

    text: str
    code: str
    path: Path
    message: str
    help: str


def findings(table: str, **parts: str) -> list[Row]:
    """Rows from lines of a spec, each with a finding below it, indented.

    Path and words are separated by ` | `, with which a line may begin. `$NAME` is a part; a line
    with `#` first is a comment.
    """
    rows, spec = [], ""
    for line in re.sub(r"\n +\| ", " | ", _filled(table.strip(), parts)).splitlines():
        if match := _FINDING.fullmatch(line):
            path = tuple(int(step) if step.isdigit() else step for step in match["path"].split("."))
            rows.append(
                Row(spec.rstrip("\n"), match["code"], path, match["message"], match["help"])
            )
            spec = ""
        elif not line.startswith("#"):
            spec += f"{line}\n"
    assert not spec, f"a spec without a finding: {spec}"
    return rows


def _filled(table: str, parts: Mapping[str, str]) -> str:
    for name, part in parts.items():
        table = table.replace(f"${name}", part.rstrip("\n"))
    return table


def rows(table: str) -> list[tuple[str, ...]]:
    """Rows from lines of an input, each with the other columns below it, indented, `|` between.

    What does not fit into a line goes on in the next; a line with `#` first is a comment.
    """
    found: list[tuple[list[str], list[str]]] = []
    for line in table.strip("\n").splitlines():
        if line.startswith("    "):
            found[-1][1].append(line.strip())
        elif not line.startswith("#"):
            if not found or found[-1][1]:
                found.append(([], []))
            found[-1][0].append(line)
    return [("\n".join(given), *re.split(r" *\| *", " ".join(said))) for given, said in found]
