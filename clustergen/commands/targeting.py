"""Which targets a command line names."""

from __future__ import annotations

from collections.abc import Sequence

from clustergen import targets
from clustergen.commands.inputs import UsageError


def wanted(asked: Sequence[str]) -> list[str]:
    """The names of the targets that ``--target`` asks for."""
    names: list[str] = []
    for name in asked:
        if name == "all":
            names += targets.NAMES
            continue
        resolved = targets.resolve(name)
        if resolved is None:
            raise UsageError(f"no target {name!r}; there are {', '.join(targets.NAMES)}, and all")
        names.append(resolved)
    return list(dict.fromkeys(names))
