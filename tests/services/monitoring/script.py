"""The script of nodes, run as they run it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from clustergen.services.monitoring.files import node_metrics
from tests.services.monitoring.exporters import program
from tests.support.waiting import PATIENCE


def installed(folder: Path) -> Path:
    """The script, which is patient with the fakes of programs: this machine may be busy."""
    path = folder / "node_metrics.py"
    text = node_metrics()
    limit = "COMMAND_SECONDS = 2\n"
    assert limit in text
    path.write_text(text.replace(limit, f"COMMAND_SECONDS = {PATIENCE}\n"))
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
