"""Links beside and inside the folder of a bundle lead no render elsewhere."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from clustergen import bundle
from clustergen.bundle import MANIFEST
from tests.bundle.test_bundle import FIRST, SECOND, codes, files


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "parent" / "out"


def left_by_a_render(out: Path, listed: str) -> Path:
    """What an interrupted render of ``out`` would leave: the old folder, with a manifest."""
    old = out.with_name(".out.clustergen-old")
    (old / "x").mkdir(parents=True)
    (old / "x/pre-commit").write_text("#!/bin/sh\n")
    (old / MANIFEST).write_text(json.dumps({"files": {listed: "0"}}))
    return old


def deletes_through(out: Path, elsewhere: Path) -> None:
    old = left_by_a_render(out, "link/victim.txt")
    (old / "link").symlink_to(elsewhere)


def moves_through(out: Path, elsewhere: Path) -> None:
    left_by_a_render(out, "cluster.yaml")
    (out / "x").symlink_to(elsewhere)


def is_the_old_one(out: Path, elsewhere: Path) -> None:
    (elsewhere / MANIFEST).write_text('{"files": {"victim.txt": "0"}}')
    out.with_name(".out.clustergen-old").symlink_to(elsewhere)


def takes_the_place_of_out(out: Path, elsewhere: Path) -> None:
    is_the_old_one(out, elsewhere)
    out.rename(out.with_name("away"))


def is_the_new_one(out: Path, elsewhere: Path) -> None:
    out.with_name(".out.clustergen-new").symlink_to(elsewhere)


LINKS = [deletes_through, moves_through, is_the_old_one, takes_the_place_of_out, is_the_new_one]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("link_in", LINKS)
def test_links_beside_the_folder_lead_nowhere(
    out: Path, tmp_path: Path, link_in: Callable[[Path, Path], None], force: bool
) -> None:
    """A cloned repository can hold what looks like the rest of an interrupted render."""
    bundle.write(out, FIRST)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "victim.txt").write_text("theirs\n")
    link_in(out, elsewhere)
    before = files(tmp_path)
    assert codes(lambda: bundle.write(out, SECOND, force=force)) == ["BND004"]
    assert files(tmp_path) == before


def test_links_of_the_user_survive_an_interrupted_run(out: Path, tmp_path: Path) -> None:
    bundle.write(out, FIRST)
    old = left_by_a_render(out, "cluster.yaml")
    (old / "data").symlink_to(tmp_path)
    bundle.write(out, SECOND)
    assert (out / "data").readlink() == tmp_path
    assert files(out / "x") == {"pre-commit": "#!/bin/sh\n"}
    assert [path.name for path in out.parent.iterdir()] == ["out"]
