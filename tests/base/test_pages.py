"""Pages: what a template for people becomes in Markdown."""

from collections.abc import Mapping
from typing import Any

import jinja2
import pytest

from clustergen.base import pages

# A template and its values, and the page.
PAGES: list[tuple[str, Mapping[str, Any], str]] = [
    ("a {{ x }}\nb", {"x": "`c`"}, "a `c`\nb\n"),
    ("one\n   two\n\n   three\n", {}, "one two three\n"),
    ("1. a\n   {% if x %}\n   b\n   {% endif %}\n   c", {"x": 1}, "1. a b c\n"),
    ("1. a\n   {% if x %}\n   b\n   {% endif %}\n   c", {"x": 0}, "1. a c\n"),
    ("a\n\n{% if x %}\n{% endif %}\n\n\nb", {"x": 1}, "a\n\nb\n"),
    ("1. a\n{% if x %}\n1. b\n{% endif %}\n\n1. c\n\n1. d", {"x": 0}, "1. a\n2. c\n3. d\n"),
    ("1. a\n\nb\n\n1. c", {}, "1. a\n\nb\n\n1. c\n"),
    ("- a\n\n{% for x in y %}\n- {{ x }}\n{% endfor %}\n", {"y": [1, 2]}, "- a\n- 1\n- 2\n"),
    ("# a\n\n## b\n\n## c\n\nd\n\n## e\n", {}, "# a\n\n## c\n\nd\n"),
    ("a:\n\n```sh\nb\nc\n```\n", {}, "a:\n\n```sh\nb\nc\n```\n"),
    ('{% filter answers("Why") %}\n   {{ x }}\n{% endfilter %}', {"x": "so"}, "**Why**: so.\n"),
    ('a\n{% filter answers("Why") %}\n   {{ x }}\n{% endfilter %}', {"x": ""}, "a\n"),
    ("{{ x | number }}", {"x": 1200}, "1,200\n"),
]


@pytest.fixture(autouse=True)
def _templates(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = jinja2.DictLoader({str(n): template for n, (template, _, _) in enumerate(PAGES)})
    made = pages.environment().overlay(loader=loader, bytecode_cache=None)
    monkeypatch.setattr(pages, "environment", lambda: made)


@pytest.mark.parametrize("number", range(len(PAGES)))
def test_a_page(number: int) -> None:
    _, values, expected = PAGES[number]
    assert pages.render(str(number), values) == expected


@pytest.mark.parametrize(
    ("values", "error"),
    [({}, jinja2.UndefinedError), ({"x": None}, TypeError), ({"x": True}, TypeError)],
)
def test_a_value_that_is_no_text(values: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        pages.render("0", values)
