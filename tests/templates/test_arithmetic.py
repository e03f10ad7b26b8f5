"""Bash runs commands that it finds in arithmetic, in the subscript of an array: `a[$(reboot)]`.

So a variable is there only if the script made the number itself, checked it, or is named here with
the reason why its content is a number.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from clustergen.base.resources import tree

TEMPLATES: Final = Path(tree("templates"))

# Not code of the shell, or not in this template.
_OTHER = re.compile(
    r"\{#.*?#\}|^\s*#[^\n]*|\{%.*?%\}|\{\{.*?\}\}|(?:awk|python3 -c)\b[^'\n]*'[^']*'",
    re.DOTALL | re.MULTILINE,
)
_ARITHMETIC = (
    re.compile(r"\(\((.*?)\)\)"),
    re.compile(r"\[\[([^]\n]*?\s-(?:eq|ne|lt|le|gt|ge)\s[^]\n]*)\]\]"),
    re.compile(r"\$\{\w+:([^-+=?}][^}]*)\}"),
)
_INNER = re.compile(r"\$\{#[^}]*\}|\$\(.*?\)")
_NAME = re.compile(r"(?<![\w'\"%.-])\$?\{?([A-Za-z_]\w*)")
# These print numbers and nothing else.
_NUMBERS = re.compile(
    r"\$\(\(|\$\(date (?:-u )?\+%s|\$\((?:grep -c|stat --format=%s)|\$\(count_"
    r"|\|\s*(?:wc -[lc]|grep -c [^|]*)\)"
)

_ASKED = "a number in an answer of AWS, chosen with --query"
_TABLE = "a column, only of a file that is_table accepts"
_BUNDLE = "a column of a file of this bundle"
REASONS: Final = {
    "hyperpod/health.sh.j2": dict.fromkeys(("efa", "expected"), "an argument of our own script"),
    "batch/ask.sh.j2": {"minutes": "a word of ours, or checked by the option --wait"},
    "shared/lustre-traffic.sh.j2": {"before": "a counter of the kernel"},
    "shared/mount.sh.j2": {"uid": "of the node's own /etc/passwd"},
    "shared/phase.sh.j2": dict.fromkeys(("stop", "launch"), _BUNDLE),
    "slurm/timetable.sh.j2": {
        **dict.fromkeys(("stop", "checkpoint", "start"), _TABLE),
        "begun": "printed by date +%s",
        "end": "printed by date +%s, or a column",
    },
}


def unchecked(text: str) -> Iterator[str]:
    """The variables in arithmetic that come from elsewhere, and have no pattern."""
    text = _OTHER.sub("0", text)
    inside = (_INNER.sub("0", found[1]) for each in _ARITHMETIC for found in each.finditer(text))
    for name in sorted({name for each in inside for name in _NAME.findall(each)}):
        given = [
            *re.findall(rf"\b{name}=(\"?\$[({{0-9][^\n]*)", text),
            *re.findall(rf"(\b(?:read|mapfile)\b[^<\n;]*\b{name}\b)", text),
            *re.findall(rf"\b(for {name} in [^\n]*\$\()", text),
        ]
        foreign = [each for each in given if not _NUMBERS.search(each)]
        if foreign and not re.search(rf"\$\{{?{name}\}}?\"? =~", text):
            yield name


def test_numbers_in_arithmetic_are_numbers() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted((*TEMPLATES.rglob("*.sh.j2"), *TEMPLATES.rglob("*.sbatch.j2"))):
        if names := set(unchecked(path.read_text(encoding="utf-8"))):
            found[path.relative_to(TEMPLATES).as_posix()] = names
    assert found == {name: set(reasons) for name, reasons in REASONS.items()}


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ("n=$(aws x)\n((n > 0))", ["n"]),
        ("while read -r _ n; do [[ $n -gt 3 ]]; done", ["n"]),
        ("n=$1\necho $((n + 1))", ["n"]),
        ("n=$2\necho ${text:n:2}", ["n"]),
        ("n=$(date +%s)\n((n > 0))", []),
        ("n=$1\n[[ $n =~ ^[0-9]+$ ]] || exit\n((n > 0))", []),
        ("n=$(aws x)\necho $n", []),
    ],
)
def test_the_detector(script: str, names: list[str]) -> None:
    assert list(unchecked(script)) == names
