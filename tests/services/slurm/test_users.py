"""Users come from a table: its form, what nodes do with it, and homes and keys."""

import os
import re
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clustergen.services.slurm import users
from tests.support.checking import Fragments
from tests.support.outcomes import succeeded
from tests.support.scripts import Rig
from tests.support.tiers import needs, without_root

pytestmark = pytest.mark.scenarios(2)

UID = 2001
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE8YxGxkWk0w0w0w0w0w0w0w0w0w0w0w0w0w0w0w alice"
NOTE = 'note() { echo "$*" >&2; }'
USERS = f"users: [{{name: alice, uid: {UID}, ssh_key: '{KEY}'}}]"

Followed = tuple[int, list[str], str]
"""The status, the calls that change accounts, and what the script says."""
Follow = Callable[..., Followed]
as_root = needs(without_root)
SCRIPT = Fragments("pcs").files(USERS)["scripts/users.sh"]


def functions(names: str) -> list[str]:
    """Functions of the bundle's script."""
    found = re.findall(rf"^(?:{names})\(\) \{{.*?^\}}", SCRIPT, re.DOTALL | re.MULTILINE)
    assert len(found) == 1 + names.count("|")
    return found


def ran(*lines: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euc", "\n".join((NOTE, *lines))]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def add_key(homes: Path) -> str:
    """What the function of the bundle's script prints."""
    told = "echo the key is not there >&2"
    return succeeded(ran(*functions("add_key"), f"add_key {UID} {homes}/alice '{KEY}' || {told}"))


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


OF_HOMES = "place|is_own|home_is_theirs|folder_is_safe|homes_folder|new_home|add_home"


def add_home(homes: Path, uid: int, mode: str = "make", before: str = "") -> tuple[int, str]:
    """The status of the functions of the bundle's script, and what they print."""
    given = f"alice {uid} {homes}/alice"
    fail = 'fail() { note "$@"; exit 1; }'
    last = f"home_is_theirs {given} && add_home {given}"
    done = ran(f"MAKE={mode}", fail, *functions(OF_HOMES), before, last)
    return done.returncode, done.stderr


@as_root
def test_a_home_of_another_user_is_reported_and_stays(homes: Path) -> None:
    """It may be that of a former user with this name."""
    folder = home(homes)
    assert add_home(homes, UID) == (0, "")
    status, said = add_home(homes, UID + 1)
    belongs = f"{folder} belongs to the id {UID}, not to alice ({UID + 1})"
    assert (status, belongs in said) == (1, True)
    assert f"chown -R {UID + 1}:{UID + 1} {folder}" in said
    assert folder.stat().st_uid == UID
    assert add_home(homes, UID + 1, "find")[0] == 0
    os.chown(folder, 0, 0)
    assert add_home(homes, UID) == (0, "")
    assert folder.stat().st_uid == UID


OTHER = 3001


@as_root
@pytest.mark.parametrize("mode", ["make", "find"])
@pytest.mark.parametrize(
    ("owner", "bits"), [(OTHER, 0o755), (65534, 0o755), (0, 0o777)], ids=["user", "nobody", "open"]
)
def test_root_makes_no_home_others_can_swap(homes: Path, mode: str, owner: int, bits: int) -> None:
    os.chown(homes, owner, owner)
    homes.chmod(bits)
    status, said = add_home(homes, UID, mode)
    assert status == (mode == "make")
    assert f"{homes} " in said
    assert f" {owner} {bits:o})" in said
    assert not list(homes.iterdir())


@as_root
def test_a_folder_of_root_that_is_open_is_closed(homes: Path) -> None:
    """The root of a file system may be open to all, with the sticky bit."""
    homes.chmod(0o1777)
    assert add_home(homes, UID) == (0, "")
    assert homes.stat().st_mode & 0o777 == 0o755
    assert (homes / "alice").stat().st_uid == UID


@as_root
@pytest.mark.parametrize(("bits", "made"), [(0o1777, True), (0o777, False)])
def test_a_folder_of_root_that_cannot_be_closed(homes: Path, bits: int, made: bool) -> None:
    """As a file server may have it; with the sticky bit it is safe."""
    homes.chmod(bits)
    refuse = f'chmod() {{ [[ ${{*: -1}} != {homes} ]] || return 1; command chmod "$@"; }}'
    assert add_home(homes, UID, before=refuse)[0] == (not made)
    assert [each.name for each in homes.iterdir()] == ["alice"] * made


@as_root
@pytest.mark.parametrize("owner", [65534, OTHER])
def test_homes_stay_in_the_folder_of_a_server_that_squashes_root(homes: Path, owner: int) -> None:
    """Their owners are right there, but a user who owns the folder can replace them."""
    home(homes)
    os.chown(homes, owner, owner)
    assert add_home(homes, UID)[0] == (owner == OTHER)


@as_root
def test_a_link_of_a_user_is_no_home_and_no_folder_of_homes(homes: Path, tmp_path: Path) -> None:
    (homes / "alice").symlink_to(tmp_path)
    os.chown(homes / "alice", OTHER, OTHER, follow_symlinks=False)
    status, said = add_home(homes, UID)
    assert (status, f"belongs to the id {OTHER}" in said) == (1, True)
    link = homes / "link"
    link.symlink_to(tmp_path)
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    status, said = add_home(link, UID)
    assert (status, "others than root can replace homes in" in said) == (1, True)


@as_root
def test_a_new_home_that_becomes_a_link_gives_nothing_away(homes: Path, tmp_path: Path) -> None:
    (tmp_path / "of-root").mkdir()
    link = f'rmdir "$new"; ln -s {tmp_path}/of-root "$new"; echo "$new"'
    swap = f'mktemp() {{ local new; new=$(command mktemp "$@"); {link}; }}'
    add_home(homes, UID, before=swap)
    assert (tmp_path / "of-root").stat().st_uid == 0


@as_root
def test_a_key_is_there_once_and_the_users(homes: Path) -> None:
    file = home(homes) / ".ssh/authorized_keys"
    assert (add_key(homes), add_key(homes)) == ("", "")
    assert file.read_text() == f"{KEY}\n"
    assert (file.stat().st_uid, file.stat().st_mode & 0o777) == (UID, 0o600)


@as_root
def test_a_key_after_a_line_without_an_end(homes: Path) -> None:
    folder = home(homes) / ".ssh"
    folder.mkdir()
    file = folder / "authorized_keys"
    file.write_text("ssh-ed25519 AAAA other")
    for path in (folder, file):
        os.chown(path, UID, UID)
    assert add_key(homes) == ""
    assert file.read_text() == f"ssh-ed25519 AAAA other\n{KEY}\n"


@as_root
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
    assert "the key is not there" in add_key(homes)
    assert keys.read_text() == "ssh-ed25519 AAAA of-root\n"


@as_root
def test_nodes_that_add_a_key_at_once_add_it_once(homes: Path) -> None:
    folder = home(homes)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: add_key(homes), range(16))) == {""}
    assert (folder / ".ssh/authorized_keys").read_text() == f"{KEY}\n"


