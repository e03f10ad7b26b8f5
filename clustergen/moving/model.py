"""A move of a cluster, as values."""

from __future__ import annotations

from typing import NamedTuple


class Phase(NamedTuple):
    """Steps with one purpose, in order."""

    title: str
    steps: tuple[str, ...]


class Move(NamedTuple):
    """The way from one service to another."""

    name: str
    old: str
    new: str
    """Targets."""
    blocked: tuple[str, ...]
    """What the spec needs before the new target can render it; nothing works without."""
    lost: tuple[str, ...]
    """What does not come along."""
    phases: tuple[Phase, ...]
    back: tuple[str, ...]
    """How to return."""

    @property
    def lists(self) -> list[Phase]:
        """Everything as lists with titles; those without lines are left out."""
        found = [
            Phase("change the spec first", self.blocked),
            Phase("lost or different", self.lost),
            *self.phases,
            Phase("to go back", self.back),
        ]
        return [each for each in found if each.steps]
