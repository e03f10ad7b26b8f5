"""The YAML writer: whatever it writes, a YAML 1.1 reader reads back."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as some

from clustergen.base.text_lists import words
from clustergen.base.yaml_text import Lines, yaml_text

KEYS = some.text(max_size=100)  # YAML readers give up on keys beyond 1,024 characters
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(KEYS, inner),
    max_leaves=12,
)


@given(some.dictionaries(KEYS, VALUES, min_size=1))
def test_yaml_round_trips(document: dict[str, Any]) -> None:
    assert yaml.safe_load(yaml_text(document)) == document


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *((text, text) for text in ("p5en.48xlarge", "/fsx", "data+x")),
        *((text, f'"{text}"') for text in words("NO y Off 1:00:00 7-00:00:00 2026-11-20 012 1e3")),
        *((text, f'"{text}"') for text in ("", "a: b", "a #b", "a ", "=", "*", "${Subnet}")),
        ("x\u0085y", '"x\\U00000085y"'),
        (True, "true"),
        (250, "250"),
        ([], "[]"),
    ],
)
def test_writes(value: object, written: str) -> None:
    assert yaml_text({"Key": value}) == f"Key: {written}\n"


def test_nested() -> None:
    document = {"A": {"B": [{"C": 1, "D": [2, "x"]}, []]}, "E": {}}
    assert yaml_text(document) == (
        "A:\n  B:\n    - C: 1\n      D:\n        - 2\n        - x\n    - []\nE: {}\n"
    )


def test_lines_are_a_literal_block() -> None:
    script = Lines("set -e\n\nif true; then\n  echo ': #'\nfi\n")
    document = {"A": [{"command": ["bash", "-c", script]}], "B": script}
    text = yaml_text(document)
    assert text.startswith("A:\n  - command:\n      - bash\n")
    assert "\nB: |\n  set -e\n\n  if true; then\n    echo ': #'\n  fi\n" in text
    assert yaml.safe_load(text) == document


@pytest.mark.parametrize(
    "text", ["", "\n", "no end", " first\n", "two\n\n", "\n\nx\n", "tab\t\n", "é\n", "cr\r\n"]
)
def test_no_literal_block_holds(text: str) -> None:
    with pytest.raises(ValueError, match="no literal block"):
        yaml_text({"Key": Lines(text)})
