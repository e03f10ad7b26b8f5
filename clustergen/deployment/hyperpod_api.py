"""What SageMaker says of a HyperPod cluster."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment.bucket import Rows
from clustergen.deployment.nodes import Node
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop, at

MINUTES: Final = 180
"""Deep health checks alone take up to ninety minutes."""
_DELETION_MINUTES: Final = 60
RUNNING: Final = ("Creating", "Updating", "SystemUpdating", "RollingBack", "Deleting")
"""The status of a cluster that HyperPod is changing."""
_BUSY: Final = ("DeepHealthCheckInProgress", "SystemUpdating")
"""The status of nodes that HyperPod checks or updates. It rejects updates of the cluster meanwhile,
and nodes in deep health checks take no work. The cluster is in service all the time.
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-cli-command-update-cluster.html
"""
_EVENTS: Final = 5


class Api:
    """One cluster."""

    def __init__(self, run: Run, name: str) -> None:
        self.run, self.name = run, name
        self._shown = ""

    def describe(self) -> Json:
        """The cluster as HyperPod shows it; nothing if it does not exist."""
        call = "sagemaker:DescribeCluster"
        return self.run.world.ask(call, "ClusterStatus", ClusterName=self.name) or {}

    def status(self) -> str:
        """Empty if it does not exist."""
        return str(self.describe().get("ClusterStatus", ""))

    def nodes(self) -> list[Json]:
        """Its nodes."""
        call, member = "sagemaker:ListClusterNodes", "ClusterNodeSummaries"
        return self.run.world.ask_all(call, member, ClusterName=self.name) or []

    def nodes_among(self, among: Collection[str] | None) -> Iterator[Node]:
        """The nodes of these groups, or of all."""
        for each in self.nodes():
            group, name = each["InstanceGroupName"], each.get("PrivateDnsHostname") or ""
            if among is None or group in among:
                yield Node(group, each["InstanceId"], status_of(each), name)

    def id(self, shown: Json | None = None) -> str:
        """The id of the cluster."""
        found = self.describe() if shown is None else shown
        return str(found.get("ClusterArn", "")).rpartition("/")[2]

    def log_group(self, shown: Json | None = None) -> str:
        """The log group of its nodes."""
        return f"/aws/sagemaker/Clusters/{self.name}/{self.id(shown)}"

    def rows(self, shown: Json, own: Collection[str]) -> Rows:
        """Its state, and that of its ``own`` groups."""
        status, why = shown.get("ClusterStatus", ""), shown.get("FailureMessage") or ""
        groups = (each for name, each in groups_of(shown).items() if name in own)
        return [["cluster", self.name, status, why], *map(_row, groups)]

    def busy(self, among: Collection[str] | None = None) -> str:
        """How many nodes HyperPod checks or updates, of these groups or of all."""
        found = Counter(
            (each["InstanceGroupName"], status_of(each))
            for each in self.nodes()
            if status_of(each) in _BUSY and (among is None or each["InstanceGroupName"] in among)
        )
        return "".join(f", {n} of {group} in {what}" for (group, what), n in sorted(found.items()))

    def begin(self) -> None:
        """Begin to watch: the first state is said, too."""
        self._shown = ""

    def tell(self, state: str) -> None:
        """Say a state of the cluster when it changes."""
        if state != self._shown:
            self.run.note(f"{self.name}: {state}")
        self._shown = state

    def settled(self, what: str) -> str:
        """The status once HyperPod has done what it is doing."""
        return self.run.world.settled(MINUTES, what, self.status, RUNNING.__contains__)

    def updatable(self) -> Json:
        """The cluster once HyperPod accepts an update of it."""
        self.begin()

        def updatable() -> tuple[Json] | None:
            found = self.describe()
            status = str(found.get("ClusterStatus", ""))
            busy = self.busy() if status == "InService" else ""
            if status in RUNNING or busy:
                self.tell(f"{status}{busy}")
                return None
            return (found,)

        what = f"{self.name} to accept an update"
        return self.run.world.wait(MINUTES, what, updatable)[0]

    def add_tags(self, shown: Json) -> None:
        """Give the cluster the tags of the bundle: UpdateCluster has none."""
        if tags := self.run.tags:
            arn = shown["ClusterArn"]
            self.run.world.change("sagemaker:AddTags", ResourceArn=arn, Tags=tags)

    def tell_of_left(self, groups: Iterable[str]) -> None:
        """Say how to delete groups that have left the spec."""
        for name in groups:
            self.run.note(
                f"The instance group {name} runs and costs money, but is not in the spec. To "
                f"delete it, and what runs on it: aws --region {self.run.bundle.region} "
                f"sagemaker update-cluster --cluster-name {self.name} "
                f"--instance-groups-to-delete {name}"
            )

    def replace(self, id: str) -> None:
        """Replace a node."""
        call = "sagemaker:BatchReplaceClusterNodes"
        found = self.run.world.change(call, ClusterName=self.name, NodeIds=[id])
        for each in found.get("Failed", ()):
            raise Stop(f"HyperPod does not replace {id}: {each.get('Message')}")

    def delete(self, explain: Callable[[], None]) -> None:
        """Delete the cluster, and wait until it is gone; ``explain`` says why it is not."""
        world, status = self.run.world, self.status()
        if not status:
            self.run.note(f"The HyperPod cluster {self.name} does not exist.")
            return
        if status == "Creating":
            status = self._delete_in_creation()
        elif status in ("Updating", "SystemUpdating", "RollingBack"):
            status = self.settled("what HyperPod is doing")
        if status and status != "Deleting":
            world.change("sagemaker:DeleteCluster", ClusterName=self.name)

        def is_deleted() -> bool:
            found = self.status()
            if found == "Failed":
                explain()
                raise Stop(
                    "the cluster could not be deleted: fix the errors above, and run this again."
                )
            return not found and world.is_gone(self.status)

        world.wait(_DELETION_MINUTES, f"the deletion of {self.name}", is_deleted)

    def _delete_in_creation(self) -> str:
        """HyperPod does not document whether it accepts this; the status then."""
        try:
            self.run.world.change("sagemaker:DeleteCluster", ClusterName=self.name)
        except Stop as stop:
            self.run.tell(stop)
            self.settled(f"the creation of {self.name}")
        return self.status()

    def explain(self, *, events: bool, among: Collection[str] | None = None) -> None:
        """Say why it failed, and where logs are: scripts log the name of the failed step."""
        found = self.describe()
        why = found.get("FailureMessage") or "no failure of the cluster as a whole"
        self.run.note(f"HyperPod reports: {why}")
        if events:
            self._explain_events(among)
        group = self.log_group(found)
        self.run.note(f"Log group:     {group}")
        for each in self.nodes():
            name = each["InstanceGroupName"]
            if status_of(each) != "Running" and (among is None or name in among):
                stream = f"LifecycleConfig/{name}/{each['InstanceId']}"
                self.run.note(f"Log stream:    {stream} ({status_of(each)})")
        self.run.note(
            f"Follow it:     aws --region {self.run.bundle.region} logs tail {group} "
            "--log-stream-name-prefix LifecycleConfig/ --since 3h"
        )

    def _explain_events(self, among: Collection[str] | None) -> None:
        """Problems of single instances and groups, such as a lack of capacity, are only there."""
        world, name = self.run.world, self.name
        order = {"SortBy": "EventTime", "SortOrder": "Descending"}
        call = "sagemaker:ListClusterEvents"
        answer = world.ask(call, ClusterName=name, MaxResults=50, **order) or {}
        # Those without a group are about the cluster as a whole.
        told = [
            each
            for each in answer.get("Events", ())
            if each.get("EventLevel") != "Info"
            and (among is None or each.get("InstanceGroupName") in (None, *among))
        ]
        for each in told[:_EVENTS]:
            names = ("EventTime", "InstanceGroupName", "InstanceId", "Description")
            words = " ".join(str(each.get(name)) for name in names)
            self.run.note(f"Event:         {words}")
            id = each["EventId"]
            detail = world.ask("sagemaker:DescribeClusterEvent", ClusterName=name, EventId=id)
            metadata = at(detail, "EventDetails.EventDetails.EventMetadata") or {}
            reasons = (of.get("FailureMessage") for of in metadata.values())
            for reason in [reason for reason in reasons if reason][:1]:
                self.run.note(f"               {reason}")


def status_of(node: Json) -> str:
    """The status of a node."""
    return str(at(node, "InstanceStatus.Status"))


def groups_of(shown: Json) -> dict[str, Json]:
    """The instance groups of a cluster or of a request, by name."""
    found = shown.get("InstanceGroups") or ()
    return {each["InstanceGroupName"]: each for each in found}


def _row(group: Json) -> list[str]:
    size = f"{group.get('CurrentCount')} of {group.get('TargetCount')} nodes"
    return ["group", group["InstanceGroupName"], size, group.get("Status") or ""]


def incomplete(groups: Iterable[Json], is_absent: Callable[[str], bool]) -> str:
    """Groups with nodes too few or too many; a group with a minimum needs only that.

    With continuous provisioning, nodes join and end while the cluster is in service. ``is_absent``
    is whether a group lacks nodes because there is no capacity for them now.
    """
    text = ""
    for each in groups:
        name, members = each["InstanceGroupName"], ("CurrentCount", "TargetCount", "MinCount")
        has, wants, least = (int(each.get(member) or 0) for member in members)
        lacks = has < wants and (not least or has < least)
        if (has > wants or lacks) and not is_absent(name):
            text += f" {name} {has} {'instead of' if has > wants else 'of'} {wants}"
    return text