@as_root
def test_sixteen_nodes_make_one_home(homes: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: add_home(homes, UID), range(16))) == {(0, "")}
    assert [path.name for path in homes.iterdir()] == ["alice"]
    assert (homes / "alice").stat().st_uid == UID


FOLDER = "opt/clustergen/users"
GOOD = f"# name uid ssh-key\nalice 2001 {KEY} é\nbob 2002 -\n# end 2\n"
# The accounts of the node, one file each; an expired one has "expires" in it.
ACCOUNTS = {
    "aws": 'cp "$ROOT/body" "${*: -1}"',
    "id": 'case $1 in -u) cat "$ROOT/accounts/$2" ;; *) cat "$ROOT/groups/$2" ;; esac 2>/dev/null',
    "useradd": (
        '[[ ! -e $ROOT/full ]] && mkdir -p "$ROOT/accounts" && echo "$2" >"$ROOT/accounts/${*: -1}"'
    ),
    "flock": "",
    "setpriv": "",
    # The tests may run as another user than root, who is root to the script.
    "stat": '/usr/bin/stat "$@" | sed -E "s/^(directory )?$UID\\b/\\10/"',
}


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path, ACCOUNTS)


def follow(rig: Rig, table: str, *words: str) -> Followed:
    (rig.root / "body").write_bytes(table.encode())
    done = rig.run(users.script(docker=False, linger=0), *(words or ("run",)))
    changes = ("useradd", "usermod", "userdel", "setpriv")
    return done.status, [call for call in done.calls if call.startswith(changes)], done.output


@pytest.fixture
def node(rig: Rig) -> Follow:
    """Follows a table on a node that has alice and bob from an earlier one."""
    place = ("install", "s3://bucket/users.tsv", f"{rig.root}/home", "make")
    status, calls, _ = follow(rig, GOOD, *place)
    assert (status, len(calls)) == (0, 3)
    return lambda table, *words: follow(rig, table, *words)


# In place of the line of bob.
LINES = (
    *("bob 2002", "bob 2001 -", "alice 2002 -", "bob 0 -", "bob 02002 -", "root 999 -"),
    *("../bob 2002 -", "--system 2002 -", "$(touch${IFS}$ROOT/ran) 2002 -"),
    *("bob BASH_VERSINFO[$(touch${IFS}$ROOT/ran)] -", "bob 2002 AAAA", "bob 2002 ssh-rsa A\0B"),
    *("bob 2002 ssh-rsa A\x1bB", "bob\t2002 -"),
)
TABLES = [
    *("", "<html>", GOOD.replace("# end 2\n", ""), GOOD.replace("# end 2", "# end 3")),
    *(GOOD[: GOOD.index("bob")] + end for end in ("", "# end 2\n")),
    *(GOOD.replace("bob 2002 -", line) for line in LINES),
    "# end 0\n" + "#" * 5_000_000,
]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_what_is_no_table_changes_nothing(table: str, node: Follow, tmp_path: Path) -> None:
    assert node(table) == (0, [], "users: what is in S3 is no table\n")
    assert (tmp_path / FOLDER / "table").read_text() == GOOD
    assert not (tmp_path / "ran").exists()


