"""What deploying a spec over an older one does, for the diagram."""

from collections.abc import Mapping

from clustergen.analysis.diff import Diff
from clustergen.analysis.diff.changes import Item
from clustergen.analysis.diff.view import QUIET


def notes(changed: Diff) -> Mapping[str, str]:
    """The worst effect on each node group and each mount, by its name."""
    found: dict[str, str] = {}
    for caused in changed.effects:
        kind = caused.effect.kind
        for cause in caused.causes if kind not in QUIET else ():
            section, *rest = cause.path
            if section in ("node_groups", "storage") and rest and isinstance(rest[0], Item):
                found.setdefault(rest[0].name, f"deploying: {kind.replace('-', ' ')}")
    return found
