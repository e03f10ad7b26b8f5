"""The public names: checks of files and text, renders, and errors for wrong arguments."""

import json
from pathlib import Path

import pytest

import clustergen
from clustergen.base import resources

SPEC = resources.tree("specs") / "p5-on-demand.yaml"


def test_a_file_alone_or_in_a_list() -> None:
    alone = clustergen.check(SPEC, targets="pcs")
    listed = clustergen.check([str(SPEC)], targets=["pcs"])
    assert alone.findings == listed.findings
    assert clustergen.render(alone, "pcs") == clustergen.render(listed, "pcs")


def test_text_and_file_give_the_same_bundle() -> None:
    text = SPEC.read_text(encoding="utf-8")
    of_text = clustergen.check_text(text, name=str(SPEC), targets=["pcs"])
    of_file = clustergen.check(SPEC, targets=["pcs"])
    assert of_text.findings == of_file.findings
    assert clustergen.render(of_text, "pcs") == clustergen.render(of_file, "pcs")


def test_data_as_json() -> None:
    data = {"version": 1, "name": "example", "region": "nowhere"}
    findings = clustergen.check_text(json.dumps(data)).findings
    assert findings
    assert {finding.span.file for finding in findings if finding.span} == {"<text>"}


def test_codes_to_ignore() -> None:
    text = SPEC.read_text(encoding="utf-8")
    codes = {finding.code for finding in clustergen.check_text(text, targets=["pcs"]).findings}
    assert "NET024" in codes
    checked = clustergen.check_text(text, targets=["pcs"], ignore=["NET024"])
    assert {finding.code for finding in checked.findings} == codes - {"NET024"}
    assert {finding.code for finding in checked.ignored} == {"NET024"}


@pytest.mark.parametrize("name", ["nope", "", "PCS"])
def test_a_target_that_does_not_exist(name: str) -> None:
    with pytest.raises(clustergen.UnknownTarget, match="pcs"):
        clustergen.render(clustergen.check(SPEC, targets=["pcs"]), name)
    if name:
        with pytest.raises(clustergen.UnknownTarget, match="no target"):
            clustergen.check(SPEC, targets=[name])


def test_a_spec_with_errors_is_not_rendered(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("version: 1\n", encoding="utf-8")
    with pytest.raises(clustergen.Unrenderable) as error:
        clustergen.render(clustergen.check(wrong, targets=["pcs"]), "pcs")
    assert error.value.findings
