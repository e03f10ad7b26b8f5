"""The work of a check grows with the number of mistakes, not with its square.

Calls of functions are counted, not seconds: they are the same on every machine.
"""

import cProfile
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from clustergen import output
from clustergen.base.findings import LIMIT, Finding, Severity, limited
from clustergen.checking import compiler
from clustergen.cli import main

HEAD = "version: 1\nname: small\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
GROUP = "node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: 2}]\n"
FEWEST = LIMIT + 10


def repeated(before: str, line: str) -> Callable[[int], str]:
    """A spec with many lines, each with its number."""
    return lambda count: before + "".join(line.replace("NR", str(nr)) for nr in range(count))


def groups(rest: str) -> Callable[[int], str]:
    return repeated(f"{HEAD}node_groups:\n", f" - {{name: gNR, {rest}}}\n")


SHAPES: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "unknown keys": ("pcs", repeated(HEAD + GROUP, "zqNRxv: 1\n")),
    "unknown keys of items": ("pcs", groups("instance_type: m7i.4xlarge, count: 2, zq: 1")),
    "repeated keys": ("pcs", repeated(f"{HEAD}{GROUP}tags:\n", " a: b\n")),
    "valid groups": ("hyperpod-eks", groups("instance_type: m7i.4xlarge, count: 2")),
    "queues": (
        "hyperpod-eks",
        repeated(f"{HEAD}{GROUP}queues:\n", " - {name: qNR, node_groups: [cpu]}\n"),
    ),
    "storage": (
        "pcs",
        repeated(f"{HEAD}{GROUP}storage:\n", " - {name: sNR, type: efs, mount: /mNR}\n"),
    ),
}


def calls(text: str, target: str) -> int:
    """The number of calls of functions in a check."""
    with cProfile.Profile() as profile:
        compiler.check_text(text, targets=[target])
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("shape", SHAPES)
def test_work_is_linear(shape: str) -> None:
    target, text = SHAPES[shape]
    compiler.check_text(text(FEWEST), targets=[target])  # loads what each shape needs once
    few, more, most = (calls(text(FEWEST * factor), target) for factor in (1, 2, 4))
    assert most - more < 2.5 * (more - few), (few, more, most)


def test_findings_of_one_code_are_limited_in_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _, text = SHAPES["unknown keys"]
    Path("many.yaml").write_text(text(LIMIT + 20), encoding="utf-8")
    for format in output.FORMATS:
        chosen = ["--statistics"] if format == "statistics" else ["--output", format]
        assert main(["check", "many.yaml", *chosen]) == 1
        out = capsys.readouterr().out
        if format == "json":
            listed = [each for each in json.loads(out)["findings"] if each["code"] == "SPC020"]
            assert len(listed) == LIMIT + 1
        if format != "statistics":
            assert "20 more findings SPC020 from here on are not listed" in out, format


def test_each_target_keeps_its_errors_and_few_stay_whole() -> None:
    one = Finding("ABC001", Severity.ERROR, "wrong")
    few = [replace(one, path=(number,)) for number in range(LIMIT + 1)]
    assert limited(few) == few
    many = [replace(one, path=(nr,), target=name) for name in ("", "pcs") for nr in range(300)]
    assert Counter(each.target for each in limited([*few, *many])) == {"": LIMIT + 1, "pcs": 101}
    assert limited(many)[-1].severity is Severity.ERROR
