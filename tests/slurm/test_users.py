"""Keys of users: written as the user, whatever a home contains."""

from __future__ import annotations

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.checking import Fragments

UID = 2001
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE8YxGxkWk0w0w0w0w0w0w0w0w0w0w0w0w0w0w0w alice"
USERS = f"users: [{{name: alice, uid: {UID}, ssh_key: '{KEY}'}}]"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")


def add_key(homes: Path) -> str:
    """What the function of the bundle's script prints."""
    script = Fragments("pcs").files(USERS)["scripts/users.sh"]
    found = re.search(r"^add_key\(\) \{.*?^\}", script, re.DOTALL | re.MULTILINE)
    assert found
    body = f"{found[0]}\nadd_key alice {UID} {homes}/alice '{KEY}'"
    ran = subprocess.run(["bash", "-euc", body], capture_output=True, text=True, check=True)
    return ran.stderr


def home(folder: Path) -> Path:
    folder.chmod(0o755)
    made = folder / "alice"
    made.mkdir()
    os.chown(made, UID, UID)
    return made


@pytest.fixture
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that other users can reach; those of pytest are for one."""
    made = tmp_path_factory.mktemp("homes")
    for folder in (made, *made.parents):
        if folder.owner() == "root" and folder.is_relative_to("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
    return made


def add_home(homes: Path, uid: int) -> str:
    """What the function of the bundle's script prints."""
    script = Fragments("pcs").files(USERS)["scripts/users.sh"]
    found = re.search(r"^add_home\(\) \{.*?^\}", script, re.DOTALL | re.MULTILINE)
    assert found
    body = f"MAKE=make\n{found[0]}\nadd_home alice {uid} {homes}/alice"
    ran = subprocess.run(["bash", "-euc", body], capture_output=True, text=True, check=True)
    return ran.stderr


def test_a_home_of_another_user_is_reported_and_stays(homes: Path) -> None:
    """It may be that of a former user with this name."""
    folder = home(homes)
    assert add_home(homes, UID) == ""
    said = add_home(homes, UID + 1)
    assert f"{folder} belongs to the id {UID}, not to alice ({UID + 1})" in said
    assert f"chown -R {UID + 1}:{UID + 1} {folder}" in said
    assert folder.stat().st_uid == UID
    os.chown(folder, 0, 0)
    assert add_home(homes, UID) == ""
    assert folder.stat().st_uid == UID


def test_a_key_is_there_once_and_the_users(homes: Path) -> None:
    file = home(homes) / ".ssh/authorized_keys"
    assert (add_key(homes), add_key(homes)) == ("", "")
    assert file.read_text() == f"{KEY}\n"
    assert (file.stat().st_uid, file.stat().st_mode & 0o777) == (UID, 0o600)


def test_a_key_after_a_line_without_an_end(homes: Path) -> None:
    folder = home(homes) / ".ssh"
    folder.mkdir()
    file = folder / "authorized_keys"
    file.write_text("ssh-ed25519 AAAA other")
    for path in (folder, file):
        os.chown(path, UID, UID)
    assert add_key(homes) == ""
    assert file.read_text() == f"ssh-ed25519 AAAA other\n{KEY}\n"


@pytest.mark.parametrize("link", [".ssh", ".ssh/authorized_keys"])
def test_a_link_does_not_lead_root_elsewhere(homes: Path, tmp_path: Path, link: str) -> None:
    target = tmp_path / "root"
    target.mkdir(mode=0o700)
    keys = target / "authorized_keys"
    keys.write_text("ssh-ed25519 AAAA of-root\n")
    keys.chmod(0o600)
    path = home(homes) / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target if link == ".ssh" else keys)
    assert "the key of alice is not in" in add_key(homes)
    assert keys.read_text() == "ssh-ed25519 AAAA of-root\n"


def test_nodes_that_add_a_key_at_once_add_it_once(homes: Path) -> None:
    folder = home(homes)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: add_key(homes), range(16))) == {""}
    assert (folder / ".ssh/authorized_keys").read_text() == f"{KEY}\n"
