"""`deploy.sh` of a bundle, as a dry run shows it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.targets.pcs.planned import files_of
from tests.targets.pcs.specs import SPECS


def _dry_run(folder: Path, text: str, *arguments: str) -> list[str]:
    for name, content in files_of(text).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    command = ["bash", str(folder / "deploy.sh"), "--dry-run", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()


def test_foundation_then_scripts_then_cluster(tmp_path: Path) -> None:
    lines = _dry_run(tmp_path, SPECS["everything on the nodes"])
    foundation = next(i for i, line in enumerate(lines) if "example-foundation" in line)
    upload = next(i for i, line in enumerate(lines) if "scripts/users.sh" in line)
    cluster = next(i for i, line in enumerate(lines) if "cluster.template.json" in line)
    assert foundation < upload < cluster
    assert "NodeInstanceProfileArn=" in lines[cluster]
    assert "ImageX86" not in lines[cluster]


def test_destroying_leaves_the_foundation(tmp_path: Path) -> None:
    lines = _dry_run(tmp_path, SPECS["all kinds of storage"], "--destroy")
    deleted = [line for line in lines if "delete-stack " in line]
    assert len(deleted) == 1
    assert "foundation" not in deleted[0]
    assert "/fsx" in lines[-1]
