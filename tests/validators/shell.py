"""shellcheck and shfmt over rendered scripts, and calls of functions that a script lacks."""

import json
import re
import subprocess
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.validators import shared
from tests.validators.user_data import SHELL_PARTS, parts

STYLE = ("-i", "2", "-ci", "-ln", "bash")
"""shfmt's options for this project: two spaces, case branches indented."""

_FUNCTION = re.compile(r"^\s*([a-z_]+)\(\)", re.M)
_CALL = re.compile(
    r"(?:^\s*|\$\(|&& |\|\| |; |\b(?:if|elif|while|until|then|do|else) |! |^\s*wait_for .*\" )"
    r"([a-z]+(?:_[a-z]+)+)(?=[ ;)]|$)(?!\s*(?:[-+*/]?=[^=]|\(|\)))",
    re.M,
)
"""Commands whose names have underscores: those are functions of ours."""
_NOT_OURS = {"fi_info", "restore_policy"}
"""A program, and what `leave` calls only in scripts that set `lifted`, which have it."""

_CHECKED: dict[str, list[str]] = {}
"""Text of a script -> what the tools say of it; most scripts are in many bundles."""


def script_violations(scripts: Mapping[str, str]) -> list[str]:
    """What is wrong with scripts, by name.

    Each tool runs once for all of them, and sees each text once in a run of the tests.
    """
    for text in {text for text in scripts.values() if text not in _CHECKED}:
        if (found := shared.known(_validator, text)) is not None:
            _CHECKED[text] = found
    new = {text for text in scripts.values() if text not in _CHECKED}
    for text, found in (_validator(sorted(new)) if new else {}).items():
        _CHECKED[text] = found
        shared.keep(found, _validator, text)
    return [f"{name}{found}" for name, text in scripts.items() for found in _CHECKED[text]]


def _validator(texts: Iterable[str]) -> dict[str, list[str]]:
    """What the tools say of each text, beginning with `:line:column` or `:`."""
    findings: dict[str, list[str]] = {text: [] for text in texts}
    with TemporaryDirectory() as folder:
        files = {str(Path(folder, f"{number}.sh")): text for number, text in enumerate(findings)}
        for file, text in files.items():
            Path(file).write_text(text, encoding="utf-8")
        for file, found in (*_shellcheck(files), *_shfmt(files), *_undefined(files)):
            findings[files[file]].append(found)
    return findings


def scripts_in_user_data(name: str, user_data: str) -> dict[str, str]:
    """The shell parts of base64 MIME user data, by `name` and their place in it."""
    return {
        f"{name} part {number}": part.text
        for number, part in enumerate(parts(user_data), start=1)
        if part.content_type in SHELL_PARTS
    }


def scripts_in_job(job: Mapping[str, Any]) -> Iterator[str]:
    """The scripts that containers of a job of AWS Batch run."""
    ranges = job.get("nodeProperties", {}).get("nodeRangeProperties", [])
    for container in (job.get("containerProperties"), *(each.get("container") for each in ranges)):
        command = (container or {}).get("command", [])
        if command[:2] == ["/bin/bash", "-c"]:
            yield f"#!/bin/bash\n{command[2]}"


def _shellcheck(files: Iterable[str]) -> Iterator[tuple[str, str]]:
    # SC1091: a sourced file of the node (/etc/os-release) is not on the machine that tests.
    arguments = ["--format=json", "--shell=bash", "--exclude=SC1091", *files]
    done = _run("shellcheck", arguments, expected=(0, 1))
    for found in json.loads(done):
        at = f":{found['line']}:{found['column']}"
        yield found["file"], f"{at}: SC{found['code']} {found['message']}"


def _shfmt(files: Iterable[str]) -> Iterator[tuple[str, str]]:
    for file in _run("shfmt", ["-l", *STYLE, *files], expected=(0, 1)).splitlines():
        difference = _run("shfmt", ["-d", *STYLE, file], expected=(0, 1))
        yield file, f": not as shfmt {' '.join(STYLE)} writes it:\n{difference}"


def _undefined(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Calls of functions that a script does not have, which shellcheck takes for programs."""
    for file, text in files.items():
        for name in sorted({*_CALL.findall(text)} - {*_FUNCTION.findall(text)} - _NOT_OURS):
            yield file, f": no function {name}"


def _run(tool: str, arguments: list[str], expected: tuple[int, ...]) -> str:
    """The tool's output. Raises `RuntimeError` when it could not do its work."""
    command = [str(Path(sysconfig.get_path("scripts"), tool)), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in expected:
        raise RuntimeError(f"{tool}: {done.stderr}")
    return done.stdout
