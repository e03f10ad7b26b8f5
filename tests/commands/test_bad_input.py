"""Every command, with every kind of bad input: a finding or a message, never a traceback.

The commands come from the parser, so a new one is tested without a line here.
"""

import argparse
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from clustergen import cli
from clustergen.commands.arguments import parser
from clustergen.spec.source.characters import INVISIBLE

SPEC = """\
version: 1
name: small
region: us-east-1
network: {zone: use1-az6}
node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: 2}]
"""
NAMED = SPEC + "targets: {pcs: {}}\n"


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _text(text: str | bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(text if isinstance(text, bytes) else text.encode())


# How to make the file, and the exit status of `check`: 2 if it cannot be read, 1 if it is wrong.
SPECS: Mapping[str, tuple[Callable[[Path], object], int]] = {
    "a link loop": (_loop, 2),
    "a quoted zero": (_text(SPEC.replace("count: 2", 'count: {min: "0", max: 4}')), 1),
    "zero with a unit": (_text(SPEC.replace("count: 2", 'count: {min: "0 nodes", max: 4}')), 1),
    "targets as a list": (_text(SPEC + "targets: [{pcs: {}}]\n"), 1),
    "targets as a list of lists": (_text(SPEC + "targets: [[pcs]]\n"), 1),
    "targets as text": (_text(SPEC + "targets: pcs\n"), 1),
    "an open bracket": (_text("a: ["), 1),
    "an unknown instance type": (_text(SPEC.replace("m7i.4xlarge", "m7i.5xlarg")), 1),
    "an empty file": (_text(""), 1),
    "an empty folder": (Path.mkdir, 2),
    "a missing file": (lambda _: None, 2),
    "a binary file": (_text(b"\x7fELF\x02\x00\xff\xfe"), 2),
    "a list": (_text("- a\n"), 1),
    "keys that are no text": (_text(SPEC + "1: {2: 3}\nnode_groups: {[a]: b}\n"), 1),
}
# They have plans, so each command decides what to do with them.
UNCLEAR: Mapping[str, Callable[[Path], object]] = {
    "a key twice": _text(NAMED + "name: other\n"),
    "an unknown tag": _text(NAMED + "tags: !x {a: b}\n"),
    "a merge": _text(NAMED + "tags: {<<: {a: b}}\n"),
    "a control character": _text(NAMED + 'tags: {a: "b\x01"}\n'),
    "digits without end": _text(NAMED + f"users: [{{name: a, uid: {'1' * 5000}}}]\n"),
}
PROJECTS: Mapping[str, Callable[[Path], object]] = {
    "broken": _text("out = = 1"),
    "a wrong value": _text("out = 1"),
    "an unknown key": _text("strct = true"),
    "clusters without files": _text("[clusters.a]\ntargets = ['pcs']"),
    "binary": _text(b"\x00\xff\xfe"),
}
# What commands need beside a spec, and where else they take a file.
MORE: Mapping[str, list[list[str]]] = {
    "check": [["{}"], ["{}", "--fix"], ["-f", "{}"], ["good.yaml", "{}"]],
    "move": [
        ["{}", "--from", "pcs", "--to", "eks"],
        ["good.yaml", "{}", "--from", "pcs", "--to", "eks"],
    ],
    "diff": [["{}"], ["good.yaml", "{}"], ["{}", "good.yaml"]],
    "render": [["{}", "--target", "pcs"]],
    "report": [["{}"], ["good.yaml", "--base", "{}"]],
    "preflight": [["{}", "--target", "pcs"]],
}
SERVES = ("lsp",)
"""Commands that answer an editor until it ends."""


def _commands() -> dict[str, argparse.ArgumentParser]:
    actions = parser()._actions
    choices = next(a.choices for a in actions if isinstance(a, argparse._SubParsersAction))
    return {name: command for name, command in dict(choices).items() if name not in SERVES}


def _calls(name: str, command: argparse.ArgumentParser) -> Iterator[list[str]]:
    """The arguments of a command that takes files; ``{}`` stands for one."""
    takes = [a.dest for a in command._actions if not a.option_strings]
    if {"specs", "files"} & set(takes):
        yield from ([name, *each] for each in MORE.get(name, [["{}"]]))


CALLS = [call for name, command in _commands().items() for call in _calls(name, command)]
SAYS = re.compile(r"\b[A-Z][A-Z0-9]{2}[0-9]{3}\b|^clustergen: \S", re.MULTILINE)


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Run a command in an empty folder; its exit status and all that it says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.yaml").write_text(SPEC.replace("small", "other"), encoding="utf-8")

    def command(arguments: list[str]) -> tuple[int, str]:
        status = cli.main(arguments)
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return command


def test_commands_that_read_files_are_found() -> None:
    found = {call[0] for call in CALLS}
    assert {"check", "render", "recommend", "import", "graph", "cost", "plan", "compare"} <= found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fault", SPECS)
def test_a_bad_spec(run: Callable[[list[str]], tuple[int, str]], fault: str) -> None:
    make, expected = SPECS[fault]
    for index, call in enumerate(CALLS):
        file = f"bad-{index}.yaml"  # `check --fix` changes it
        make(Path(file))
        status, said = run([word.format(file) for word in call])
        if call[0] == "import":  # which reads other formats, and has statuses of its own
            assert status in (1, 2), (call, said)
        else:
            assert status == expected or (status == 0 and "--fix" in call), (call, said)
        assert SAYS.search(said), (call, said)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("fault", UNCLEAR)
def test_a_spec_of_unclear_intent(run: Callable[[list[str]], tuple[int, str]], fault: str) -> None:
    for index, call in enumerate(CALLS):
        file = f"bad-{index}.yaml"
        UNCLEAR[fault](Path(file))
        status, said = run([word.format(file) for word in call])
        if call[0] in ("check", "render", "move", "recommend") and "--fix" not in call:
            assert (status, bool(SAYS.search(said))) == (1, True), (call, said)


@pytest.mark.parametrize("fault", PROJECTS)
def test_a_bad_project_file(run: Callable[[list[str]], tuple[int, str]], fault: str) -> None:
    PROJECTS[fault](Path("clustergen.toml"))
    for call in CALLS:
        if call[0] != "import" and "--fix" not in call:  # one reads none, the other corrects it
            status, said = run([word.format("good.yaml") for word in call])
            assert (status, bool(SAYS.search(said))) == (2, True), (call, said)


EKSCTL = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: "a\\nname: b\\e[31m\\u2028x: 1", region: us-west-2, version: "1.31"}
managedNodeGroups: [{name: "w\\u009b31m", instanceType: p5.48xlarge, desiredCapacity: 2}]
"""


@pytest.mark.parametrize("file", ["a.yaml", "b\n\u2028x: \x1b[31m.yaml", "\udcff.yaml"])
def test_an_imported_spec_has_no_character_that_ends_a_comment(
    run: Callable[[list[str]], tuple[int, str]], file: str
) -> None:
    Path(file).write_text(EKSCTL, encoding="utf-8")
    _, said = run(["import", file, "-o", "spec.yaml"])
    text = Path("spec.yaml").read_text(encoding="utf-8")
    assert not INVISIBLE.search(text + said)
    assert "x" not in yaml.safe_load(text)
    assert "SPC013" not in run(["check", "spec.yaml"])[1]


@pytest.mark.parametrize("out", ["file/spec.yaml", "folder", "/dev/full"])
def test_an_import_that_cannot_be_written(
    run: Callable[[list[str]], tuple[int, str]], out: str
) -> None:
    Path("a.yaml").write_text(EKSCTL, encoding="utf-8")
    Path("file").touch()
    Path("folder").mkdir()
    status, said = run(["import", "a.yaml", "-o", out, "--force"])
    assert (status, said[:25]) == (2, "clustergen: cannot write ")


LINKED = {
    "init .": ["cluster.yaml", "clustergen.schema.json"],
    "cdk init .": ["cdk.json", "package.json"],
    "policy good.yaml --target pcs -o .": ["scripts.json"],
    "recommend good.yaml --write .": ["cluster.yaml"],
    "render good.yaml --target pcs -o .": ["other"],
    "render good.yaml --target pcs -o . --force": ["other"],
}


@pytest.mark.parametrize(
    ("command", "link"), [(c, n) for c, names in LINKED.items() for n in names]
)
def test_nothing_is_written_through_a_link_in_a_folder(
    run: Callable[[list[str]], tuple[int, str]], command: str, link: str, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    Path(link).symlink_to(outside)
    status, said = run(command.split())
    assert status in (1, 2)
    assert SAYS.search(said), said
    assert not outside.exists()


@pytest.mark.parametrize(
    ("change", "help"),
    [
        ("count: 2\n", "write it in node_groups"),
        ("users: [{name: a, uid: 2001, ssh_key: id_rsa.pub}]\n", "paste the content of the file"),
        ("storage: [{mount: /a, type: fsx-lustre, size: 1.2TB}]\n", "FSx calls 1200GiB 1.2TB"),
        ("tags: {api_token: hunter2-x}\n", "remove the tag"),
    ],
)
def test_the_way_out(run: Callable[[list[str]], tuple[int, str]], change: str, help: str) -> None:
    Path("a.yaml").write_text(SPEC + change, encoding="utf-8")
    assert help in run(["check", "a.yaml"])[1]
