"""Runs a script of the nodes in a throw-away root, with programs that only record their calls.

The script's absolute paths are moved below the root. A program answers with a body of its own, a
few lines of bash, and otherwise does nothing.
"""

import re
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from clustergen.base.text_lists import words

_ROOTED = re.compile(r"(?<![\w$}/.])/(etc|home|opt|var|sys|dev(?!/null))(?=/)")

STATEFUL = {
    # What is mounted is remembered, so that a second run sees what the first one did.
    "mountpoint": 'grep -qxF -- "${@: -1}" "$ROOT/mounted"',
    "mount": 'printf "%s\\n" "${@: -1}" >>"$ROOT/mounted"',
    "mount-s3": 'printf "%s\\n" "${@: -1}" >>"$ROOT/mounted"',
    "install": 'mkdir -p "${@: -1}"',
}
SILENT = words("""
    sysctl systemctl chown chmod mkfs.ext4 mdadm blkid wipefs groupadd
    useradd usermod getent id aws nvidia-smi mount.nfs docker enroot sleep
    modprobe lnetctl
""")


def completed(*command: str | Path, **options: Any) -> CompletedProcess[str]:
    """A command that has ended, whatever its exit status, and what it printed."""
    return subprocess.run(command, **options, capture_output=True, text=True, check=False)


@dataclass(frozen=True, slots=True)
class Run:
    """One run: exit status, calls (paths without the root), and output on stderr."""

    status: int
    calls: list[str]
    output: str


class Rig:
    """A root folder with recording programs."""

    def __init__(self, root: Path, answers: Mapping[str, str]) -> None:
        self.root = root
        for folder in ("bin", "etc/sysctl.d", "etc/skel", "home", "opt", "var/lib", "dev"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        for file in ("etc/fstab", "mounted", "calls"):
            (root / file).touch()
        for name, body in {**dict.fromkeys(SILENT, ""), **STATEFUL, **answers}.items():
            self._program(name, body)

    def run(self, script: str, *arguments: str) -> Run:
        """Runs `script`; arguments that are paths below the root are given in full."""
        here = self.root / "script.sh"
        moved = _ROOTED.sub(rf"{self.root}/\1", re.sub(r"(?m)^export PATH=.*$", "", script))
        here.write_text(moved, encoding="utf-8")
        (self.root / "calls").write_text("", encoding="utf-8")
        done = bash(here, *arguments, first=self.root / "bin", ROOT=str(self.root))
        calls = (self.root / "calls").read_text(encoding="utf-8").replace(f"{self.root}", "")
        return Run(done.returncode, calls.splitlines(), done.stderr.replace(f"{self.root}", ""))

    def twice(self, script: str, *arguments: str) -> Run:
        """The first run, after a second one that changed no file."""
        first = self.run(script, *arguments)
        files = self.files()
        second = self.run(script, *arguments)
        assert (first.status, second.status) == (0, 0), first.output + second.output
        assert self.files() == files
        return first

    def files(self) -> dict[str, str]:
        """The text of every file that a script may have written."""
        own = {"calls", "script.sh"}
        return {
            str(path.relative_to(self.root)): path.read_text(encoding="utf-8")
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and path.name not in own and path.parent.name != "bin"
        }

    def _program(self, name: str, body: str) -> None:
        recorded = f'printf "%s\\n" {shlex.quote(name)}" $*" >>"$ROOT/calls"'
        programs(self.root / "bin", {name: f"{recorded}\n{body}"})


def programs(folder: Path, bodies: Mapping[str, str]) -> Path:
    """A folder with programs: in Bash, where a body has no first line that says otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in bodies.items():
        text = body if body.startswith("#!") else f"#!/bin/bash\n{body}\n"
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def bash(*arguments: object, first: object = "", **environment: str) -> CompletedProcess[str]:
    """Run Bash in an environment of its own; `first` is a folder whose programs come first."""
    path = f"{first}:/usr/bin:/bin" if first else "/usr/bin:/bin"
    return completed("/bin/bash", *map(str, arguments), env={"PATH": path, **environment})
