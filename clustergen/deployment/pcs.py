"""Clusters of AWS PCS, and node groups in a cluster that exists."""

import datetime
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple, cast

from clustergen.base.artifacts import Json
from clustergen.deployment import cloudformation, nodes, schedules, slurm_nodes
from clustergen.deployment.bucket import Rows
from clustergen.deployment.cluster import each_stopped, stop_if_shared
from clustergen.deployment.kinds import Pcs
from clustergen.deployment.nodes import Node
from clustergen.deployment.run import Outputs
from clustergen.deployment.stack_cluster import StackCluster
from clustergen.deployment.world import AGAIN, Stop

_LOGIN = "login"
_TAG = "aws:pcs:compute-node-group-id"
_GROUP_MINUTES = 30
_NODES_MINUTES = 60
_STAYS = 20
"""Looks, 15 seconds apart, at which nodes have to be there: PCS terminates a node with a failed
script only after a while, and launches another."""
_LOST = 3
"""Nodes whose termination shows that they fail in a loop."""


class Group(NamedTuple):
    """A node group, and its size."""

    name: str
    id: str
    minimum: int
    maximum: int
    status: str = "ACTIVE"


class PcsCluster(StackCluster):
    """A cluster of AWS PCS."""

    node_type: ClassVar[str] = "AWS::PCS::ComputeNodeGroup"
    words: ClassVar[int] = 2

    @property
    def service(self) -> Pcs:
        return cast("Pcs", self.run.bundle.service)

    def nodes_end(self) -> str:
        login = ", and login nodes at once" if self.service.login else ""
        return f"PCS replaces nodes once they are idle{login}."

    def check(self) -> None:
        if self.service.cluster:
            self._check_joined()
            return
        today = datetime.datetime.fromtimestamp(self.run.world.clock.time(), datetime.UTC)
        end = self.service.end_of_life
        if end and f"{today:%Y-%m-%d}" > end and not self._id():
            raise Stop(
                f"PCS has created no cluster with Slurm {self.service.slurm} since {end}, and "
                f"{self.run.bundle.cluster} does not exist. Nothing was changed. Write another "
                f"slurm.version into the spec, such as {self.service.alternative}, and render "
                "again."
            )

    def _check_joined(self) -> None:
        """The nodes use Slurm of a version, and PCS adds them only to an active cluster."""
        id = self.service.cluster
        found = self.run.world.need("pcs:GetCluster", "cluster", clusterIdentifier=id)
        if found is None:
            raise Stop(f"there is no PCS cluster {id} in {self.run.bundle.region}")
        if found["status"] not in ("ACTIVE", "UPDATING"):
            raise Stop(f"the PCS cluster {id} is {found['status']}")
        version = found["scheduler"]["version"]
        if version != self.service.slurm:
            raise Stop(
                f'the PCS cluster {id} runs Slurm {version}: write slurm.version: "{version}" and '
                "render again"
            )

    def _id(self) -> str:
        """The id of the cluster; empty if there is none."""
        name = self.stack.name
        found = cloudformation.outputs(self.run.world, name).get("ClusterId", "")
        if not found:
            # A stack that was adopted has other outputs. The physical id is an id or an ARN.
            type = self.node_type if self.service.cluster else "AWS::PCS::Cluster"
            made = cloudformation.made(self.run.world, name, type)
            found = (self.service.cluster or made[0]) if made else ""
        return found.rpartition("/")[2]

    def _known_id(self) -> str:
        if found := self._id():
            return found
        what = "node groups do" if self.service.cluster else "cluster does"
        raise Stop(f"the {what} not exist: there is none in the stack {self.stack.name}")

    def outputs(self) -> Outputs:
        return {**super().outputs(), "ClusterId": self._known_id()}

    def report(self) -> list[list[str]]:
        return [[name, value] for name, value in super().outputs().items()]

    @property
    def shared(self) -> bool:
        return bool(self.service.cluster)

    @property
    def entrances(self) -> tuple[str, ...]:
        return (_LOGIN,)

    def state(self) -> Rows:
        return [
            ["group", g.name, f"{g.minimum} to {g.maximum} nodes", g.status] for g in self._present
        ]

    def nodes(self) -> Iterator[Node]:
        return nodes.tagged(self.run, _TAG, {g.id: g.name for g in self._present})

    @cached_property
    def _present(self) -> list[Group]:
        cluster = self._id()
        return self._groups(cluster, login=True) if cluster else []

    def drain(self, node: Node, entrance: Node) -> str:
        return slurm_nodes.drain(self.run, entrance, node)

    def test(self, group: str, entrance: Node | None) -> None:
        slurm_nodes.test(self.run, entrance, group)

    def log_groups(self) -> list[str]:
        id, kinds = self._known_id(), ("SCHEDULER", "JOBCOMP")
        delivered = [f"/aws/vendedlogs/pcs/cluster/PCS_{kind}_LOGS/{id}" for kind in kinds]
        return [f"/aws/pcs/{id}/lifecycle", *([] if self.service.cluster else delivered)]

    def _all(self, cluster: str) -> dict[str, str]:
        """The names of all node groups of the cluster, by id."""
        call, member = "pcs:ListComputeNodeGroups", "computeNodeGroups"
        found = self.run.world.ask_all(call, member, clusterIdentifier=cluster)
        if found is None:
            raise Stop(f"PCS has no cluster {cluster}")
        return {each["id"]: each["name"] for each in found}

    def _groups(self, cluster: str, *, login: bool = False) -> list[Group]:
        """The node groups of the stack: others may have added more to the cluster."""
        made = cloudformation.made(self.run.world, self.stack.name, self.node_type)
        named = self._all(cluster)
        wanted = (id for id in named if id in made and (login or named[id] != _LOGIN))
        found = (self._shown(cluster, id, named[id]) for id in wanted)
        return [group for group in found if group]

    def _shown(self, cluster: str, id: str, name: str) -> Group | None:
        """A node group as PCS shows it; None if it is gone."""
        call, member = "pcs:GetComputeNodeGroup", "computeNodeGroup"
        ids = {"clusterIdentifier": cluster, "computeNodeGroupIdentifier": id}
        found: Json | None = self.run.world.need(call, member, **ids)
        if found is None:
            return None
        size = found["scalingConfiguration"]
        least, most = int(size["minInstanceCount"]), int(size["maxInstanceCount"])
        return Group(name, id, least, most, found["status"])

    def _resize(self, cluster: str, group: Group, minimum: int, maximum: int) -> None:
        """Scale a node group; PCS also changes one whose last change failed."""

        def settled(*, failed: bool) -> Callable[[], Group | None]:
            return lambda: self._settled(cluster, group, failed=failed)

        what = f"the node group {group.name}"
        self.run.world.wait(_GROUP_MINUTES, what, settled(failed=True))
        self.run.world.change(
            "pcs:UpdateComputeNodeGroup",
            clusterIdentifier=cluster,
            computeNodeGroupIdentifier=group.id,
            scalingConfiguration={"minInstanceCount": minimum, "maxInstanceCount": maximum},
        )
        self.run.world.wait(_GROUP_MINUTES, what, settled(failed=False))

    def _settled(self, cluster: str, group: Group, *, failed: bool) -> Group | None:
        """The group once PCS does not change it; ``failed`` is whether a change may have failed."""
        found = self._shown(cluster, group.id, group.name)
        if found is None:
            raise Stop(f"PCS has no node group {group.id}")
        if found.status.endswith("_FAILED") and not (failed and found.status == "UPDATE_FAILED"):
            raise Stop(
                f"PCS could not change the node group {group.id}: aws --region "
                f"{self.run.bundle.region} pcs get-compute-node-group --cluster-identifier "
                f"{cluster} --compute-node-group-identifier {group.id}"
            )
        return found if found.status in ("ACTIVE", "UPDATE_FAILED") else None

    def _end(self, cluster: str, group: Group) -> None:
        """PCS may reject any change of a group whose capacity has ended."""
        try:
            self._resize(cluster, group, 0, 0)
        except Stop as error:
            self.run.tell(error)
            self.run.note(
                f"PCS keeps the size of {group.name}, whose capacity has ended: none of its nodes "
                "can start any more."
            )

    def settle(self) -> None:
        """Sizes by the time: a schedule may have changed them, and CloudFormation does not know."""
        if not self.service.sizes:
            return
        cluster = self._known_id()
        for group in self._groups(cluster):
            if size := self.service.sizes.get(group.name):
                phase = schedules.phase(self.run, group.name)
                least = size.minimum if phase == "before" else size.maximum
                if phase == "over":
                    self.run.note(f"The capacity of {group.name} has ended: it gets no nodes.")
                    if (group.minimum, group.maximum) != (0, 0):
                        self._end(cluster, group)
                elif (group.minimum, group.maximum) != (least, size.maximum):
                    self._resize(cluster, group, least, size.maximum)

    def counts(self) -> Rows:
        groups = self._groups(self._known_id())
        if not groups:
            raise Stop(f"{self.run.bundle.cluster} has no node groups")
        return [[g.name, g.id, str(g.minimum), str(g.maximum)] for g in groups]

    def stop(self, rows: Rows) -> None:
        cluster = self._known_id()
        ids = {row[0]: row[1] for row in rows}

        def stop(name: str) -> None:
            group = self._there(cluster, name, ids[name])
            if group and not self._has(group, (0, 0)):
                over = schedules.phase(self.run, name) == "over"
                self._end(cluster, group) if over else self._resize(cluster, group, 0, 0)

        each_stopped(self.run, ids, stop)
        # sbatch: More processors requested than permitted
        self.run.note(
            "Slurm has none of these nodes until --resume: sbatch rejects new jobs, except for "
            "queues that are down. Jobs that wait stay."
        )

    def start(self, rows: Rows) -> None:
        cluster = self._known_id()
        for name, id, minimum, maximum in rows:
            group = self._there(cluster, name, id) if name not in self.service.sizes else None
            wanted = int(minimum), int(maximum)
            if group and not self._has(group, wanted):
                self._resize(cluster, group, *wanted)

    def _has(self, group: Group, wanted: tuple[int, int]) -> bool:
        """Whether a group needs no change; a dry run shows every one."""
        same = (group.minimum, group.maximum, group.status) == (*wanted, "ACTIVE")
        return same and not self.run.options.rehearses

    def _there(self, cluster: str, name: str, id: str) -> Group | None:
        found = self._shown(cluster, id, name)
        if found is None:
            self.run.note(f"PCS no longer has the node group {name}: it is left out.")
        return found

    def wait(self, again: str = AGAIN) -> str:
        try:
            self._wait(again)
        except Stop as error:
            if error.notes:
                self.run.note("\n".join(error.notes))
            return str(error)
        return ""

    def _wait(self, again: str) -> None:
        """Wait until nodes run and stay, unless they start with the first job."""
        cluster = self._known_id()
        groups = [group for group in self._groups(cluster, login=True) if group.minimum]
        later = dict(self._later(groups))
        if not groups:
            return
        watch = _Watch(self, cluster, groups, later)
        what = "nodes to run, and to stay for 5 minutes"
        self.run.world.wait(_NODES_MINUTES, what, watch.stays, again)
        for name, start in later.items():
            self.run.note(f"PCS starts the nodes of {name} {start}. Nothing has to be run then.")

    def _later(self, groups: Collection[Group]) -> Iterator[tuple[str, str]]:
        """Each node group whose Capacity Block has not begun, and its beginning."""
        names = {group.name for group in groups}
        for name, id in self.service.blocks.items():
            if name not in names:
                continue
            state, start = self._block(id)
            if state == "active":
                continue
            if state not in _AHEAD:
                raise Stop(
                    f"the Capacity Block {id} is {state}: {name} gets no nodes from it. Everything "
                    "else of the cluster is deployed. Write the id of another block into the spec, "
                    f"or remove {name}."
                )
            yield name, f"at {start}, when {id} begins" if start else f"when {id} begins"

    def _block(self, id: str) -> tuple[str, str]:
        """State and beginning of a Capacity Block; who may not ask gets neither."""
        doubts: list[str] = []
        call = "ec2:DescribeCapacityReservations"
        answer = self.run.world.allowed(doubts, call, CapacityReservationIds=[id])
        if answer is None:
            return ("", "") if doubts else ("unknown to EC2", "")
        [found] = answer.get("CapacityReservations") or [{}]
        return found.get("State") or "", str(found.get("StartDate") or "")

    def instances(self, id: str) -> list[str]:
        """The ids of the instances of a node group that run."""
        return [node.id for node in nodes.tagged(self.run, _TAG, {id: ""}) if node.runs]

    def explain(self, cluster: str, groups: Collection[Group]) -> None:
        """The stack does not show nodes that PCS terminates and launches in a loop, at a cost."""
        aws = f"aws --region {self.run.bundle.region}"
        lines = [
            f"What nodes logged: {aws} logs tail /aws/pcs/{cluster}/lifecycle --since 1h",
            "Stop the costs of failing nodes with deploy.sh --pause, or one group with:",
        ]
        lines += [
            f"  {aws} pcs update-compute-node-group --cluster-identifier {cluster} "
            f"--compute-node-group-identifier {g.id} --scaling-configuration "
            f"minInstanceCount=0,maxInstanceCount=0  # {g.name}: {g.minimum} to {g.maximum}"
            for g in groups
        ]
        if self.service.login:
            lines.append("Login nodes stop with their command only: --pause leaves them.")
        self.run.note("\n".join(lines))

    def check_alone(self) -> None:
        """Other bundles may have added node groups to the cluster."""
        cluster = "" if self.service.cluster else self._id()
        if not cluster:
            return
        made = cloudformation.made(self.run.world, self.stack.name, self.node_type)
        call, member = "pcs:ListComputeNodeGroups", "computeNodeGroups"
        found = self.run.world.ask_all(call, member, clusterIdentifier=cluster) or []
        others = [f"the node group {each['name']}" for each in found if each["id"] not in made]
        stop_if_shared(
            others, "Let their owners delete them, with deploy.sh --destroy of their own bundles."
        )

    def count_nodes(self, id: str) -> int:
        return len(self.instances(id))

    def most_nodes(self, id: str) -> int | None:
        return self.service.most.get(id)


