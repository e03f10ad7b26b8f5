"""What the services that run clusters have in common."""

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from clustergen.deployment import bucket
from clustergen.deployment.bucket import Rows
from clustergen.deployment.changes import Guard
from clustergen.deployment.nodes import Node
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.world import AGAIN, Stop


class Cluster:
    """A cluster. Services differ in how they change it, and in what they do with its nodes."""

    logs_by_node: ClassVar[bool] = True
    """Whether the names of log streams have the ids of nodes."""
    ends_jobs: ClassVar[bool] = True
    """Whether a pause ends jobs that run."""
    remembers: ClassVar[bool] = True
    """Whether a pause writes down the sizes of node groups; if not, the service knows them."""
    words: ClassVar[int] = 1
    numbers: ClassVar[int] = 2
    """What a row of :meth:`counts` consists of."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that every action needs."""
        return ()

    @property
    def memory(self) -> str:
        """The key of what a pause remembers."""
        return f"paused/{self.run.bundle.cluster}-{self.run.bundle.target}"

    def recall(self, outputs: Outputs) -> Rows | None:
        """What a pause has remembered; None if there was none."""
        key, words, numbers = self.memory, self.words, self.numbers
        return bucket.recall(self.run, outputs, key, words, numbers)

    def exists(self) -> bool:
        """Whether there is a cluster, which uses the foundation."""
        raise NotImplementedError

    # -- what people look at every day

    @property
    def eks_cluster(self) -> str:
        """The name of the EKS cluster in which pods run; empty without one."""
        return ""

    @property
    def shared(self) -> bool:
        """Whether others have nodes in the cluster, too."""
        return False

    @property
    def entrances(self) -> Iterable[str]:
        """The groups of nodes where people log in, the best first."""
        return ()

    def state(self) -> Rows:
        """The state of what exists besides nodes: rows that begin with what each is about."""
        raise NotImplementedError

    def nodes(self) -> Iterable[Node]:
        """The nodes of this bundle."""
        raise NotImplementedError

    def session(self, node: Node) -> str:
        """What Session Manager calls a node."""
        return node.id

    def log_groups(self) -> list[str]:
        """The log groups in CloudWatch."""
        raise NotImplementedError

    def drain(self, node: Node, entrance: Node) -> str:
        """Let the jobs of a node end, and keep others off it; how to take that back.

        Commands for that run on ``entrance``, another node if there is one.
        """
        raise NotImplementedError

    def test(self, group: str, entrance: Node | None) -> None:
        """Run the tests of the bundle, of all node groups or of one; they need idle nodes.

        :raises Stop: if one fails.
        """
        raise NotImplementedError

    def replace(self, node: Node) -> None:
        """End a node that runs, with its jobs: its group gets another one."""
        self.run.world.change("ec2:TerminateInstances", InstanceIds=[node.id])

    def is_paused(self, outputs: Outputs) -> bool:
        """Whether a pause has remembered the sizes of node groups."""
        return self.may_remember(outputs) and self.recall(outputs) is not None

    def may_remember(self, outputs: Outputs) -> bool:
        """Whether there is a bucket for what a pause remembers."""
        return self.remembers and bucket.NAME in outputs

    # -- deployments

    def check_owner(self) -> None:
        """Stop if what has the name of the cluster belongs to others, where no stack says so."""

    def check(self) -> None:
        """Stop before anything changes if the cluster cannot be deployed."""

    def while_paused(self) -> None:
        """Prepare to deploy a cluster that is paused."""
        raise Stop(f"{self.run.bundle.cluster} is paused: run deploy.sh --resume first.")

    def review(self, outputs: Outputs) -> Mapping[str, list[Guard]]:
        """Examine the change of the cluster before the foundation changes.

        What of it needs consent, by the name of the stack. ``outputs`` are those of the foundation
        so far: without what the cluster needs, it is examined later only.
        """
        raise NotImplementedError

    def examine(self, outputs: Outputs) -> None:
        """Examine the change of the cluster, unless :meth:`review` has; ask for consent."""
        raise NotImplementedError

    def change(self, outputs: Outputs) -> None:
        """Make the change that was examined, and wait for it."""
        raise NotImplementedError

    def outputs(self) -> Outputs:
        """What other stacks need to know of the cluster."""
        return {}

    def install(self, outputs: Outputs) -> None:
        """Install what runs in the cluster; ``outputs`` are those of the foundation."""

    def install_software(self, outputs: Outputs) -> None:
        """Install what runs in the cluster, whatever a deployment does; ``outputs`` as above."""
        del outputs
        raise Stop("this cluster has no software of Kubernetes to install.")

    def software_of_bundle(self) -> Callable[[], None]:
        """What deletes what the bundle has in a cluster that others own."""
        raise Stop("this bundle has nothing in a cluster of others: see --destroy.")

    def settle(self) -> None:
        """Give node groups of capacity with dates the sizes of the present time."""

    def wait(self, again: str = AGAIN) -> str:
        """Wait for nodes; why some lack, where that does not stop the rest."""
        del again
        return ""

    def is_stopped(self) -> bool:
        """Whether a cluster that was deployed is paused."""
        return False

    def counts(self) -> Rows:
        """The sizes of node groups, for a pause: a row for each, which begins with its name."""
        raise NotImplementedError

    def stop(self, rows: Rows) -> None:
        """Scale node groups to zero; raises Stop with those that were not, once the others are."""
        raise NotImplementedError

    def start(self, rows: Rows) -> None:
        """Give node groups without dates the sizes of before a pause."""
        raise NotImplementedError

    def release(self) -> None:
        """Let what runs in the cluster use nodes again, after a pause."""

    def check_alone(self) -> None:
        """Stop if others have something in the cluster, before it is deleted."""

    def delete(self) -> None:
        """Delete the cluster, with what is not in its stack and does not go with it."""
        raise NotImplementedError

    def report(self) -> list[list[str]]:
        """What the user needs to know of the cluster, as rows."""
        return []


def stop_if_shared(names: list[str], way: str) -> None:
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
