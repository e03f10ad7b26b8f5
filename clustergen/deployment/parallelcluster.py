"""Clusters of ParallelCluster, whose own command deploys them from ``cluster.yaml``."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, cast

from clustergen.base.artifacts import Json
from clustergen.deployment import (
    bucket,
    cloudformation,
    filling,
    foundation,
    pcluster_changes,
    pcluster_storage,
    slurm_nodes,
)
from clustergen.deployment.bucket import Rows
from clustergen.deployment.changes import Guard
from clustergen.deployment.cluster import Cluster
from clustergen.deployment.kinds import ParallelCluster
from clustergen.deployment.nodes import Node
from clustergen.deployment.pcluster import Pcluster
from clustergen.deployment.run import FILLED, Outputs, Run
from clustergen.deployment.world import Stop

_CONFIGURATION: Final = "cluster.yaml"
_GIVEN: Final = ("--cluster-configuration", f"{FILLED}/{_CONFIGURATION}")
_HOOK: Final = "scripts/hook.sh"
_HEAD: Final = "HeadNode"
_MINUTES: Final = 120
"""File systems and static nodes take a while."""
_DELETION_MINUTES: Final = 60
_FLEET_MINUTES: Final = 30


class ParallelClusterCluster(Cluster):
    """A cluster of ParallelCluster."""

    remembers: ClassVar[bool] = False

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.pcluster = Pcluster(run)
        self._command = ""
        """The command that makes the change; empty if nothing changes."""
        self._accepted = ""
        """The configuration that ParallelCluster has accepted."""

    @property
    def service(self) -> ParallelCluster:
        return cast("ParallelCluster", self.run.bundle.service)

    @property
    def programs(self) -> tuple[str, ...]:
        return ("pcluster", "node")

    # -- what is there

    def _status(self) -> str:
        """The status of the cluster; empty if it does not exist."""
        found = self.pcluster.ask("describe-cluster")
        if found is not None and not found.get("clusterStatus"):
            raise Stop(f"ParallelCluster shows no status of {self._name}. Run this again.")
        status = str(found["clusterStatus"]) if found else ""
        return "" if status == "DELETE_COMPLETE" else status

    @property
    def _name(self) -> str:
        return self.run.bundle.cluster

    def _settled(self, *running: str) -> str:
        """The status once ParallelCluster has done what it is doing: these, or everything."""

        def runs(found: str) -> bool:
            return found in running if running else found.endswith("_IN_PROGRESS")

        what = f"what {self._name} is doing"
        return self.run.world.settled(_MINUTES, what, self._status, runs)

    def exists(self) -> bool:
        return bool(self._status())

    @property
    def entrances(self) -> tuple[str, ...]:
        return "LoginNode", _HEAD

    def state(self) -> Rows:
        return [["cluster", self._name, self._status()], ["fleet", self._name, self._fleet()]]

    def nodes(self) -> Iterator[Node]:
        """Compute nodes by their queues, the others by their kind."""
        for each in self.pcluster.instances():
            group = each.get("queueName") or each.get("nodeType", "")
            addresses = each.get("privateIpAddress", ""), each.get("publicIpAddress", "")
            yield Node(group, each["instanceId"], each.get("state", ""), *addresses)

    def drain(self, node: Node, entrance: Node) -> str:
        return slurm_nodes.drain(self.run, entrance, node)

    def test(self, group: str, entrance: Node | None) -> None:
        slurm_nodes.test(self.run, entrance, group)

    def replace(self, node: Node) -> None:
        if node.group == _HEAD:
            raise Stop("ParallelCluster has one head node, and cannot replace it.")
        super().replace(node)

    def log_groups(self) -> list[str]:
        there = cloudformation.resources(self.run.world, self._name)
        found = (e for e in there if e["ResourceType"] == "AWS::Logs::LogGroup")
        return [id for each in found if (id := each.get("PhysicalResourceId"))]

    def check_owner(self) -> None:
        """The head node has the subnet, the security groups and the bucket of its foundation."""
        version = self.pcluster.version()
        if version != self.service.version:
            raise Stop(f"pcluster {self.service.version} is required, not {version}")
        if not self._status():
            return
        call, outputs = "cloudformation:GetTemplate", foundation.outputs(self.run)
        body = self.run.world.need(call, "TemplateBody", StackName=self._name)
        if body is None:
            return
        text = body if isinstance(body, str) else json.dumps(body)
        known = (filling.filled(each, outputs) for each in self.service.own)
        if not any(each and each in text for each in known):
            raise Stop(
                f"there is a cluster {self._name} with a head node in a network that is not this "
                "bundle's. Nothing was changed. Give the cluster another name in the spec; or add "
                "--outputs FILE if its foundation is not that of this bundle."
            )

    def check(self) -> None:
        """Without login nodes, ParallelCluster does not check the network, and fails late."""
        vpc, world = self.run.bundle.network.vpc, self.run.world
        if not vpc or self.run.options.rehearses:
            return
        call, member = "ec2:DescribeSubnets", "Subnets"
        subnets = world.ask_all(call, member, member, SubnetIds=[*self.service.subnets]) or []
        found = sorted({each["VpcId"] for each in subnets})
        if found != [vpc]:
            raise Stop(f"the subnets are not all in {vpc}, but in: {' '.join(found)}")
        for name in ("enableDnsSupport", "enableDnsHostnames"):
            path = f"{name[0].upper()}{name[1:]}.Value"
            if not world.need("ec2:DescribeVpcAttribute", path, VpcId=vpc, Attribute=name):
                raise Stop(f"{name} of {vpc} is off")

    # -- changes

    def review(self, outputs: Outputs) -> Mapping[str, list[Guard]]:
        text = self.run.text(_CONFIGURATION)
        if self.run.options.rehearses or not filling.names(text) <= outputs.keys():
            return {}
        if self._chosen() != "update-cluster" or not self._has_uploads(outputs):
            return {}
        return {self._name: self._validated("update-cluster", outputs)}

    def _has_uploads(self, outputs: Outputs) -> bool:
        """Whether the bucket has what ParallelCluster validates; only a plan uploads nothing."""
        if not self.run.options.plan:
            bucket.upload(self.run, outputs)
            self._provide_hook(outputs)
            return True
        keys = [*self.run.bundle.uploads, *filter(None, [self.service.hook])]
        if keys and not all(bucket.has(self.run, outputs, key) for key in keys):
            self.run.note(
                f"ParallelCluster validates {_CONFIGURATION} once its scripts are uploaded. A "
                "deployment does that first, and stops before anything else changes."
            )
            return False
        return True

    def _chosen(self) -> str:
        """The command that deploys the cluster, once no other operation runs."""
        if self.run.options.rehearses:
            return "create-cluster"
        status = self._settled()
        if status in ("CREATE_FAILED", "DELETE_FAILED"):
            self._explain()
            raise Stop(
                f"the cluster is {status} and cannot be updated: read the reason, then run "
                f"deploy.sh --destroy{self._with_data('its data is deleted, too')} and deploy.sh. "
                "It costs money until then."
            )
        return "update-cluster" if status else "create-cluster"

    def _with_data(self, words: str) -> str:
        return f" --allow-replacement ({words})" if self.run.bundle.losses.data else ""

    def examine(self, outputs: Outputs) -> None:
        self._provide_hook(outputs)
        command = self._chosen()
        if self.run.options.rehearses:
            filling.fill(self.run, _CONFIGURATION, outputs)
            self._command = command
            return
        same = filling.filled(self.run.text(_CONFIGURATION), outputs) == self._accepted
        # Nodes may have started while the foundation changed.
        if command != "update-cluster" or not same or self.run.changed:
            self.run.agree({self._name: self._validated(command, outputs)})

    def _validated(self, command: str, outputs: Outputs) -> list[Guard]:
        """What of a configuration needs consent that ParallelCluster accepts.

        :raises Stop: if it does not.
        """
        text = filling.fill(self.run, _CONFIGURATION, outputs)
        said = self.pcluster.try_out(command, *_GIVEN)
        message = str(said.get("message"))
        if "No changes found" in message:
            self.run.note(f"{_CONFIGURATION} is already deployed")
            self._accepted, self._command = text, ""
            return []
        if "DryRun flag is set" not in message:
            raise self._rejected(said)
        self.run.note(f"ParallelCluster accepts {_CONFIGURATION}")
        for each in said.get("validationMessages") or ():
            if each.get("level") == "WARNING":
                self.run.note(f"ParallelCluster warns: {each.get('message')}")
        self._accepted, self._command = text, command
        found = list(pcluster_changes.changed(said))
        if found:
            lines = (f"  {each.text}" for each in found)
            self.run.note("\n".join([f"{self._name} changes:", *lines]))
        return list(pcluster_changes.guards(self.pcluster, self.service, found))

    def _rejected(self, said: Json) -> Stop:
        text = json.dumps(said, indent=2)
        if self.service.reserved and _FORGOTTEN.search(text):
            # It reads each reservation before it compares, and takes the first of an empty list.
            self.run.note(
                "EC2 no longer knows a reservation in the spec, which ParallelCluster validates at "
                "each deployment: write the id of other capacity into the spec, or remove the node "
                "group."
            )
        if "top the compute fleet" in text:
            self.run.note(
                "To stop the compute fleet, run deploy.sh --pause, which ends running jobs; then "
                "run this again, and deploy.sh --resume after it."
            )
        return Stop(
            f"ParallelCluster does not accept {_CONFIGURATION}, for the reason above. Nothing was "
            "changed in the cluster. Fix that, and run this again.",
            text,
        )

    def _provide_hook(self, outputs: Outputs) -> None:
        """ParallelCluster validates that there is one; nodes read that of the last deployment."""
        key = self.service.hook
        if key and not self.run.options.rehearses and not bucket.has(self.run, outputs, key):
            bucket.put(self.run, outputs, key, _HOOK)

    def change(self, outputs: Outputs) -> None:
        # Head and login nodes read these.
        if self.service.hook:
            bucket.put(self.run, outputs, self.service.hook, _HOOK)
        if self.service.workspace:
            workspace = bucket.value(outputs, "MetricsWorkspaceId")
            text = json.dumps({"workspace": workspace}) + "\n"
            key, path = self.service.workspace, "workspace.json"
            bucket.put_text(self.run, outputs, key, path, text)
        if self._command:
            # A rollback would delete the head node, and its logs with it.
            kept = ["--rollback-on-failure", "false"] if self._command == "create-cluster" else []
            self.pcluster.change(self._command, *_GIVEN, *kept)
            self._wait_until_complete()

    def _wait_until_complete(self) -> None:
        if self.run.options.rehearses:
            return
        status = self._settled()
        if status in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
            return
        self._explain()
        if status == "CREATE_FAILED":
            raise Stop(
                f"the cluster is {status}; it is kept for inspection, and costs money. To delete "
                f"it: deploy.sh --destroy{self._with_data('with its data')}"
            )
        raise Stop(f"the cluster is {status or 'deleted'}. Fix this, and run this again.")

    def _explain(self) -> None:
        """Say why it failed, and where its logs are."""
        failures = (self.pcluster.ask("describe-cluster") or {}).get("failures") or ()
        for each in [*failures][:1]:
            self.run.note(f"ParallelCluster says: {each.get('failureReason')}")
        where = f"--cluster-name {self._name} --region {self.run.bundle.region}"
        self.run.note(
            f"The events of its stack: pcluster get-cluster-stack-events {where} "
            "--query \"events[?contains(resourceStatus, 'FAILED')]\"\n"
            f"The logs of its nodes: pcluster list-cluster-log-streams {where}"
        )

    def report(self) -> list[list[str]]:
        """Not its configuration, to which pcluster gives a link that opens it to everyone."""
        found = self.pcluster.ask("describe-cluster") or {}
        shown = {name: found.get(name) for name in ("clusterStatus", "computeFleetStatus")}
        head = found.get("headNode") or {}
        shown |= {f"headNode.{name}": value for name, value in head.items()}
        shown |= {"loginNodes": found.get("loginNodes")}
        return [[k, v if isinstance(v, str) else json.dumps(v)] for k, v in shown.items() if v]

    # -- pauses

    def _fleet(self) -> str:
        found = self.pcluster.ask("describe-compute-fleet")
        if found is None:
            raise Stop(f"the cluster {self._name} does not exist")
        return str(found.get("status"))

    def is_stopped(self) -> bool:
        """Some changes need a stopped fleet, so that a deployment does not start it."""
        return not self.run.options.rehearses and self._fleet() == "STOPPED"

    def counts(self) -> Rows:
        return []

    def stop(self, rows: Rows) -> None:  # noqa: ARG002
        self._request("STOP_REQUESTED", "STOPPED", "the compute fleet to stop")

    def start(self, rows: Rows) -> None:  # noqa: ARG002
        self._request("START_REQUESTED", "RUNNING", "the compute fleet to start")

    def _request(self, request: str, wanted: str, what: str) -> None:
        self.pcluster.change("update-compute-fleet", "--status", request)
        if not self.run.options.rehearses:
            self.run.world.wait(_FLEET_MINUTES, what, lambda: self._fleet() == wanted)

    # -- deletion

    def check_alone(self) -> None:
        if not (self.run.options.rehearses or self.run.consents("replaces-resource")):
            pcluster_storage.check(self.run, self.service, self._name)

    def delete(self) -> None:
        if self.run.options.rehearses:
            self.pcluster.change("delete-cluster")
            return
        # A cluster can be deleted during its creation, but not during an update.
        status = self._settled("UPDATE_IN_PROGRESS")
        known = self._stack_id(exists=bool(status))
        if not status:
            self.run.note(f"The cluster {self._name} does not exist.")
        elif status != "DELETE_IN_PROGRESS":
            self.pcluster.change("delete-cluster")
        if status:
            what = f"the deletion of {self._name}"
            self.run.world.wait(_DELETION_MINUTES, what, self._is_deleted)
        if known:
            pcluster_storage.name_kept(self.run, self.service, known)
        self.run.filled(_DELETING).unlink(missing_ok=True)

    def _stack_id(self, *, exists: bool) -> str:
        """Of the stack that is deleted, by which CloudFormation still knows it afterwards.

        Once it is gone, that which an interrupted run knew; empty without one.
        """
        found = cloudformation.describe(self.run.world, self._name) if exists else {}
        if found is None:
            raise Stop(f"CloudFormation has no stack of {self._name}. Run this again.")
        return self.run.last_known(_DELETING, found["StackId"] if exists else "")

    def _is_deleted(self) -> bool:
        status = self._status()
        if status == "DELETE_FAILED":
            self._explain()
            raise Stop(
                "the cluster could not be deleted: fix what its events report, and run this again."
            )
        return not status and self.run.world.is_gone(self._status)


_DELETING: Final = "deleting-cluster"
"""The file with the stack that a run deletes."""
_FORGOTTEN: Final = re.compile(
    "InvalidCapacityReservationId|[Cc]apacity reservation.*not (exist|found)"
    "|list index out of range"
)
