"""What is remembered between runs, and when it is not."""

from __future__ import annotations

import pytest

from clustergen import compiler, memory
from clustergen.cli import main
from clustergen.findings import EXAMPLE_BASE

BAD = EXAMPLE_BASE + "queues: [{name: a, node_groups: [h100]}]\n"


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, str(tmp_path / "kept"))
    path = tmp_path / "a.yaml"
    path.write_text(BAD)
    return path


def runs(spec, monkeypatch, capsys, *options):
    """Exit status, output and number of real checks of one run."""
    made = []

    def check(files, **more):
        made.append(files)
        return real(files, **more)

    real = compiler.check
    with monkeypatch.context() as patch:
        patch.setattr(compiler, "check", check)
        status = main(["check", str(spec), *options])
    return status, capsys.readouterr().out, len(made)


def test_a_second_check_of_the_same_says_the_same_without_checking(spec, monkeypatch, capsys):
    first = runs(spec, monkeypatch, capsys)
    assert first[0] == 1
    assert "h100" in first[1]
    assert first[2] == 1
    assert runs(spec, monkeypatch, capsys) == (*first[:2], 0)
    as_json = runs(spec, monkeypatch, capsys, "--output", "json")
    assert (as_json[0], as_json[2]) == (1, 0)


@pytest.mark.parametrize("options", [["--target", "pcs"], ["--set", "name=other"]])
def test_other_options_are_another_question(spec, monkeypatch, capsys, options):
    runs(spec, monkeypatch, capsys)
    assert runs(spec, monkeypatch, capsys, *options)[2] == 1


def test_a_change_of_the_spec_is_seen(spec, monkeypatch, capsys):
    runs(spec, monkeypatch, capsys)
    spec.write_text(BAD.replace("h100", "h200"))
    assert runs(spec, monkeypatch, capsys)[::2] == (0, 1)


def test_a_change_of_clustergen_is_seen(spec, monkeypatch, capsys, tmp_path):
    runs(spec, monkeypatch, capsys)
    monkeypatch.setattr(memory, "_PACKAGE", tmp_path)
    assert runs(spec, monkeypatch, capsys)[2] == 1


@pytest.mark.parametrize("damage", [b"", b"{", b"{}", b"[[1]]", b"\xff", b"[[]]"])
def test_a_damaged_memory_is_no_memory(spec, monkeypatch, capsys, tmp_path, damage):
    first = runs(spec, monkeypatch, capsys)
    (kept,) = (tmp_path / "kept").iterdir()
    kept.write_bytes(damage)
    assert runs(spec, monkeypatch, capsys) == first


def test_nowhere_to_keep(spec, monkeypatch, capsys, tmp_path):
    (tmp_path / "kept").write_text("a file where the folder would be")
    assert runs(spec, monkeypatch, capsys)[::2] == (1, 1)
    monkeypatch.setenv(memory.VARIABLE, "off")
    assert runs(spec, monkeypatch, capsys)[::2] == (1, 1)


def test_the_folder_stays_small(spec, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(memory, "_MOST", 4)
    for count in range(10):
        spec.write_text(f"{BAD}# {count}\n")
        assert runs(spec, monkeypatch, capsys)[2] == 1
    assert len(list((tmp_path / "kept").iterdir())) <= 4


def test_standard_input_is_never_remembered():
    assert memory.key(["-"]) is None
