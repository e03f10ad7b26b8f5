"""The scripts of nodes, run in a folder that stands for the node's root, with recorded commands."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.targets.parallelcluster.planned import files

USERS = """
users:
  - {name: alice, uid: 2001, ssh_key: "ssh-ed25519 AAAA a'b $(touch owned) `id`"}
  - {name: bob, uid: 2002}
"""
PYXIS = "software: {containers: pyxis}"
DOCKER = "software: {containers: docker}"
VERIFIED = f"software: {{scripts: [{{run: 's3://my-bucket/x.sh', sha256: '{'0' * 64}'}}]}}"

# What a node has and a test cannot have: each writes down its call, and keeps its state in $ROOT.
COMMANDS = {
    "getent": 'grep -s ":$2\\$" "$ROOT/groups"',
    "groupadd": 'echo "$3:$2" >>"$ROOT/groups"',
    "useradd": 'echo "${*: -1}:$2" >>"$ROOT/users"',
    "id": 'grep -s "^$2:" "$ROOT/users" | cut -d: -f2 | grep .',
    "chown": ":",
    # A test need not be root: who owns a file is left alone.
    "install": (
        "words=()\n"
        'while (($#)); do case $1 in -o | -g) shift ;; *) words+=("$1") ;; esac; shift; done\n'
        '/usr/bin/install "${words[@]}"'
    ),
    "sleep": ":",
    "systemd-tmpfiles": ":",
    "sysctl": ":",
    "systemctl": ":",
    "apt-get": '[[ $* != *docker.io* ]] || cp "$BIN/sleep" "$BIN/docker"',
    "nvidia-ctk": 'echo nvidia >>"$ROOT/etc/docker/daemon.json"',
    "aws": 'cp "$ROOT/script" "${*: -1}"',
}
FOLDERS = ("etc/tmpfiles.d", "etc/sysctl.d", "etc/skel", "home", "opt/slurm/bin", "opt/slurm/etc")
EXAMPLES = {"spank/plugstack.conf": "include x\n", "pyxis/pyxis.conf": "required y\n"}


@dataclass(frozen=True, slots=True)
class Node:
    """A folder that stands for the root of a node, and the commands it has."""

    root: Path
    bin: Path

    def run(self, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a script as on the node: its absolute paths lie in the folder."""
        absolute = r"(?<![\w.$}/])/(etc|home|opt|var|proc|bin/scontrol)\b"
        script = self.root / "under-test.sh"
        script.write_text(re.sub(absolute, rf"{self.root}/\1", text))
        path = f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin"
        return subprocess.run(
            ["/bin/bash", str(script), *arguments],
            env={"PATH": path, "ROOT": str(self.root), "BIN": str(self.bin)},
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self) -> list[str]:
        return (self.root / "calls").read_text().splitlines()

    def tree(self) -> dict[str, tuple[int, str]]:
        """Mode and text of every file below etc, home, opt and var."""
        found = (p for top in ("etc", "home", "opt", "var") for p in (self.root / top).rglob("*"))
        return {
            str(p.relative_to(self.root)): (
                stat.S_IMODE(p.stat().st_mode),
                p.read_text() if p.is_file() else "",
            )
            for p in found
        }


@pytest.fixture
def node(tmp_path: Path) -> Node:
    made = Node(tmp_path / "root", tmp_path / "bin")
    made.bin.mkdir()
    for folder in FOLDERS:
        (made.root / folder).mkdir(parents=True)
    for name, text in EXAMPLES.items():
        path = made.root / "opt/parallelcluster/examples" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    for path, body in {
        **{made.bin / name: body for name, body in COMMANDS.items()},
        made.root / "opt/slurm/bin/scontrol": ":",
    }.items():
        path.write_text(f'#!/bin/bash\necho "${{0##*/}} $*" >>"$ROOT/calls"\n{body}\n')
        path.chmod(0o755)
    return made


def script(fragment: str, name: str) -> str:
    return files(fragment)[f"scripts/{name}"]


TWICE = [
    (USERS, "users.sh", ["head"]),
    (USERS, "users.sh", ["compute", "/var/lib"]),
    (PYXIS, "pyxis.sh", ["head"]),
    (PYXIS, "pyxis.sh", ["compute", "local"]),
    (DOCKER, "docker.sh", ["login"]),
]


@pytest.mark.parametrize(("fragment", "name", "arguments"), TWICE)
def test_a_second_run_changes_nothing(
    node: Node, fragment: str, name: str, arguments: list[str]
) -> None:
    text = script(fragment, name)
    first = node.run(text, *arguments)
    assert first.returncode == 0, first.stderr
    after_first, calls = node.tree(), node.calls()
    second = node.run(text, *arguments)
    assert second.returncode == 0, second.stderr
    assert node.tree() == after_first
    again = node.calls()[len(calls) :]
    changing = ("useradd", "groupadd", "scontrol", "apt-get", "sysctl", "nvidia-ctk")
    assert [call for call in again if call.startswith(changing)] == []