def test_a_new_user_and_one_who_left(node: Follow, tmp_path: Path) -> None:
    """Accounts that the script did not make stay as they are."""
    (tmp_path / "accounts/eve").write_text("2005\n")
    hers = "# x\ncarol 2003 -\neve 2005 -\n# end 2\n"
    status, calls, said = node(hers)
    assert (status, calls[0][:47]) == (0, "useradd --uid 2003 --gid 2003 --no-create-home ")
    assert calls[1:] == ["usermod --expiredate 1 alice", "usermod --expiredate 1 bob"]
    assert "bob is not in the table, and can no longer log in" in said
    assert (tmp_path / "home/bob").is_dir()
    assert node(hers)[1] == []
    assert node(hers.replace("eve 2005", "bob 2002"))[1] == ["usermod --expiredate  bob"]


def test_an_account_of_an_interrupted_run_can_be_locked(node: Follow, rig: Rig) -> None:
    rig._program("useradd", ACCOUNTS["useradd"] + "; kill -KILL $PPID")
    node(GOOD.replace("bob 2002 -", "bob 2002 -\ncarol 2003 -").replace("end 2", "end 3"))
    assert (rig.root / "accounts/carol").exists()
    rig._program("useradd", ACCOUNTS["useradd"])
    assert node(GOOD)[1][-1] == "usermod --expiredate 1 carol"


def test_the_earlier_table_comes_back_after_one_with_a_fault(node: Follow) -> None:
    faulty = GOOD.replace("alice 2001", "alice 2009").replace("bob 2002", "eve 2005")
    status, calls, _ = node(faulty)
    assert (status, calls[-1]) == (1, "usermod --expiredate 1 bob")
    status, calls, _ = node(GOOD)
    assert (status, calls[-2:]) == (0, ["usermod --expiredate  bob", "usermod --expiredate 1 eve"])


def test_an_account_of_someone_else_is_not_locked(node: Follow, tmp_path: Path) -> None:
    (tmp_path / "accounts/bob").write_text("3000\n")
    (tmp_path / "accounts/alice").unlink()
    assert node("# end 0\n")[:2] == (0, [])
    assert list((tmp_path / FOLDER / "made").iterdir()) == []


def test_without_s3_the_last_table_applies(node: Follow, rig: Rig) -> None:
    rig._program("aws", "exit 1")
    assert node("")[:2] == (0, [])
    (rig.root / FOLDER / "table").unlink()
    assert node("") == (1, [], "users: there is no table of users\n")


def test_a_fault_is_reported_and_tried_again(node: Follow, tmp_path: Path) -> None:
    table = GOOD.replace("bob 2002 -", "bob 2009 -\ncarol 2003 -").replace("end 2", "end 3")
    for _ in range(2):
        status, _, said = node(table)
        assert status == 1
        assert "bob has the id 2002 on this node, not 2009" in said
    (tmp_path / "full").touch()
    (tmp_path / "accounts/carol").unlink()
    assert "cannot add carol (2003)" in node(table)[2]
    assert node(GOOD)[0] == 0


def test_no_table_writes_keys_of_administrators(node: Follow, tmp_path: Path) -> None:
    (tmp_path / "accounts/ubuntu").write_text("1000\n")
    (tmp_path / "groups").mkdir()
    (tmp_path / "groups/ubuntu").write_text("ubuntu adm sudo\n")
    status, calls, said = node(f"ubuntu 1000 {KEY}\nalice 2001 {KEY}\nbob 2002 -\n# end 3\n")
    assert status == 0
    assert [call.split()[2] for call in calls] == ["2001"]
    assert "ubuntu is an administrator of this node" in said


def test_who_cannot_have_their_home_is_locked_and_the_others_go_on(node: Follow, rig: Rig) -> None:
    """Files there, such as .bashrc, belong to its creator."""
    others = "[[ $* != *home/alice && $* != *home/carol ]] || { echo 3001; exit; }\n"
    rig._program("stat", others + ACCOUNTS["stat"])
    (rig.root / "home/carol").mkdir()
    table = f"alice {UID} {KEY}\nbob 2002 -\ncarol 2003 -\ndave 2004 -\n# end 4\n"
    status, calls, said = node(table)
    assert status == 1
    assert calls[0] == "usermod --expiredate 1 alice"
    assert [call.split()[-1] for call in calls[1:]] == ["dave"]
    assert "/home/carol belongs to the id 3001, not to carol (2003)" in said
    rig._program("stat", ACCOUNTS["stat"])
    status, calls, _ = node(table)
    assert (status, calls[0]) == (0, "usermod --expiredate  alice")


def test_homes_wait_for_their_file_system(node: Follow, tmp_path: Path) -> None:
    (tmp_path / FOLDER / "file-system").write_text("/another\n")
    status, calls, said = node(GOOD.replace("# name", "# names"))
    assert (status, calls) == (1, [])
    assert "/home is not mounted" in said
