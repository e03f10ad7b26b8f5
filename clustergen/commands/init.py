"""``clustergen init``."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from clustergen.base import resources
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK, UsageError
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
    spec, schema = Path(args.dir) / SPEC, Path(args.dir) / SCHEMA
    files = {spec: presets[name].read_text(encoding="utf-8"), schema: as_text()}
    write_files(files, [SPEC], force=args.force)
    print(f"wrote {spec} and {schema}")
    print(f"next: edit it, then `clustergen check {spec}`")
    return OK


def write_files(
    files: Mapping[Path, str], edited: Sequence[str], *, force: bool, named: bool = False
) -> None:
    """Write new files with their folders.

    ``edited`` are the names of files that users edit: these are overwritten only with ``force``.
    A link is followed only if the user has ``named`` the file, not just its folder: a repository
    can have one to any file.

    :raises UsageError: if that is not possible.
    """
    for path in () if named else files:
        if path.is_symlink():
            raise UsageError(f"cannot write {path}: it is a symbolic link")
    there = [path for path in files if path.exists() and path.name in edited]
    if there and not force:
        raise UsageError(f"{there[0]} already exists; --force overwrites it")
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {error.filename or path}: {error.strerror}") from None


def _purpose(path: Path) -> str:
    """The first comment of a preset, without the one for editors."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = (line.removeprefix("#").strip() for line in lines if line.startswith("# "))
    return next(text for text in comments if not text.startswith("yaml-language-server"))
