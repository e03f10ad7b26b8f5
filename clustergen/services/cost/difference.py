"""What a change of a spec does to its bill."""

from collections.abc import Iterator
from dataclasses import dataclass

from clustergen.services.cost.model import Bill, Line


@dataclass(frozen=True, slots=True)
class Change:
    """A line that differs between two bills; ``old`` or ``new`` is None where it is absent."""

    old: Line | None
    new: Line | None

    @property
    def line(self) -> Line:
        """The new line, or the old one where it is gone."""
        return self.new or self.old or _NOTHING

    @property
    def comparable(self) -> bool:
        """Whether both amounts are known; a line that is absent costs nothing."""
        return not any(line and line.unknown for line in (self.old, self.new))

    def usd(self, hours: float) -> tuple[float, float]:
        """New less old in this time, at the minimum and the maximum of the node groups."""
        old = self.old.usd(hours) if self.old else (0.0, 0.0)
        new = self.new.usd(hours) if self.new else (0.0, 0.0)
        return new[0] - old[0], new[1] - old[1]


_NOTHING = Line(part="nodes", name="", what="")


def compare(old: Bill, new: Bill) -> Iterator[Change]:
    """The lines that differ between the bills of two specs for the same target.

    Lines are matched by part and name: a node group that is renamed is one line less and one more.
    """
    before = {(line.part, line.name): line for line in old.lines}
    after = {(line.part, line.name): line for line in new.lines}
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) != after.get(key):
            yield Change(before.get(key), after.get(key))
