"""Scripts from templates: a value is only ever text, and templates put values where words stand."""

import hashlib
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jinja2 import Environment, FileSystemLoader, UndefinedError

from clustergen.base import resources
from clustergen.base.compiled_templates import CompiledTemplates
from clustergen.base.shell import content_key, environment
from tests.support.tiers import share

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


REJECTED = [
    # Value, error, words of it.
    ("a\0b", ValueError, "NUL"),
    (["a", "\0"], ValueError, "NUL"),
    (None, TypeError, "None"),
    (True, TypeError, "True"),
    ({"a": 1}, TypeError, "'a'"),
    ([["a"]], TypeError, "'a'"),
]


@pytest.mark.parametrize(("value", "error", "words"), REJECTED)
def test_invalid_expressions_are_rejected(value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        script("echo {{ value }}", value=value)


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="missing"):
        script("echo {{ missing }}")


def test_raw_requires_a_reason() -> None:
    with pytest.raises(TypeError):
        script("{{ x | raw }}", x="a")
    with pytest.raises(ValueError, match="reason"):
        script("{{ x | raw('') }}", x="a")


def test_content_key_depends_on_the_text() -> None:
    digest = hashlib.sha256(b"echo\n").hexdigest()
    assert content_key("a.sh", "echo\n") == f"{digest[:16]}/a.sh"
    assert content_key("a.sh", "echo 2\n") != content_key("a.sh", "echo\n")


TEMPLATES = sorted(resources.tree("templates").rglob("*.sh.j2"))
TREE = resources.tree("templates")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(TREE)))
def test_templates_have_values_only_where_words_may_be(path: Path) -> None:
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


# A consumer that stops reading ends a producer that still writes with SIGPIPE. With pipefail the
# pipeline fails then, now and then. `grep -q ... < <(producer)` and `sed -n 1p` do not.
STOPS_EARLY = re.compile(
    r"""(?<!\|)\|\s*(?:\{\s*)?(?:\w+=\S*\s+|(?:nice|timeout\s+\S+)\s+)*(?:
        (?:e|f|z)?grep\s+(?:\S+\s+)*?(?:-[a-zA-Z]*[qm]|--quiet|--max-count)
      | head\b | read\b
      | sed\s[^|\n]*?(?:[\d/$'"]|[;{]\s*)q(?:[;}'"\s]|$)
      | awk\s[^|]*?\bexit\b
    )""",
    re.VERBOSE,
)
SCRIPTS = sorted({*TEMPLATES, *resources.tree("templates").rglob("*.sbatch.j2")})


def pipes_that_race(text: str) -> list[str]:
    commands = re.sub(r"(\||\\)\n\s*", r"\1 ", re.sub(r"(?m)^\s*#.*$", "", text))
    return [line.strip() for line in commands.splitlines() if STOPS_EARLY.search(line)]


@pytest.mark.parametrize(
    "command",
    [
        "a | grep -q x",
        "a 2>&1 | grep -iqw -- x",
        "a | grep -e x --quiet",
        "a | grep -m 1 x",
        "a |\n  head -n 1",
        "a | timeout 5 head -1",
        "a | read -r x",
        "a | sed 5q",
        "a | sed '/x/q'",
        "a | sed -n '/x/{p;q}'",
        "a | awk '{ print $1; exit }'",
        "a | LC_ALL=C awk 'NR == 2 { exit }'",
    ],
)
def test_pipes_that_race_are_found(command: str) -> None:
    assert pipes_that_race(command)


@pytest.mark.parametrize(
    "command",
    [
        "a || grep -q x file",
        "grep -q x < <(a)",
        "a | grep x",
        "a | grep -v quiet",
        "a | sed -n 1p",
        "a | sed 's/q/r/'",
        "a | awk '{ print $1 }'",
        "a | while read -r x; do b; done",
        "# a | head -n 1",
    ],
)
def test_other_commands_are_left_alone(command: str) -> None:
    assert not pipes_that_race(command)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(TREE)))
def test_no_consumer_of_a_pipe_stops_early(path: Path) -> None:
    assert not pipes_that_race(path.read_text(encoding="utf-8"))


def test_trees_are_found_in_a_checkout_and_in_a_wheel(tmp_path: Path) -> None:
    package = tmp_path / "clustergen"
    beside, inside = tmp_path / "templates", package / "_bundled" / "templates"
    beside.mkdir()
    package.mkdir()
    # A folder beside an installed package belongs to another package.
    with pytest.raises(FileNotFoundError, match="without its templates"):
        resources.tree("templates", package)
    (tmp_path / "pyproject.toml").touch()
    assert resources.tree("templates", package) == beside
    inside.mkdir(parents=True)
    assert resources.tree("templates", package) == inside


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where compiled templates are kept in a test."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "kept"))
    return tmp_path / "kept"


def by_new_process(folder: Path, text: str) -> str:
    """A template rendered as a process does that has compiled none yet."""
    maker, template = folder / "maker.py", folder / "template.j2"
    maker.touch()
    template.write_text(text)
    cache = CompiledTemplates(str(maker))
    made = Environment(loader=FileSystemLoader(folder), bytecode_cache=cache)
    return made.get_template(template.name).render()


def test_a_template_is_compiled_once(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert by_new_process(tmp_path, "one") == "one"
    assert len([path for path in kept.rglob("*") if path.is_file()]) == 1
    monkeypatch.setattr(Environment, "_parse", None)
    assert by_new_process(tmp_path, "one") == "one"


def test_a_changed_template_is_compiled_again(kept: Path, tmp_path: Path) -> None:
    assert by_new_process(tmp_path, "one") == "one"
    assert by_new_process(tmp_path, "two") == "two"
    assert len([path for path in kept.rglob("*") if path.is_file()]) == 1


def test_a_change_of_quoting_invalidates_compiled_templates(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert by_new_process(tmp_path, "one") == "one"
    (tmp_path / "maker.py").write_text("changed")
    monkeypatch.setattr(Environment, "_parse", lambda *_: pytest.fail("compiled again"))
    with pytest.raises(pytest.fail.Exception, match="compiled again"):
        by_new_process(tmp_path, "one")


def test_rendering_works_without_a_cache_folder(kept: Path, tmp_path: Path) -> None:
    kept.touch()  # no folder can be made here
    assert by_new_process(tmp_path, "one") == "one"
