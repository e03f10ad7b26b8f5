"""Enroot's folders on a node that users share: each gets their own, or an answer why not."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.services.slurm.test_node_scripts import text
from tests.support.scripts import Rig
from tests.support.tiers import needs, without_root

pytestmark = needs(without_root)

# How Enroot 3.4 to 4.1 reads its settings, and what it makes:
# https://github.com/NVIDIA/enroot/blob/v4.1.2/enroot.in
ENROOT = r"""
set -euo pipefail
while IFS=$' \t=' read -r key value; do
  if [[ "${key}" =~ ^ENROOT_[[:upper:]_]+$ ]]; then export "$key=$(eval echo "${value}")"; fi
done <"$1"
(umask 077 && mkdir -p "$ENROOT_CACHE_PATH" "$ENROOT_DATA_PATH" "$ENROOT_RUNTIME_PATH")
touch "$ENROOT_CACHE_PATH/layer" "$ENROOT_DATA_PATH/image" "$ENROOT_RUNTIME_PATH/fuse"
"""
ALICE, EVE = 2001, 3001
KINDS = ("cache", "data", "run")


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """The root of a node after containers.sh, which other users can reach."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
    for name in ("etc/tmpfiles.d", "etc/aws/pcs/scheduler/slurm-25.11"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "etc/aws/pcs/scheduler/slurm-25.11/plugstack.conf").write_text("spank_pyxis.so\n")
    script = text("containers.sh").replace("/run/enroot", "/var/lib/enroot/run")
    done = Rig(tmp_path, {"chmod": 'exec /bin/chmod "$@"'}).run(script, "pyxis", "-", "25.11")
    assert done.status == 0, done.output
    return tmp_path


def run(uid: int, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = ("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "bash", "-c", command)
    return subprocess.run([*words, "bash", *arguments], capture_output=True, text=True, check=False)


def enroot(node: Path, uid: int) -> subprocess.CompletedProcess[str]:
    return run(uid, ENROOT, f"{node}/etc/enroot/enroot.conf")


def folders(node: Path, uid: int) -> list[Path]:
    return [node / "var/lib/enroot" / kind / f"user-{uid}" for kind in KINDS]


def test_jobs_that_start_at_once_share_the_folders_of_their_user(node: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        runs = list(pool.map(lambda job: enroot(node, 2001 + job % 2), range(16)))
    assert [run.stderr for run in runs if run.returncode] == []
    for uid in (2001, 2002):
        found = [
            (folder.stat().st_uid, folder.stat().st_mode & 0o777) for folder in folders(node, uid)
        ]
        assert found == [(uid, 0o700)] * 3


def test_an_open_folder_of_an_earlier_version_is_closed(node: Path) -> None:
    [cache, *_] = folders(node, ALICE)
    run(ALICE, 'mkdir -m 0777 "$1"', str(cache))
    assert enroot(node, ALICE).returncode == 0
    assert cache.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize(
    "attack",
    ['mkdir -m 0777 "$1"', 'ln -s "$2" "$1"', 'touch "$1"', 'ln -s /nowhere "$1"'],
    ids=["folder", "link", "file", "dangling"],
)
def test_what_another_user_made_first_is_not_used(node: Path, kind: int, attack: str) -> None:
    """Nor is a link of theirs to a folder of the user's own."""
    place, own = folders(node, ALICE)[kind], node / "own"
    own.mkdir()
    os.chown(own, ALICE, ALICE)
    assert run(EVE, attack, str(place), str(own)).returncode == 0
    done = enroot(node, ALICE)
    assert done.returncode != 0
    assert f"{place} is not yours" in done.stderr
    assert "ask an administrator" in done.stderr
    assert not list(own.iterdir())
    assert place.is_symlink() or place.is_file() or not list(place.iterdir())
    assert enroot(node, EVE).returncode == 0
    place.unlink() if place.is_symlink() or place.is_file() else place.rmdir()
    assert enroot(node, ALICE).returncode == 0


def test_another_user_cannot_move_or_read_a_folder(node: Path) -> None:
    assert enroot(node, ALICE).returncode == 0
    for folder in folders(node, ALICE):
        assert run(EVE, 'mv "$1" "$1.old"', str(folder)).returncode != 0
        assert run(EVE, 'ls "$1"', str(folder)).returncode != 0


def test_without_space_the_reason_is_not_another_user(node: Path) -> None:
    """On a full or a read-only disk, there is no folder to remove."""
    [program] = (node / "etc/enroot").glob("*-folder.sh")
    done = run(ALICE, '"$1" /proc/1', str(program))
    assert done.stdout == "/dev/null/not-yours\n"
    assert "cannot create directory" in done.stderr
    assert "not yours" not in done.stderr


def test_options_of_the_shell_of_a_user_do_not_count(node: Path) -> None:
    """Enroot would use the folder above, which is open to all, if there were no answer."""
    [program] = (node / "etc/enroot").glob("*-folder.sh")
    [cache, *_] = folders(node, ALICE)
    for _ in range(2):
        done = run(ALICE, 'set -e; export SHELLOPTS; "$1" "$2"', str(program), str(cache.parent))
        assert done.stdout == f"{cache}\n", done.stderr


@pytest.mark.parametrize("attack", ['ln -s "$2" "$1"', 'mkdir "$1"'], ids=["link", "folder"])
def test_root_opens_nothing_that_a_user_made_in_the_open_folder(node: Path, attack: str) -> None:
    """Earlier versions and other scripts open the folder of Enroot to all users."""
    place, secret = node / "var/lib/enroot/data", node / "root"
    secret.mkdir(0o700)
    place.rmdir()
    place.parent.chmod(0o1777)
    assert run(EVE, attack, str(place), str(secret)).returncode == 0
    rig = Rig(node, {"chmod": 'exec /bin/chmod "$@"'})
    done = rig.run(text("containers.sh"), "pyxis", "-", "25.11")
    assert done.status != 0
    assert "enroot/data is not root's" in done.output
    assert secret.stat().st_mode & 0o777 == 0o700
    assert place.is_symlink() or not place.stat().st_mode & 0o022
