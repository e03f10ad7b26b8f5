"""Stacks beside that of the cluster."""

from collections.abc import Mapping

from clustergen.deployment import bucket, cloudformation, node_group_updates, parameters, stacks
from clustergen.deployment.changes import Guard, groups_with_one_name, losses
from clustergen.deployment.model import Role, Stack
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.stacks import ChangeSet, Template


class SideStack:
    """A stack that is created, updated, or deleted when it left the bundle."""

    def __init__(self, run: Run, role: Role) -> None:
        self.run, self.role = run, role
        self._given: Mapping[str, str] | None = None
        """The parameters of the change set of the review."""
        self._change: ChangeSet | None = None

    @property
    def stack(self) -> Stack:
        return self.run.bundle.stacks[self.role]

    def template(self) -> Template:
        """The template of the stack."""
        return Template(self.stack.template, self.run.template(self.role))

    def review(self, known: Outputs) -> dict[str, list[Guard]]:
        """What of the change needs consent, before anything changes; ``known`` are outputs so far.

        A stack that is not there yet, or needs outputs that are not, is reviewed later only.
        """
        world, own = self.run.world, self.stack
        if not own.template:
            there = cloudformation.status(world, own.name) not in cloudformation.UNUSED
            what = "delete it, with what it has: all of that left the spec"
            return {own.name: [Guard("replaces-resource", what)]} if there else {}
        if not cloudformation.is_usable(world, own.name) or not parameters.are_known(own, known):
            return {}
        self._given = parameters.values(self.run, own, known)
        self._change = stacks.reviewed(self.run, own, self.template(), self._given, known)
        return {own.name: self._guards()}

    def deploy(self, known: Outputs, *, paused: bool = False) -> None:
        """Make the change; ``known`` are the outputs of stacks before this one."""
        own = self.stack
        if not own.template:
            stacks.delete(self.run, own, quietly=True)
            return
        given = parameters.values(self.run, own, known, paused=paused)
        if given != self._given:
            self._examine(given, known)
        if split := node_group_updates.split(self.run, self._change):
            node_group_updates.make(self.run, split, given, known.get(bucket.NAME, ""))
            self._examine(given, known)
        if self._change:
            stacks.execute(self.run, self._change)

    def _examine(self, given: Mapping[str, str], known: Outputs) -> None:
        stacks.drop(self.run, self.stack.name)
        self._change = stacks.reviewed(self.run, self.stack, self.template(), given, known)
        stacks.agree(self.run, self.stack, self._guards())

    def _guards(self) -> list[Guard]:
        found = self._change
        if found is None or found.creates:
            return []
        resources = (found.template or {}).get("Resources", {})
        return [
            *groups_with_one_name(found.changes, resources),
            *losses(found.changes, of_foundation=False),
        ]