def test_users_get_their_ids_and_the_head_node_their_homes(node: Node) -> None:
    text = script(USERS, "users.sh")
    assert node.run(text, "compute").returncode == 0
    assert (node.root / "users").read_text() == "alice:2001\nbob:2002\n"
    assert list((node.root / "home").iterdir()) == []
    assert node.run(text, "head").returncode == 0
    keys = (node.root / "home/alice/.ssh/authorized_keys").read_text()
    assert keys == "ssh-ed25519 AAAA a'b $(touch owned) `id`\n"
    assert not (node.root / "owned").exists()
    assert not (node.root / "home/bob/.ssh").exists()


def test_a_user_with_another_id_is_refused(node: Node) -> None:
    (node.root / "users").write_text("alice:1000\n")
    done = node.run(script(USERS, "users.sh"), "head")
    assert (done.returncode, done.stderr) == (
        1,
        "users.sh: alice has uid 1000 on this node, not 2001\n",
    )


def test_pyxis_is_switched_on_where_it_is_shared_from(node: Node) -> None:
    text = script(PYXIS, "pyxis.sh")
    assert node.run(text, "compute", f"{node.root}/nvme").returncode == 0
    assert not (node.root / "opt/slurm/etc/plugstack.conf").exists()
    assert node.run(text, "head").returncode == 0
    assert (node.root / "opt/slurm/etc/plugstack.conf").read_text() == "include x\n"
    assert (node.root / "opt/slurm/etc/plugstack.conf.d/pyxis.conf").read_text() == "required y\n"
    assert "scontrol reconfigure" in node.calls()


def test_containers_are_kept_where_it_is_said(node: Node) -> None:
    (node.root / "proc/sys/kernel").mkdir(parents=True)
    (node.root / "proc/sys/kernel/apparmor_restrict_unprivileged_userns").write_text("1\n")
    assert node.run(script(PYXIS, "pyxis.sh"), "compute", f"{node.root}/nvme").returncode == 0
    conf = (node.root / "etc/enroot/enroot.conf").read_text()
    assert f"ENROOT_DATA_PATH {node.root}/nvme/enroot/data-$(id -u)\n" in conf
    assert "userns = 0" in (node.root / "etc/sysctl.d/99-enroot.conf").read_text()


def test_an_image_without_pyxis_is_refused(node: Node) -> None:
    (node.root / "opt/parallelcluster/examples/pyxis/pyxis.conf").unlink()
    (node.root / "opt/parallelcluster/examples/pyxis").rmdir()
    done = node.run(script(PYXIS, "pyxis.sh"), "head")
    assert done.returncode == 1
    assert "this image has no Pyxis" in done.stderr


@pytest.mark.parametrize(("tampered", "status"), [(False, 7), (True, 1)])
def test_a_script_runs_only_with_its_checksum(node: Node, tampered: bool, status: int) -> None:
    body = '#!/bin/bash\necho "got $*"\nexit 7\n'
    (node.root / "script").write_text(body + ("true\n" if tampered else ""))
    sum256 = hashlib.sha256(body.encode()).hexdigest()
    done = node.run(script(VERIFIED, "verified.sh"), "s3://b/x.sh", sum256, "--fast", "a b")
    assert done.returncode == status
    assert ("got --fast a b" in done.stdout) is not tampered


def hook(*urls: str) -> str:
    """The hook of a spec with these scripts on the head node."""
    runs = ", ".join(f"{{run: '{url}', on: [head], args: ['{url}']}}" for url in urls)
    return script(f"{USERS}software: {{scripts: [{runs}]}}", "hook.sh")


def test_the_hook_runs_what_the_spec_has_now(node: Node) -> None:
    """At first boot everything; at an update our own scripts again, and of the user's new ones."""
    (node.root / "script").write_text('#!/bin/bash\necho "ran $*"\n')
    first, second = "s3://my-bucket/a.sh", "s3://my-bucket/b.sh"

    def ran(text: str, event: str) -> list[str]:
        done = node.run(text, "head", event, "scripts-bucket")
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    assert ran(hook(first), "start") == []
    assert ran(hook(first), "configured") == ["ran head", f"ran {first}"]
    assert ran(hook(first, second), "updated") == ["ran head", f"ran {second}"]
    assert ran(hook(first, second), "updated") == ["ran head"]
    # An image that was made of a node remembers nothing that a new node would need.
    assert ran(hook(first), "configured") == ["ran head", f"ran {first}"]


def test_a_script_that_failed_runs_again_at_the_next_update(node: Node) -> None:
    for status in (3, 0):
        body = f"#!/bin/bash\n[[ $1 == head ]] || exit {status}\n"
        (node.root / "script").write_text(body)
        done = node.run(hook("s3://my-bucket/a.sh"), "head", "updated", "scripts-bucket")
        assert done.returncode == status


def test_the_hook_checks_checksums(node: Node) -> None:
    (node.root / "script").write_text("#!/bin/bash\n")
    url = "s3://my-bucket/x.sh"
    text = script(
        f"software: {{scripts: [{{run: '{url}', on: [head], sha256: '{'0' * 64}'}}]}}", "hook.sh"
    )
    done = node.run(text, "head", "configured", "scripts-bucket")
    assert (done.returncode, f"{url} has the checksum" in done.stderr) == (1, True)
