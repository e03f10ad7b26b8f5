"""The script of docs/how-to/directory.md that sets SSSD up on a node."""

import subprocess
from pathlib import Path

import pytest

from tests.support.paths import DOCS
from tests.support.tiers import needs, without_root
from tests.support.waiting import PATIENCE
from tests.validators.shell import script_violations

PAGE = DOCS / "how-to" / "directory.md"
SCRIPT = PAGE.read_text(encoding="utf-8").partition("```sh\n")[2].partition("```")[0]
SECRET = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:ldap-AbCdEf"
ARGUMENTS = ["ldaps://corp.example.com", "dc=corp", "cn=reader,dc=corp", SECRET, "ldap_schema = ad"]
PROGRAMS = {
    # The mirror does not respond at first.
    "apt-get": '[[ -e "$node/up" ]] || { touch "$node/up"; exit 100; }',
    "aws": '[[ ! -e "$node/no-secret" ]] || exit 254\nprintf "%s\\n" \'a$b "c\'',
    **dict.fromkeys(("sleep", "sssctl", "pam-auth-update", "systemctl"), ""),
}


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A node: its /etc, and programs that write their arguments to ``calls``."""
    programs, etc = tmp_path / "bin", tmp_path / "etc"
    programs.mkdir()
    etc.mkdir()
    (etc / "nsswitch.conf").write_text("passwd: files systemd\nhosts: files dns\n")
    for name, body in PROGRAMS.items():
        file = programs / name
        file.write_text(f'#!/bin/bash\nnode={tmp_path}\necho "{name} $*" >>"$node/calls"\n{body}\n')
        file.chmod(0o755)
    return tmp_path


def run(node: Path) -> int:
    """Runs the script with the node's /etc in place of that of the machine."""
    (node / "sssd.sh").write_text(SCRIPT)
    inside = f'mount --bind {node}/etc /etc && PATH={node}/bin:$PATH exec bash {node}/sssd.sh "$@"'
    command = ["unshare", "--mount", "--propagation", "private", "bash", "-c", inside, "_"]
    return subprocess.run([*command, *ARGUMENTS], check=False, timeout=PATIENCE).returncode


def test_the_script_is_good_shell() -> None:
    assert script_violations({"sssd.sh": SCRIPT}) == []


@needs(without_root)
def test_users_of_the_directory_are_known_and_the_password_stays_secret(node: Path) -> None:
    for _ in ("first boot", "second run"):
        assert run(node) == 0
    assert (node / "etc/nsswitch.conf").read_text().splitlines()[0] == "passwd: files systemd sss"
    config = node / "etc/sssd/sssd.conf"
    assert config.stat().st_mode & 0o777 == 0o600
    lines = config.read_text().splitlines()
    assert 'ldap_default_authtok = a$b "c' in lines
    assert lines[-1] == "ldap_schema = ad"
    calls = (node / "calls").read_text()
    assert f"--region eu-west-1 --secret-id {SECRET}" in calls
    assert calls.count("systemctl restart sssd") == 2
    assert 'a$b "c' not in calls


@needs(without_root)
def test_a_node_that_cannot_read_the_password_fails(node: Path) -> None:
    (node / "no-secret").touch()
    assert run(node) != 0
    assert not (node / "etc/sssd/sssd.conf").exists()
