"""Files as they are in a revision of git."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from clustergen.commands.inputs import UsageError


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
        folder = str(file.parent) if file.parent.is_dir() else "."
        path = f"./{file.name}" if file.parent.is_dir() else f"./{file.as_posix()}"
        command = ("git", "-C", folder, "show", f"{self.name}:{path}")
        try:
            # The names are those that the user gives; no shell reads them.
            done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
        except OSError as error:
            raise UsageError(f"cannot run git: {error.strerror}") from None
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
            raise UsageError(f"git does not have {file} at {self.name}: {reason}")
        return done.stdout
