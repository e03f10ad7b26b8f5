"""The documentation is what the code does: generated pages, links, and every code block."""

import functools
import re
import subprocess
from pathlib import Path

import pytest

from clustergen import targets
from clustergen.commands.arguments import parser
from tests.support.documents import PARSED, RUN, blocks, failures, plain_command, refreshed
from tests.support.paths import ROOT
from tools.docs import build

README = (ROOT / "README.md").read_text(encoding="utf-8")
DEVELOPING = (ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "developing").glob("*.md")))
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FOLLOWED = [page for page in PAGES if page not in DEVELOPING]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "page", [p for p in FOLLOWED if any(b.language in RUN for b in blocks(text_of(p)))], ids=name
)
def test_a_reader_can_follow_the_page(page: Path, tmp_path: Path) -> None:
    assert "\n".join(failures(text_of(page), tmp_path)) == ""


@pytest.mark.parametrize("page", [p for p in FOLLOWED if p.parent.name != "rules"], ids=name)
def test_data_in_blocks_can_be_read(page: Path) -> None:
    for block in blocks(text_of(page)):
        if block.language in PARSED:
            PARSED[block.language](block.text)


def test_a_block_that_fails_is_noticed(tmp_path: Path) -> None:
    page = "```bash\nclustergen check none.yaml\n```\n```console\n$ echo a\nb\n```\n"
    missing, wrong = failures(page, tmp_path)
    assert "none.yaml" in missing
    assert wrong == "$ echo a\na\n"


@pytest.mark.parametrize("fault", ["json\n{\n", "toml\na=\n", "yaml\na: [\n"])
def test_data_that_cannot_be_read_is_noticed(fault: str) -> None:
    (block,) = blocks(f"```{fault}```\n")
    with pytest.raises(Exception, match=r"\d"):
        PARSED[block.language](block.text)


def test_every_page_is_in_the_contents() -> None:
    contents = ROOT / "docs" / "README.md"
    linked = re.findall(r"^- \[[^\]]+\]\(([^)#]+)\)", text_of(contents), re.MULTILINE)
    there = {*(ROOT / "docs").rglob("*.md")} - {contents, *(ROOT / "docs" / "rules").iterdir()}
    assert sorted(there - {(contents.parent / link).resolve() for link in linked}) == []


def test_ci_runs_the_commands_of_the_readme() -> None:
    set_up = [b.text.strip() for b in blocks(README) if b.text.startswith("python3 -m venv")]
    assert len(set_up) == 2
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert [line for line in set_up if line not in ci] == []


def test_generated_pages_are_up_to_date() -> None:
    assert [*build.stale()] == [], "run python -m tools.docs.build"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_have_targets(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(
        r"(?<!`)\[[^\]\n]+\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)
    )
    targets = [link for link in links if not link.startswith(("http://", "https://"))]
    assert [link for link in targets if not leads(page, link)] == []


def leads(page: Path, link: str) -> bool:
    file, _, anchor = link.partition("#")
    target = page.parent / file if file else page
    return target.exists() and (not anchor or anchor in anchors(target.read_text(encoding="utf-8")))


@functools.cache
def anchors(markdown: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", markdown, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a id="([^"]+)">', markdown))


NAMED = [
    path
    for page in DEVELOPING
    for row in re.findall(r"^\| (`[^|]+) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    for path in re.findall(r"`([\w./<>*{},-]+)`", row)
]


@pytest.mark.parametrize("path", sorted({name for name in NAMED if "/" in name}))
def test_contributing_names_files_that_exist(path: str) -> None:
    pattern = re.sub(r"<[^>]+>", "*", path)
    assert list(ROOT.glob(pattern)), path


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 1000


def test_contributing_is_short() -> None:
    assert len(text_of(ROOT / "CONTRIBUTING.md").split()) <= 1500


def test_console_blocks_are_refreshed(tmp_path: Path) -> None:
    page = "a\n```bash\ntouch b\n```\n```console\n$ ls\nold\n$ echo c\n```\nend\n"
    wanted = "a\n```bash\ntouch b\n```\n```console\n$ ls\nb\n$ echo c\nc\n```\nend\n"
    assert refreshed(page, tmp_path) == wanted


@pytest.mark.parametrize("page", FOLLOWED, ids=name)
def test_blocks_that_are_not_run_are_shell_and_have_options_that_exist(page: Path) -> None:
    shown = [block.text for block in blocks(text_of(page)) if block.language == "sh"]
    for text in shown:
        checked = subprocess.run(["bash", "-n"], input=text, text=True, check=False)
        assert checked.returncode == 0, text
        for line in text.splitlines():
            if arguments := plain_command(line):
                parser().parse_args(arguments)  # leaves with a message if there is no such option


@pytest.mark.parametrize("target", targets.NAMES)
def test_the_readme_leads_to_a_tutorial_for_every_target(target: str) -> None:
    assert f"[`{target}`](docs/tutorials/{target}.md)" in README
    tutorial = text_of(ROOT / "docs" / "tutorials" / f"{target}.md")
    assert re.search(rf"^cd out/\w+/{target}$", tutorial, re.MULTILINE)