_AHEAD = (
    "",
    "pending",
    "payment-pending",
    "assessing",
    "scheduled",
    "delayed",
)
"""States of a Capacity Block that has not begun; empty where the caller may not ask."""


@dataclass
class _Watch:
    """The nodes of some looks ago."""

    cluster: PcsCluster
    id: str
    groups: Collection[Group]
    later: Collection[str]
    """Groups that get no nodes now."""
    seen: set[str] = field(default_factory=set)
    shown: str = " "
    lost: int = 0
    since: int = 0

    def stays(self) -> bool:
        """Whether the minimum number of nodes of every group has been running for some minutes."""
        there = {group: self.cluster.instances(group.id) for group in self.groups}
        every = {id for ids in there.values() for id in ids}
        if gone := self.seen - every:
            self.lost, self.since = self.lost + len(gone), 0
        self.seen = every
        lacking = "".join(
            f" {group.name} {len(ids)} of {group.minimum}"
            for group, ids in there.items()
            if len(ids) < group.minimum and group.name not in self.later
        )
        if lacking != self.shown:
            self.cluster.run.note(f"Starting nodes:{lacking or ' none'}")
            self.shown = lacking
        if self.lost >= _LOST:
            self.cluster.explain(self.id, self.groups)
            raise Stop(f"nodes fail in a loop: {self.lost} that ran have been terminated.")
        self.since = 0 if lacking else self.since + 1
        return self.since > _STAYS
