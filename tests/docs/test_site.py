"""The site: what is written for Sphinx, and the check of links in what it builds."""

import re
from pathlib import Path, PurePosixPath

import pytest

from clustergen.checking import registry
from tests.support.paths import ROOT
from tools.docs import links, staging


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    staging.stage(folder)
    return folder


def test_every_rule_and_every_example_has_a_page(staged: Path) -> None:
    rules = {path.stem.upper() for path in (staged / "rules").glob("*.md")}
    assert rules == set(registry.by_code())
    specs = {path.stem for path in (staged / "specs").glob("*.md")}
    assert specs == {path.stem for path in (ROOT / "specs").glob("*.yaml")}


def test_the_page_of_a_rule_has_what_explain_prints(staged: Path) -> None:
    text = (staged / "rules" / "fsx004.md").read_text(encoding="utf-8")
    rule = registry.by_code()["FSX004"]
    for part in (rule.title, rule.why, rule.bad.strip(), rule.good.strip(), rule.source):
        assert part in text


def test_the_navigation_is_the_contents(staged: Path) -> None:
    home = (staged / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"^```\{toctree\}\n.*?\n\n(.*?)^```", home, re.MULTILINE | re.DOTALL)
    pages = re.findall(r"<(.*)>", "".join(trees))
    assert {"language.md", "rules.md", "specs.md", "changelog.md"} <= set(pages)
    assert [page for page in pages if not (staged / page).is_file()] == []


@pytest.mark.parametrize(
    ("page", "link", "there"),
    [
        ("docs/how-to/a.md", "../rules/fsx.md#fsx004", "../rules/fsx004.md"),
        ("docs/how-to/a.md", "../rules.md", "../rules.md"),
        ("docs/how-to/a.md", "../../README.md", "../index.md"),
        ("docs/how-to/a.md", "../../specs/p5-on-demand.yaml", "../specs/p5-on-demand.md"),
        ("README.md", "specs", "specs.md"),
        ("README.md", "docs/README.md", "contents.md"),
        ("README.md", "docs/language.md#nodegroup", "language.md#nodegroup"),
        ("CHANGELOG.md", "docs/how-to/a.md", "how-to/a.md"),
        ("docs/a.md", "#below", "#below"),
        ("docs/a.md", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_links_lead_to_the_page_of_the_site(page: str, link: str, there: str) -> None:
    text = staging.for_sphinx(PurePosixPath(page), f"[a]({link}) and `[a](b.md)`")
    assert text == f"[a]({there}) and `[a](b.md)`"


def test_files_and_anchors_in_the_form_of_myst() -> None:
    page = '### <a id="x-1"></a>Title\n\n<!-- file: a.yaml -->\n```yaml\na: 1\n```\n'
    assert staging.for_sphinx(PurePosixPath("docs/a.md"), page) == (
        "(x-1)=\n### Title\n\n```{code-block} yaml\n:caption: a.yaml\n\na: 1\n```\n"
    )


def test_pictures_for_light_and_dark() -> None:
    page = (
        "<picture>\n"
        '  <source media="(prefers-color-scheme: dark)" srcset="docs/images/a-dark.svg">\n'
        '  <img alt="A picture." src="docs/images/a-light.svg">\n'
        "</picture>\n"
    )
    text = staging.for_sphinx(PurePosixPath("README.md"), page)
    assert "{image} images/a-light.svg\n:class: only-light\n:alt: A picture." in text
    assert "{image} images/a-dark.svg\n:class: only-dark\n:alt: A picture." in text


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="b.html#here">b</a><a href="#top">top</a><img src="c.svg">', ""),
        ('<a href="https://example.org">elsewhere</a><a href="mailto:a@b">mail</a>', ""),
        ('<a class="x" href="none.html">n</a>', "a.html: leads nowhere: none.html"),
        ('<a href="b.html#gone">b</a>', "a.html: leads nowhere: b.html#gone"),
        ('<a href="#gone">b</a>', "a.html: leads nowhere: #gone"),
        ('<img alt="" src="none.svg">', "a.html: leads nowhere: none.svg"),
        ('<script src="https://cdn/x.js">', "a.html: loads https://cdn/x.js"),
        ('<link rel="stylesheet" href="//fonts/x">', "a.html: loads //fonts/x"),
    ],
)
def test_broken_links_are_found(tmp_path: Path, body: str, problem: str) -> None:
    (tmp_path / "a.html").write_text(f'<h1 id="top">a</h1>{body}', encoding="utf-8")
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1>', encoding="utf-8")
    (tmp_path / "c.svg").write_text("<svg/>", encoding="utf-8")
    found = links.broken(tmp_path)
    assert found == ([problem] if problem else [])


def test_styles_that_load_from_elsewhere_are_found(tmp_path: Path) -> None:
    style = "a {background: url(https://cdn/x.png)} b {background: url(y.png)}"
    (tmp_path / "a.css").write_text(style, encoding="utf-8")
    found = links.broken(tmp_path)
    assert found == ["a.css: loads https://cdn/x.png"]
