"""What the services that run clusters have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar

from clustergen.deployment import changes, cloudformation, parameters, resource_types
from clustergen.deployment.bucket import Rows
from clustergen.deployment.changes import Change, Guard
from clustergen.deployment.model import Stack
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.stacks import ChangeSet, Template
from clustergen.deployment.world import AGAIN, Stop


class Cluster:
    """A cluster in a stack. Services differ in what they do with its node groups."""

    node_type: ClassVar[str]
    """The type of its node groups."""
    unit: ClassVar[str] = "nodes"
    ends_jobs: ClassVar[bool] = True
    """Whether a pause ends jobs that run."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that every action needs."""
        return ()

    @property
    def stack(self) -> Stack:
        """The stack of the cluster."""
        return self.run.bundle.stacks["cluster"]

    @property
    def memory(self) -> str:
        """The key of what a pause remembers."""
        return f"paused/{self.run.bundle.cluster}-{self.run.bundle.target}"

    def exists(self) -> bool:
        """Whether there is a cluster, which uses the foundation."""
        return bool(cloudformation.status(self.run.world, self.stack.name))

    def check_owner(self) -> None:
        """Stop if what has the name of the cluster belongs to others, where no stack says so."""

    def check(self) -> None:
        """Stop before anything changes if the cluster cannot be deployed."""

    def template(self) -> Template:
        """The template of the stack."""
        return Template(self.stack.template, self.run.template("cluster"))

    def parameters(self, known: Outputs) -> Mapping[str, str]:
        """The parameters of the stack, from what :meth:`known` says."""
        return parameters.values(self.run, self.stack, known)

    def prepared(self) -> bool:
        """Prepare a change of the stack; whether its change set has to be made again then."""
        return False

    def before(self, outputs: Outputs) -> None:
        """What the stack needs, besides the foundation."""

    def known(self, outputs: Outputs) -> Outputs:
        """What parameters of the stack may need: outputs of the foundation, and facts."""
        return outputs

    def end_first(self) -> None:
        """End what would not survive a change of the stack, once that was reviewed."""

    def outputs(self) -> Outputs:
        """What other stacks need to know of the cluster."""
        return cloudformation.outputs(self.run.world, self.stack.name)

    def install(self, outputs: Outputs) -> None:
        """Install what runs in the cluster; ``outputs`` are those of the foundation."""

    def settle(self) -> None:
        """Give node groups of capacity with dates the sizes of the present time."""

    def wait(self, again: str = AGAIN) -> str:
        """Wait for nodes; why some lack, where that does not stop the rest."""
        del again
        return ""

    def counts(self) -> Rows:
        """The sizes of node groups, for a pause: a row for each, which begins with its name."""
        raise NotImplementedError

    def stop(self, rows: Rows) -> None:
        """Scale node groups to zero.

        :raises Stop: with those that were not, once the others are.
        """
        raise NotImplementedError

    def start(self, rows: Rows) -> None:
        """Give node groups without dates the sizes of before a pause."""
        raise NotImplementedError

    def release(self) -> None:
        """Let what runs in the cluster use nodes again, after a pause."""

    def check_alone(self) -> None:
        """Stop if others have something in the cluster, before it is deleted."""

    def clean_up(self) -> None:
        """Delete what is neither in the stack nor goes with it."""

    def report(self) -> list[list[str]]:
        """What the user needs to know of the cluster, as rows."""
        return []

    def nodes_end(self) -> str:
        """A sentence about jobs on nodes that are replaced."""
        raise NotImplementedError

    def guards(self, found: ChangeSet | None) -> list[Guard]:
        """What of a change of the cluster's stack needs consent."""
        if found is None or found.creates:
            return []
        return [
            *changes.groups_with_one_name(found.changes, self.run.template("cluster")["Resources"]),
            *changes.changed_shares(found.changes),
            *changes.losses(found.changes, of_foundation=False),
            *self._replaced_nodes(found.changes),
            *self._ended_nodes(found.changes),
        ]

    def count_nodes(self, id: str) -> int:
        """How many nodes of a node group run."""
        raise NotImplementedError

    def most_nodes(self, id: str) -> int | None:
        """How many nodes a group of this logical id may have; None if the service ends none."""
        del id
        return None

    def _replaced_nodes(self, found: Iterable[Change]) -> Iterator[Guard]:
        if self.run.options.new_image:
            return
        for each in self.renewed(found):
            if count := self.count_nodes(each.physical.rpartition("/")[2]):
                what = f"replace the {count} {self.unit} of {each.id}"
                yield Guard("replaces-nodes", what, self.nodes_end())

    def renewed(self, found: Iterable[Change]) -> list[Change]:
        """The node groups whose nodes a change replaces."""
        properties = resource_types.NODES[self.node_type]
        return changes.renewed(list(found), self.node_type, properties)

    def _ended_nodes(self, found: Iterable[Change]) -> Iterator[Guard]:
        """What a lower maximum ends."""
        for each in found:
            most = self.most_nodes(each.id)
            scaled = any("ScalingConfig" in path for path, _ in each.properties)
            if each.action != "Modify" or most is None or not scaled:
                continue
            count = self.count_nodes(each.physical.rpartition("/")[2])
            if count > most:
                what = f"end {count - most} of the {count} nodes of {each.id} with their jobs"
                yield Guard("removes-nodes", what)


def stop_at_others(names: list[str], way: str) -> None:
    """Stop before the cluster is deleted with what others have in it; ``way`` deletes that."""
    if names:
        raise Stop(
            f"the cluster has what is not this bundle's: {', '.join(names)}. It would go with the "
            f"cluster, or keep it from going. Nothing was deleted. {way} Then run this again."
        )


def each_stopped(run: Run, names: Iterable[str], stop: Callable[[str], None]) -> None:
    """Pause every group: nodes cost money, so that one failure does not keep others running.

    :raises Stop: with the groups that were not paused.
    """
    failed = []
    for name in names:
        try:
            stop(name)
        except Stop as error:
            run.tell(error)
            run.note(
                f"{name} could not be paused, for the reason above. The others are paused first."
            )
            failed.append(name)
    if failed:
        raise Stop(
            f"these were not paused, and their nodes continue to cost money: {', '.join(failed)}. "
            "Fix what was reported, and run deploy.sh --pause again."
        )
