"""``clustergen init``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from clustergen import resources
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK
from clustergen.commands.schema import as_text
from clustergen.spec.schema import FILE as SCHEMA

SPEC = "cluster.yaml"
DEFAULT = "gpu-slurm"


def run(args: argparse.Namespace) -> int:
    presets = resources.presets()
    if args.preset == "list":
        for name, path in presets.items():
            print(f"{name:<14} {_purpose(path)}")
        return OK
    name = args.preset or DEFAULT
    if name not in presets:
        return inputs.print_error(f"no preset {name!r}; use one of {', '.join(presets)}")
    return _write(Path(args.dir), presets[name].read_text(encoding="utf-8"), force=args.force)


def _write(folder: Path, spec: str, *, force: bool) -> int:
    problem = write_files({folder / SPEC: spec, folder / SCHEMA: as_text()}, [SPEC], force=force)
    if problem:
        return inputs.print_error(problem)
    print(f"wrote {folder / SPEC} and {folder / SCHEMA}")
    print(f"next: edit it, then `clustergen check {folder / SPEC}`")
    return OK


def write_files(files: Mapping[Path, str], edited: Sequence[str], *, force: bool) -> str:
    """Write new files with their folders. Returns why that is not possible, or an empty string.

    ``edited`` are the names of files that users edit: these are overwritten only with ``force``.
    """
    there = [path for path in files if path.exists() and path.name in edited]
    if there and not force:
        return f"{there[0]} already exists; --force overwrites it"
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        return f"cannot write {error.filename}: {error.strerror}"
    return ""


def _purpose(path: Path) -> str:
    """The first comment of a preset, without the one for editors."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = (line.removeprefix("#").strip() for line in lines if line.startswith("# "))
    return next(text for text in comments if not text.startswith("yaml-language-server"))
