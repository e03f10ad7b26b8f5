"""Clusters that CloudFormation deploys."""

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from clustergen.deployment import changes, cloudformation, parameters, resource_types, stacks
from clustergen.deployment.changes import Change, Guard
from clustergen.deployment.cluster import Cluster
from clustergen.deployment.model import Stack
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.stacks import ChangeSet, Template


class StackCluster(Cluster):
    """A cluster in a stack."""

    node_type: ClassVar[str]
    """The type of its node groups."""
    unit: ClassVar[str] = "nodes"

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._given: Mapping[str, str] | None = None
        """The parameters of the change set of the review."""
        self._change: ChangeSet | None = None

    @property
    def stack(self) -> Stack:
        """The stack of the cluster."""
        return self.run.bundle.stacks["cluster"]

    def exists(self) -> bool:
        return bool(cloudformation.status(self.run.world, self.stack.name))

    # -- what services add to a change

    def template(self) -> Template:
        """The template of the stack."""
        return Template(self.stack.template, self.run.template("cluster"))

    def known(self, outputs: Outputs) -> Outputs:
        """What parameters of the stack may need: outputs of the foundation, and facts."""
        return outputs

    def parameters(self, known: Outputs) -> Mapping[str, str]:
        """The parameters of the stack, from what :meth:`known` says."""
        return parameters.values(self.run, self.stack, known)

    def before(self, outputs: Outputs) -> None:
        """What the stack needs, besides the foundation."""

    def end_first(self) -> None:
        """End what would not survive a change of the stack, once that was reviewed."""

    def prepared(self, outputs: Outputs) -> bool:  # noqa: ARG002
        """Prepare a change of the stack; whether its change set has to be made again then."""
        return False

    def clean_up(self) -> None:
        """Delete what is neither in the stack nor goes with it."""

    # -- changes

    def review(self, outputs: Outputs) -> Mapping[str, list[Guard]]:
        own = self.stack
        known = self.known(outputs) if cloudformation.is_usable(self.run.world, own.name) else None
        if known is None or not parameters.are_known(own, known):
            return {}
        self.run.note("Before anything changes, the change of the cluster is reviewed.")
        self._given = self.parameters(known)
        self._change = stacks.reviewed(self.run, own, self.template(), self._given, outputs)
        return {own.name: self.guards(self._change)}

    def examine(self, outputs: Outputs) -> None:
        self.before(outputs)
        if self._given is None or self._has_moved(self._given, outputs):
            self._examine_again(outputs)
        self.end_first()
        if self._change and self.prepared(outputs):
            self._examine_again(outputs)

    def _examine_again(self, outputs: Outputs) -> None:
        own = self.stack
        stacks.drop(self.run, own.name)
        given = self.parameters(self.known(outputs))
        self._change = stacks.reviewed(self.run, own, self.template(), given, outputs)
        stacks.agree(self.run, own, self.guards(self._change))

    def _has_moved(self, before: Mapping[str, str], outputs: Outputs) -> bool:
        """Whether a change set is out of date: the foundation has other outputs."""
        known, sources = self.known(outputs), self.stack.parameters.items()
        named = ((name, source.output) for name, source in sources if source.output)
        return any(known.get(output) != before[name] for name, output in named)

    def change(self, outputs: Outputs) -> None:  # noqa: ARG002
        if self._change:
            stacks.execute(self.run, self._change)

    def delete(self) -> None:
        self.clean_up()
        stacks.delete(self.run, self.stack)

    def outputs(self) -> Outputs:
        return cloudformation.outputs(self.run.world, self.stack.name)

    # -- consent

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
