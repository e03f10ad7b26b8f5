"""The script of nodes, run as they run it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from clustergen.monitoring.files import node_metrics
from tests.monitoring.exporters import program


def installed(folder: Path) -> Path:
    path = folder / "node_metrics.py"
    path.write_text(node_metrics())
    return path


def with_programs(folder: Path, **printed: str) -> Path:
    """A folder with programs that print a text each."""
    for name, text in printed.items():
        program(folder / name, f"cat <<'END'\n{text}END")
    return folder


def samples(text: str) -> Mapping[str, str]:
    """Series -> value, as a scrape has them."""
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return dict(line.rsplit(" ", 1) for line in lines)


def printed(script: Path, *arguments: str | Path, path: Path | None = None) -> Mapping[str, str]:
    """The samples that the script prints; `path` has fakes of programs."""
    search = f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"]
    command = [sys.executable, str(script), *map(str, arguments)]
    env = {**os.environ, "PATH": search}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert ran.stderr == ""
    return samples(ran.stdout)
