"""Completion in a real bash, and what the scripts of other shells consist of."""

import subprocess
from pathlib import Path

import pytest

from clustergen import targets
from clustergen.base import resources
from clustergen.checking import registry
from clustergen.cli import main
from clustergen.facts import catalog

COMPLETED = {
    "clustergen expl": {"explain"},
    "clustergen check --target ": {*targets.NAMES, "all"},
    "clustergen render a.yaml --target pcs --target par": {"parallelcluster"},
    "clustergen check --target pcs,ek": {"pcs,eks"},
    "clustergen check --target=par": {"parallelcluster"},
    "clustergen check --target=": {*targets.NAMES, "all"},
    "clustergen check --target=pcs,ek": {"pcs,eks"},
    "clustergen check --target=pcs a.yaml --output=sar": {"sarif"},
    "clustergen compare --targets pcs,hyperpod-e": {"pcs,hyperpod-eks"},
    "clustergen explain CAP00": {code for code in registry.by_code() if code.startswith("CAP00")},
    "clustergen explain FSX001 FSX004": {"FSX004"},
    "clustergen check --ignore NET013,FSX004": {"NET013,FSX004"},
    "clustergen check --select FSX004": {"FSX004"},
    "clustergen catalog p5e": {name for name in catalog.names() if name.startswith("p5e")},
    "clustergen init --preset sp": {"spot-finetune"},
    "clustergen check a": {"a.yaml"},
    "clustergen check -f a": {"a.yaml"},
    "clustergen import a.yaml --region us-w": {"us-west-1", "us-west-2"},
    "clustergen recommend --region us-east-1,us-w": {"us-east-1,us-west-1", "us-east-1,us-west-2"},
    "clustergen render -o o": {"out"},
}
# What bash does when Tab is pressed at the end of a line.
PRESS_TAB = """
press_tab() {
  COMP_WORDS=(${1//=/ = }) COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
  [[ $1 == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  $(complete -p clustergen | sed 's/.* -F \\([^ ]*\\).*/\\1/')
  echo "${COMPREPLY[*]}"
}
compopt() { :; } # which works only in a completion of readline's
"""


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def test_bash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").touch()
    (tmp_path / "out").mkdir()
    lines = "\n".join(f'press_tab "{line}"' for line in COMPLETED)
    done = subprocess.run(
        ["bash", "--norc", "--noprofile"],
        input=script("bash", capsys) + PRESS_TAB + lines,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    found = dict(zip(COMPLETED, map(set, map(str.split, done.stdout.splitlines())), strict=True))
    assert found == COMPLETED


@pytest.mark.parametrize("shell", ["zsh", "fish", "tcsh"])
def test_other_shells(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    written = script(shell, capsys)
    for word in ("hyperpod-slurm", "FSX004", "p5en.48xlarge", "spot-finetune"):
        assert word in written


def test_several_codes_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "fsx004,NET013", "CAP001"]) == 0
    out = capsys.readouterr().out
    titles = [
        line.split()[0] for line in out.splitlines() if line[:3].isupper() and line[3:6].isdigit()
    ]
    assert titles == ["FSX004", "NET013", "CAP001"]
    assert main(["explain", "FSX004", "FSX04"]) == 2
    assert "did you mean FSX004?" in capsys.readouterr().err


LISTS = {
    "check SPEC": ("--target", "pcs", "eks"),
    "render SPEC --check": ("--target", "pcs", "parallelcluster"),
    "compare SPEC": ("--targets", "pcs", "eks"),
    "plan SPEC": ("--target", "pcs", "eks"),
    "cost SPEC": ("--target", "pcs", "eks"),
    "check SPEC --target pcs": ("--ignore", "NET", "SUP"),
    "check SPEC --target eks": ("--select", "NET", "SUP"),
    "recommend --accelerator H200 --count 16": ("--region", "us-east-1", "us-west-2"),
    "explain": ("", "NET013", "FSX004"),
    "catalog": ("", "p5.48xlarge", "p5en.48xlarge"),
}


@pytest.mark.parametrize("command", LISTS)
def test_lists_and_repetition_are_alike(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # where no project file is
    spec = str(resources.tree("specs") / "p5-on-demand.yaml")
    option, *words = LISTS[command]
    flag = [option] if option else []
    outputs = []
    for arguments in ([*flag, ",".join(words)], [part for w in words for part in (*flag, w)]):
        status = main([*command.replace("SPEC", spec).split(" "), *arguments])
        outputs.append((status, capsys.readouterr()))
    assert outputs[0] == outputs[1]
    assert outputs[0][0] in (0, 1)
