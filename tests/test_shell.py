"""Scripts from templates: a value is only ever text, and templates put values where words stand."""

from __future__ import annotations

import hashlib
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError

from clustergen import resources
from clustergen.shell import content_key, environment
from tests.examples import share

# What bash can be given: no NUL, and no half of a surrogate pair, which UTF-8 cannot write.
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


def script(text: str, **values: Any) -> str:
    return environment().from_string(text).render(values)


def bash(text: str) -> str:
    done = subprocess.run(["bash"], input=text.encode(), capture_output=True, check=True)
    return done.stdout.decode()


@settings(max_examples=share(200))
@given(st.lists(TEXT, min_size=1, max_size=20))
@example(
    ["", " ", "'", '"', "\\", "\n", "\n\n", "$(reboot)", "`reboot`", "${HOME}", "!!", "*", "~"]
)
@example(["-n", "#", "a=b;c", "{{ x }}", "{% raw %}", "\r", "\t", "\x7f", "日本語", "\U0001f600"])
def test_bash_prints_every_value_as_it_is(values: list[str]) -> None:
    # Each value ends with a mark, so that newlines at an end are seen too.
    lines = "".join(f"printf '%s|' {{{{ v[{n}] }}}}\n" for n in range(len(values)))
    assert bash(script(lines, v=values)) == "".join(f"{value}|" for value in values)
    assert bash(script("printf '%s|' {{ v }}\n", v=values)) == "".join(f"{v}|" for v in values)


@settings(max_examples=share(200))
@given(TEXT)
def test_a_value_is_one_word(value: str) -> None:
    assert shlex.split(script("echo {{ value }}", value=value)) == ["echo", value]


RENDERED = [
    # Template, values, script.
    ("echo {{ x }}\n", {"x": "plain-1.0/a_b"}, "echo plain-1.0/a_b\n"),
    ("echo {{ x }}", {"x": "it's"}, "echo 'it'\"'\"'s'"),
    ("a={{ x }}", {"x": 5}, "a=5"),
    ("a=({{ x }})", {"x": ["a b", "c"]}, "a=('a b' c)"),
    ("a=({{ x }})", {"x": ()}, "a=()"),
    ("{{ x | raw('made here') }}", {"x": "a && b"}, "a && b"),
    (
        "{% for y in x %}\n  run {{ y }}\n{% endfor %}\n",
        {"x": ["a;", "b"]},
        "  run 'a;'\n  run b\n",
    ),
    ("echo {{ x ~ '=' ~ y }}", {"x": "k", "y": "$v"}, "echo 'k=$v'"),
]


@pytest.mark.parametrize(("template", "values", "expected"), RENDERED)
def test_rendered(template: str, values: dict[str, Any], expected: str) -> None:
    assert script(template, **values) == expected


REFUSED = [
    # Value, error, words of it.
    ("a\0b", ValueError, "NUL"),
    (["a", "\0"], ValueError, "NUL"),
    (None, TypeError, "None"),
    (True, TypeError, "True"),
    ({"a": 1}, TypeError, "'a'"),
    ([["a"]], TypeError, "'a'"),
]


@pytest.mark.parametrize(("value", "error", "words"), REFUSED)
def test_refused(value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        script("echo {{ value }}", value=value)


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="missing"):
        script("echo {{ missing }}")


def test_raw_wants_its_reason() -> None:
    with pytest.raises(TypeError):
        script("{{ x | raw }}", x="a")
    with pytest.raises(ValueError, match="reason"):
        script("{{ x | raw('') }}", x="a")


def test_content_key_is_of_the_text() -> None:
    digest = hashlib.sha256(b"echo\n").hexdigest()
    assert content_key("a.sh", "echo\n") == f"{digest[:16]}/a.sh"
    assert content_key("a.sh", "echo 2\n") != content_key("a.sh", "echo\n")


TEMPLATES = sorted(resources.tree("templates").rglob("*.sh.j2"))
TREE = resources.tree("templates")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(TREE)))
def test_templates_put_values_where_words_stand(path: Path) -> None:
    """In quotes the quoting of a value would be text; a newline in it would end a comment."""
    text = re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for number, line in enumerate(text.splitlines(), 1):
        before, found, _ = line.partition("{{")
        if found and "| raw(" not in line:
            plain = re.sub(r"\{%.*?%\}|\\.|\$#", "", before)
            assert plain.count('"') % 2 == 0, f"line {number}: inside double quotes"
            assert plain.count("'") % 2 == 0, f"line {number}: inside single quotes"
            # What stands there are names of the language, which have no line ends.
            directive = plain.startswith("#SBATCH --")
            assert directive or not re.search(r"(^|\s)#", plain), f"line {number}: in a comment"


def test_trees_are_found_in_a_checkout_and_in_a_wheel(tmp_path: Path) -> None:
    package = tmp_path / "clustergen"
    beside, inside = tmp_path / "templates", package / "_bundled" / "templates"
    beside.mkdir()
    package.mkdir()
    # A folder beside an installed package belongs to somebody else.
    with pytest.raises(resources.MissingTree, match="without its templates"):
        resources.tree("templates", package)
    (tmp_path / "pyproject.toml").touch()
    assert resources.tree("templates", package) == beside
    inside.mkdir(parents=True)
    assert resources.tree("templates", package) == inside


def test_no_other_tree_is_bundled() -> None:
    with pytest.raises(ValueError, match="'docs' is not a bundled tree"):
        resources.tree("docs")
