"""The sides of a comparison that arguments name: a spec, one of an earlier time, or bundles.

``diff`` compares two of them; ``report`` shows what has changed since one.
"""

import argparse
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from clustergen.analysis import diff
from clustergen.analysis.diff import Diff, Folders, Spec
from clustergen.commands.exit_status import UsageError
from clustergen.commands.request import Input, Request, read
from clustergen.spec import source


class Revision(NamedTuple):
    """A branch, a tag or a commit; the empty name is the working tree."""

    name: str

    def contents(self, files: Sequence[str]) -> dict[str, bytes]:
        """The contents of ``files`` by name, as ``REVISION:FILE``.

        :raises UsageError: if git does not have them.
        """
        return {f"{self.name}:{file}": self._content(Path(file)) for file in files}

    def _content(self, file: Path) -> bytes:
        if self.name.startswith("-"):
            raise UsageError(f"{self.name} is not a revision of git")
        there = file.parent.is_dir()
        folder, path = (file.parent, file.name) if there else (".", file.as_posix())
        command = ("git", "-C", str(folder), "show", f"{self.name}:./{path}")
        try:
            # The names are those that the user gives; no shell reads them.
            done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
        except OSError as error:
            raise UsageError(f"cannot run git: {error.strerror}") from None
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
            raise UsageError(f"git does not have {file} at {self.name}: {reason}")
        return done.stdout


def side(name: str, args: argparse.Namespace, *, old: bool = False) -> Spec | Folders:
    """A spec, a folder of bundles or ``REVISION:SPEC``; raises UsageError if it cannot be read."""
    found = Folders.below(Path(name)) if Path(name).is_dir() else None
    if found:
        return found
    revision, colon, path = name.partition(":")
    if not Path(name).exists():
        if colon and path:
            return spec(path, args, Revision(revision))
        if old and not Path(name).suffix and name != source.STDIN:
            raise UsageError(
                f"no file or folder is called {name}; a spec at a revision of git is {name}:SPEC"
            )
    return spec(name, args, Revision("") if old else None)


def spec(name: str, args: argparse.Namespace, revision: Revision | None) -> Spec:
    """A spec, or one of an earlier time, to which ``--set`` does not apply.

    :raises UsageError: if it cannot be read.
    """
    sets = args.sets if revision is None else []
    given = argparse.Namespace(**{**vars(args), "specs": [name], "sets": sets})
    request = read(given)
    args.out = args.out or getattr(given, "out", None)
    if len(request.specs) != 1:
        raise UsageError(f"{name} has {len(request.specs)} specs: name one")
    return spec_of(request, request.specs[0], revision)


def spec_of(request: Request, given: Input, revision: Revision | None = None) -> Spec:
    """One of the specs of a request, as it is or as it was.

    :raises UsageError: if git does not have it.
    """
    contents = request.contents(given)
    if revision and revision.name:
        contents = revision.contents(given.files)
        given = given._replace(files=tuple(contents))
    checked = request.check(given, contents=contents)
    document, _ = source.read(given.files, (*given.sets, *request.sets), contents)
    return Spec(given.title, document, checked, past=revision is not None)


def changes_since(
    base: str, args: argparse.Namespace, request: Request, given: Input
) -> Mapping[str, Diff]:
    """What deploying a spec over ``base`` does, for each target that renders both.

    :raises UsageError: if ``base`` cannot be read, or has errors.
    """
    old, new = _base(base, args, request, given), spec_of(request, given)
    if isinstance(old, Spec) and (failed := old.blocking()):
        raise UsageError(f"{old.title} has errors, so nothing compares with it", failed)
    names = (name for name in new.targets if not new.checked.blocking(name))
    found = {name: diff.compare(old, new, name) for name in names}
    return {name: changed for name, changed in found.items() if changed}


def _base(base: str, args: argparse.Namespace, request: Request, given: Input) -> Spec | Folders:
    """Bundles or another spec, or the spec at a revision of git."""
    if Path(base).exists() or ":" in base:
        targets = request.targets or args.targets
        return side(base, argparse.Namespace(**{**vars(args), "targets": targets}), old=True)
    return spec_of(request._replace(sets=()), given, Revision(base))
