"""``clustergen report``: what it writes, and its exit status."""

import html
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from clustergen.analysis.report import MARK
from clustergen.cli import main
from tests.analysis.report.test_page import Elements
from tests.commands.test_no_secret_leaves import leaked
from tests.support.planted import Planted, broken_specs, spec

SPEC = """version: 1
name: small
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: l40s, instance_type: g6e.12xlarge, count: {min: 0, max: 8}}
storage: [{mount: /work, type: efs}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(SPEC, encoding="utf-8")
    return tmp_path


def text_of(path: str = "report.html") -> str:
    return Elements(Path(path).read_text(encoding="utf-8")).text


def test_a_page_in_a_file_and_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "a.yaml", "--target", "pcs", "-o", "new/report.html"]) == 0
    assert capsys.readouterr().out.startswith("new/report.html: ")
    assert main(["report", "a.yaml", "--target", "pcs", "--bundles", "new/out", "-o", "-"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("<!doctype html>")
    assert main(["report", "a.yaml", "--target", "pcs", "--bundles", "new/out"]) == 0
    assert capsys.readouterr().out == printed


def test_each_target_has_its_part() -> None:
    assert main(["report", "a.yaml", "--target", "pcs,eks", "-o", "report.html"]) == 0
    html = Path("report.html").read_text(encoding="utf-8")
    assert html.count("<svg ") == 2
    for id in ("pcs-queues", "eks-queues", "comparison"):
        assert f'id="{id}"' in html


def test_a_spec_without_targets_is_shown_for_the_best_fit() -> None:
    assert main(["report", "a.yaml", "-o", "report.html"]) == 0
    assert "names no target: this is the best fit" in text_of()
    assert Path("report.html").read_text(encoding="utf-8").count("<svg ") == 1


def test_errors_are_on_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = SPEC.replace("g6e.12xlarge", "g6e.13xlarge")
    Path("a.yaml").write_text(wrong, encoding="utf-8")
    assert main(["report", "a.yaml", "--target", "pcs", "-o", "report.html"]) == 1
    assert "g6e.13xlarge" in text_of()
    assert "a.yaml:6:33" in text_of()
    assert "error[" in capsys.readouterr().err
    assert main(["report", "missing.yaml", "-o", "report.html"]) == 2
    assert "cannot read missing.yaml" in text_of()


def test_warnings_count_with_strict() -> None:
    wide = SPEC.replace("use1-az6", "use1-az6, ssh_from: [203.0.113.0/24]")
    Path("a.yaml").write_text(wide, encoding="utf-8")
    assert main(["report", "a.yaml", "--target", "eks", "-o", "report.html"]) == 0
    arguments = ["report", "a.yaml", "--target", "eks", "-o", "report.html", "--strict"]
    assert main(arguments) == main(["check", "a.yaml", "--target", "eks", "--strict"]) == 1


def test_only_an_earlier_report_is_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["report", "a.yaml", "--target", "pcs", "-o", "a.yaml"]
    assert main(arguments) == 2
    assert "a.yaml is not a report; --force overwrites it" in capsys.readouterr().err
    assert Path("a.yaml").read_text(encoding="utf-8") == SPEC
    arguments[-1] = "report.html"
    assert main(arguments) == main(arguments) == 0
    Path("other.html").write_text("<p>mine", encoding="utf-8")
    assert main([*arguments[:-1], "other.html"]) == 2
    assert main([*arguments[:-1], "other.html", "--force"]) == 0
    assert MARK in Path("other.html").read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "a.yaml", "--target", "pcs", "-o", "."]) == 2
    assert main(["report", "a.yaml", "--target", "pcs", "-o", "a.yaml/report.html"]) == 2
    assert capsys.readouterr().err.count("clustergen: cannot write") == 2
    assert [path.name for path in Path().iterdir()] == ["a.yaml"]


def test_one_spec(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "a.yaml", "a.yaml"]) == 2
    assert capsys.readouterr().err == "clustergen: report is about one spec\n"


@pytest.mark.parametrize("command", ["report", "graph"])
def test_a_spec_from_standard_input_is_read_once(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spec without targets is checked a second time, for some."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SPEC.encode())))
    assert main([command, "-"]) == 0


def test_a_file_whose_name_is_not_text(capsys: pytest.CaptureFixture[str]) -> None:
    name = os.fsdecode(b"\xff.yaml")
    Path(name).write_text(SPEC, encoding="utf-8")
    assert main(["report", name, "--target", "pcs"]) == 0
    assert "From <code>?.yaml</code>." in capsys.readouterr().out


def test_links_to_a_bundle(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pages").mkdir()
    arguments = ["report", "a.yaml", "--target", "pcs", "-o", "pages/report.html"]
    assert main(arguments) == 0
    assert "`clustergen render`" not in text_of("pages/report.html")
    assert "clustergen render writes the bundle to out/small/pcs." in text_of("pages/report.html")
    assert main(["render", "a.yaml", "--target", "pcs"]) == 0
    assert main(arguments) == 0
    found = Elements(Path("pages/report.html").read_text(encoding="utf-8"))
    links = [link for link in found.links if not link.startswith(("#", "https://"))]
    assert links[:2] == ["../out/small/pcs/README.md", "../out/small/pcs/deploy.sh"]
    assert all(Path("pages", link).is_file() for link in links)


CHANGED = SPEC.replace("type: efs", "type: efs, one_zone: true")


@pytest.mark.parametrize("targets", [["--target", "pcs"], []])
def test_what_changes(targets: list[str]) -> None:
    Path("old.yaml").write_text(CHANGED, encoding="utf-8")
    arguments = ["report", "a.yaml", *targets, "-o", "report.html", "--base"]
    assert main([*arguments, "old.yaml"]) == 0
    text = text_of()
    assert "What changes" in text
    assert "storage[/work].one_zone (old.yaml:7" in text
    html = Path("report.html").read_text(encoding="utf-8")
    assert html.count('<rect class="storage changed"') == 1
    assert main(["render", "old.yaml", "--target", "pcs,parallelcluster"]) == 0
    assert main([*arguments, "out/small"]) == 0
    assert "What changes" in text_of()


def test_what_changes_since_a_revision(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(CHANGED, encoding="utf-8")
    as_someone = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    for words in (("init", "-q"), ("add", "."), (*as_someone, "commit", "-qm", "a")):
        subprocess.run(["git", *words], check=True)
    Path("a.yaml").write_text(SPEC, encoding="utf-8")
    assert main(["report", "a.yaml", "--base", "HEAD", "-o", "report.html"]) == 0
    assert "storage[/work].one_zone" in text_of()
    assert main(["report", "a.yaml", "--base", "gone", "-o", "report.html"]) == 2
    assert "git does not have a.yaml at gone" in capsys.readouterr().err


def test_a_base_with_errors(capsys: pytest.CaptureFixture[str]) -> None:
    Path("old.yaml").write_text("version: 1\n", encoding="utf-8")
    assert main(["report", "a.yaml", "--base", "old.yaml", "--target", "pcs"]) == 1
    assert "old.yaml" in capsys.readouterr().err


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["parallelcluster", "pcs", "batch", "eks"])
def test_the_page_shows_no_secret(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither in its text as a browser shows it, nor in its source, with changes and errors."""
    planted = Planted(4)
    specs = [spec(target, planted, count) for count in (2, 4)]
    for number, text in enumerate([*specs, *broken_specs(planted)]):
        Path(f"{number}.yaml").write_text(text, encoding="utf-8")
        base = ["--base", "0.yaml"] if number == 1 else []
        main(["report", f"{number}.yaml", *base, "-o", f"{number}.html"])
        page = Path(f"{number}.html")
        if page.exists():
            source = page.read_text(encoding="utf-8")
            shown = source + html.unescape(source) + text_of(str(page))
            assert leaked(shown, planted.parts) == [], text
    assert leaked("".join(capsys.readouterr()), planted.parts) == []
    assert "SPC060" in text_of("1.html")
