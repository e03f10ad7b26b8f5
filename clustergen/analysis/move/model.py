"""A move of a cluster, as values."""

import shlex
from typing import NamedTuple

from clustergen.checking.compiler import Checked
from clustergen.plan.model import Plan


class End(NamedTuple):
    """One end of a move: a cluster on a service."""

    checked: Checked
    """The spec, checked for all targets that it names, and for :attr:`target`."""
    target: str
    out: str
    """The folder of bundles."""
    spec: str
    """The arguments of a command that name the spec, quoted for a shell."""
    out_option: str = ""
    """The option that names :attr:`out`, if the command had it."""

    @property
    def plan(self) -> Plan | None:
        """None if the spec cannot be planned for the target."""
        return self.checked.plans.get(self.target)

    @property
    def name(self) -> str:
        """The name of the cluster; empty if the spec cannot be read."""
        return self.checked.spec.name if self.checked.spec else ""

    @property
    def folder(self) -> str:
        """The folder of the bundle, quoted for a shell."""
        return shlex.quote(f"{self.out}/{self.name}/{self.target}")

    @property
    def render(self) -> str:
        """The command that renders the spec."""
        return " ".join(filter(None, ("clustergen render", self.spec, self.out_option)))


class Ends(NamedTuple):
    """Both ends, and their plans."""

    old: End
    new: End
    running: Plan
    coming: Plan


class Step(NamedTuple):
    """Something to do, and the command that does it, if there is one."""

    text: str
    command: str = ""

    @property
    def line(self) -> str:
        return f"{self.text}: {self.command}" if self.command else self.text


class Phase(NamedTuple):
    """Steps with one purpose, in order."""

    title: str
    steps: tuple[Step, ...]
    back: tuple[Step, ...] = ()
    """How to return once these steps are done."""


class Move(NamedTuple):
    """The way from one cluster to another."""

    name: str
    old: str
    """Target."""
    new_name: str
    new: str
    """Target."""
    blocked: tuple[str, ...] = ()
    """What the spec needs before the new target can render it; nothing works without."""
    lost: tuple[str, ...] = ()
    """What does not come along."""
    phases: tuple[Phase, ...] = ()

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends, by what distinguishes them."""
        if self.name == self.new_name:
            return self.old, self.new
        return f"{self.name} on {self.old}", f"{self.new_name} on {self.new}"

    @property
    def lists(self) -> list[Phase]:
        """Everything as lists with titles; those without lines are left out."""
        found = [
            Phase("change the spec first", tuple(map(Step, self.blocked))),
            Phase("lost or different", tuple(map(Step, self.lost))),
            *self.phases,
        ]
        return [each for each in found if each.steps]
