"""Bundles on disk: the table of what a folder may hold, and failures at every step."""

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from clustergen import bundle
from clustergen.base.artifacts import Artifact, Bundle
from clustergen.base.findings import Unrenderable
from clustergen.base.text_lists import words
from clustergen.bundle import MANIFEST, writing

FIRST: Bundle = (
    Artifact("cluster.yaml", "Region: us-east-1\n"),
    Artifact("deploy.sh", "#!/bin/bash\n", executable=True),
    Artifact("scripts/mount.sh", "mount\n"),
)
SECOND: Bundle = (
    Artifact("cluster.yaml", "Region: us-west-2\n"),
    Artifact("deploy.sh", "#!/bin/bash\n", executable=True),
    Artifact("README.md", "# cluster\n"),
)


def files(folder: Path) -> dict[str, str]:
    """Every file of a folder but the manifest, by path."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    texts = {str(path.relative_to(folder)): path.read_text() for path in found}
    return {name: text for name, text in texts.items() if name != MANIFEST}


def texts(bundle: Bundle) -> dict[str, str]:
    return {artifact.path: artifact.text for artifact in bundle}


def codes(call: Callable[[], object]) -> list[str]:
    with pytest.raises(Unrenderable) as caught:
        call()
    return [finding.code for finding in caught.value.findings]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "parent" / "out"


def test_writes_files_modes_and_manifest(out: Path) -> None:
    written = bundle.write(out, FIRST)
    assert files(out) == texts(FIRST)
    assert os.access(out / "deploy.sh", os.X_OK)
    assert not (out / "cluster.yaml").stat().st_mode & 0o111
    assert written.changed == ("cluster.yaml", "deploy.sh", "scripts/mount.sh")
    manifest = json.loads((out / MANIFEST).read_text())
    assert list(manifest) == ["clustergen", "files"]
    assert list(manifest["files"]) == sorted(texts(FIRST))
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_the_next_bundle_replaces_the_first(out: Path) -> None:
    bundle.write(out, FIRST)
    written = bundle.write(out, SECOND)
    assert files(out) == texts(SECOND)
    assert not (out / "scripts").exists()
    assert written.changed == ("README.md", "cluster.yaml")
    assert written.removed == ("scripts/mount.sh",)


def test_unchanged_bundles_are_not_written(out: Path) -> None:
    bundle.write(out, FIRST)
    before = out.stat().st_ino
    written = bundle.write(out, FIRST)
    assert (written.changed, written.removed, out.stat().st_ino) == ((), (), before)


def test_files_of_the_user_are_kept(out: Path) -> None:
    bundle.write(out, FIRST)
    for name in ("notes.txt", "scripts/mine.sh", ".filled/cluster.yaml"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine\n")
    (out / "link").symlink_to("nowhere")
    bundle.write(out, SECOND)
    mine = dict.fromkeys(("notes.txt", "scripts/mine.sh", ".filled/cluster.yaml"), "mine\n")
    assert files(out) == texts(SECOND) | mine
    assert (out / "link").is_symlink()


def edit(name: str, text: str = "edited\n") -> Callable[[Path], object]:
    return lambda out: (out / name).write_text(text)


def delete(name: str) -> Callable[[Path], object]:
    return lambda out: (out / name).unlink()


def link(name: str) -> Callable[[Path], object]:
    def replace(out: Path) -> None:
        (out / name).rename(out.parent / "elsewhere")
        (out / name).symlink_to(out.parent / "elsewhere")

    return replace


def folder(name: str) -> Callable[[Path], object]:
    def make(out: Path) -> None:
        (out / name).unlink(missing_ok=True)
        (out / name).mkdir()

    return make


# What was done to a folder of FIRST; what writing SECOND says; what it says with force.
DONE_BY_HAND = [
    (edit("cluster.yaml"), ["BND001"], []),
    (edit("scripts/mount.sh"), ["BND001"], []),
    (edit("deploy.sh", "#!/bin/bash\n"), [], []),
    (edit("cluster.yaml", "Region: us-west-2\n"), [], []),
    (edit("README.md"), ["BND004"], []),
    (edit("README.md", "# cluster\n"), [], []),
    (delete("cluster.yaml"), [], []),
    (delete(MANIFEST), ["BND002"], []),
    (edit(MANIFEST, "{"), ["BND007"], []),
    (edit(MANIFEST, "[]"), ["BND007"], []),
    (edit(MANIFEST, "[" * 100_000), ["BND007"], []),
    (edit(MANIFEST, '{"files": {"../../x": "00"}}'), ["BND007"], []),
    (edit(MANIFEST, '{"files": {"x": 0}}'), ["BND007"], []),
    (link("cluster.yaml"), ["BND004"], ["BND004"]),
    (link("scripts"), ["BND004"], ["BND004"]),
    (folder("README.md"), ["BND004"], ["BND004"]),
]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(("by_hand", "plain", "forced"), DONE_BY_HAND)
def test_files_changed_by_hand(
    out: Path, by_hand: Callable[[Path], object], plain: list[str], forced: list[str], force: bool
) -> None:
    bundle.write(out, FIRST)
    by_hand(out)
    before = files(out)
    expected = forced if force else plain
    if expected:
        assert codes(lambda: bundle.write(out, SECOND, force=force)) == expected
        assert files(out) == before
    else:
        bundle.write(out, SECOND, force=force)
        assert files(out).items() >= texts(SECOND).items()
        assert bundle.check(out, SECOND) == []


def test_a_folder_of_other_files(out: Path) -> None:
    out.mkdir(parents=True)
    (out / "thesis.tex").write_text("mine\n")
    assert codes(lambda: bundle.write(out, FIRST)) == ["BND002"]
    bundle.write(out, FIRST, force=True)
    assert files(out) == texts(FIRST) | {"thesis.tex": "mine\n"}


def test_an_empty_folder_keeps_its_mode(out: Path) -> None:
    out.mkdir(parents=True)
    out.chmod(0o750)
    bundle.write(out, FIRST)
    assert out.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("name", ["file", "link", "file/below", "nul\0"])
def test_not_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    found = codes(lambda: bundle.write(tmp_path / name, FIRST, force=True))
    assert found == ["BND003" if name in ("file", "link") else "BND005"]


def test_the_current_folder(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out.mkdir(parents=True)
    monkeypatch.chdir(out)
    bundle.write(".", FIRST)
    assert files(out) == texts(FIRST)


BAD_PATHS = [
    *((path,) for path in words("../cluster.yaml /etc/passwd a/../../b a//b ./a a/ C:a a\\b")),
    ("",),
    ("a\nb",),
    (MANIFEST,),
    ("a.yaml", "a.yaml"),
    ("a.yaml", "A.yaml"),
]


@pytest.mark.parametrize("paths", BAD_PATHS)
def test_paths_stay_inside(out: Path, paths: tuple[str, ...]) -> None:
    bad = tuple(Artifact(path, "") for path in paths)
    assert codes(lambda: bundle.write(out, bad)) == ["BND006"]
    assert [finding.code for finding in bundle.check(out, bad)] == ["BND006"]
    assert not out.exists()


def test_a_file_below_a_file_of_the_same_bundle(out: Path) -> None:
    assert codes(lambda: bundle.write(out, (Artifact("a", ""), Artifact("a/b", "")))) == ["BND005"]
    assert list(out.parent.iterdir()) == []


def test_text_that_has_no_bytes(out: Path) -> None:
    assert codes(lambda: bundle.write(out, (Artifact("a", "\ud800"),))) == ["BND005"]
    assert not out.exists()


def fail_at(monkeypatch: pytest.MonkeyPatch, step: str, call: int) -> None:
    """Let the ``call``-th use of ``step``, a function of ``os`` or of the writer, fail."""
    owner = os if step == "rename" else writing
    works = getattr(owner, step)
    count = 0

    def fails(*arguments: object) -> object:
        nonlocal count
        count += 1
        if count == call:
            raise OSError(errno.ENOSPC, "No space left on device")
        return works(*arguments)

    monkeypatch.setattr(owner, step, fails)


FAILURES = [("_write_file", 1), ("_write_file", 3), ("_stage", 1), ("rename", 1), ("rename", 2)]


@pytest.mark.parametrize(("step", "call"), FAILURES)
def test_a_failure_keeps_the_old_files(
    out: Path, monkeypatch: pytest.MonkeyPatch, step: str, call: int
) -> None:
    bundle.write(out, FIRST)
    (out / "notes.txt").write_text("mine\n")
    before = files(out)
    with monkeypatch.context() as patched:
        fail_at(patched, step, call)
        assert codes(lambda: bundle.write(out, SECOND)) == ["BND005"]
    assert files(out) == before
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    bundle.write(out, SECOND)
    assert files(out) == texts(SECOND) | {"notes.txt": "mine\n"}


@pytest.mark.parametrize(("step", "call"), [("_write_file", 2), ("rename", 1)])
def test_a_failure_does_not_create_the_folder(
    out: Path, monkeypatch: pytest.MonkeyPatch, step: str, call: int
) -> None:
    with monkeypatch.context() as patched:
        fail_at(patched, step, call)
        assert codes(lambda: bundle.write(out, FIRST)) == ["BND005"]
    assert list(out.parent.iterdir()) == []


def test_a_failure_while_moving_user_files_loses_none(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle.write(out, FIRST)
    mine = {name: f"{name}\n" for name in ("a.txt", "b.txt", "scripts/c.txt")}
    for name, text in mine.items():
        (out / name).write_text(text)
    with monkeypatch.context() as patched:
        fail_at(patched, "rename", 4)
        with pytest.raises(Unrenderable, match="its previous files are in"):
            bundle.write(out, SECOND)
    bundle.write(out, SECOND)
    assert files(out) == texts(SECOND) | mine
    assert [path.name for path in out.parent.iterdir()] == ["out"]


KILLED = """
import os, signal, sys
from clustergen import bundle
from clustergen.base.artifacts import Artifact
from clustergen.bundle import writing
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
setattr(*{where})
bundle.write(sys.argv[1], (Artifact("cluster.yaml", "new\\n"),))
"""


@pytest.mark.parametrize("where", ['(writing, "_swap", die)', '(writing, "_keep_others", die)'])
def test_the_next_run_finishes_a_killed_one(out: Path, where: str) -> None:
    bundle.write(out, FIRST)
    (out / "notes.txt").write_text("mine\n")
    done = subprocess.run([sys.executable, "-c", KILLED.format(where=where), str(out)], check=False)
    assert done.returncode == -signal.SIGKILL
    bundle.write(out, SECOND)
    assert files(out) == texts(SECOND) | {"notes.txt": "mine\n"}
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_a_run_killed_between_the_renames_is_undone(out: Path) -> None:
    bundle.write(out, FIRST)
    out.rename(out.with_name(".out.clustergen-old"))
    bundle.write(out, SECOND)
    assert files(out) == texts(SECOND)


# What was done to a folder of FIRST; what `check` says, by code and a word of its help.
CHECKS = [
    (lambda out: None, {}),
    (edit("notes.txt"), {}),
    (delete("cluster.yaml"), {"BND011": "render again"}),
    (edit("cluster.yaml"), {"BND012": "-edited\n+Region: us-east-1"}),
    (edit("cluster.yaml", "Region: us-east-1\r\n"), {"BND012": "render again"}),
    (edit("cluster.yaml", "\x1b[2J\n"), {"BND012": "-\\x1b[2J"}),
    (edit("cluster.yaml", "x\n" * 40), {"BND012": "-x\n..."}),
    (lambda out: (out / "deploy.sh").chmod(0o644), {"BND014": "chmod +x"}),
    (lambda out: (out / "cluster.yaml").chmod(0o755), {"BND014": "chmod -x"}),
    (lambda out: bundle.write(out, (*FIRST, Artifact("gone.sh", ""))), {"BND013": "render again"}),
    (edit(MANIFEST, "{"), {"BND007": "render again"}),
    (delete(MANIFEST), {}),
]


@pytest.mark.parametrize(("by_hand", "expected"), CHECKS)
def test_check(out: Path, by_hand: Callable[[Path], object], expected: Mapping[str, str]) -> None:
    bundle.write(out, FIRST)
    by_hand(out)
    found = {finding.code: finding.help for finding in bundle.check(out, FIRST)}
    assert found.keys() == expected.keys()
    assert all(text in found[code] for code, text in expected.items())


def test_check_of_no_folder(out: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert [finding.code for finding in bundle.check(out, FIRST)] == ["BND011"]
    assert [finding.code for finding in bundle.check(tmp_path / "file", FIRST)] == ["BND003"]
