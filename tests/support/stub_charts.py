"""Charts that stand in for public ones: the same values lead to the same images.

`tests/services/kubernetes/charts.json` says what was read of the public charts.
"""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path
from typing import Any, Final

import yaml

from tests.support.paths import ROOT

READ: Final[dict[str, Any]] = json.loads(
    (ROOT / "tests/services/kubernetes/charts.json").read_text(encoding="utf-8")
)


def archive(name: str, folder: Path) -> Path:
    """The chart as Helm packs it, with all of its images in one pod."""
    read = READ[name]
    version = read["version"]
    files = {
        "Chart.yaml": yaml.safe_dump({"apiVersion": "v2", "name": name, "version": version}),
        "values.yaml": yaml.safe_dump(_nested(read["defaults"])),
        "templates/pod.yaml": _pod(read["images"], read.get("operands", [])),
    }
    made = folder / f"{name}-{version}.tgz"
    with tarfile.open(made, "w:gz") as tar:
        for path, text in files.items():
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return made


def _nested(values: dict[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for path, value in values.items():
        *folders, last = path.split(".")
        at = made
        for folder in folders:
            at = at.setdefault(folder, {})
        at[last] = value
    return made


def _pod(images: list[str], operands: list[str]) -> str:
    containers = [
        f"    - name: c{number}\n      image: {_quoted(image)}\n"
        for number, image in enumerate(images)
    ]
    started = [f"    operand{n}: {_quoted(image)}\n" for n, image in enumerate(operands)]
    return (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod\n  annotations:\n    a: b\n"
        + "".join(started)
        + "spec:\n  containers:\n"
        + "".join(containers)
    )


def _quoted(image: str) -> str:
    return f"'{_expression(image)}'"


def _expression(image: str) -> str:
    """A template of Helm for `{path.of.value}:tag`."""

    def value(found: re.Match[str]) -> str:
        keys = " ".join(f'"{key}"' for key in found[1].split("."))
        return f"{{{{ index .Values {keys} }}}}"

    return re.sub(r"\{([^}]+)\}", value, image)
