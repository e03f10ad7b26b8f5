"""The lifecycle set of a cluster, and the prefix that its contents have in S3."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from clustergen.artifacts import Artifact
from clustergen.plan.model import Plan


def lifecycle(plan: Plan, orchestrator: str, mode: str) -> tuple[Artifact, ...]:
    """The scripts of a mode, under ``lifecycle/``."""
    name = "on_init_complete.sh" if mode == "api" else "on_create.sh"
    text = "#!/bin/bash\nset -euo pipefail\n"
    return (Artifact(f"lifecycle/{name}", text, executable=True),)


def prefix(artifacts: Iterable[Artifact]) -> str:
    """A hash of names and contents: another set is another place."""
    found = hashlib.sha256()
    for artifact in sorted(artifacts, key=lambda artifact: artifact.path):
        found.update(f"{artifact.path}\0{artifact.text}\0".encode())
    return found.hexdigest()[:16]
