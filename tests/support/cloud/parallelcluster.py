"""pcluster 3.16.1, which answers errors on stdout and ends even a good dry run with one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from tests.support.cloud.answers import Done

if TYPE_CHECKING:
    from tests.support.cloud.account import Account, Fault

_TYPES = {
    "Ebs": "AWS::EC2::Volume",
    "Efs": "AWS::EFS::FileSystem",
    "FsxLustre": "AWS::FSx::FileSystem",
}
CREATION, CHANGE = 90, 60
"""Seconds."""
_DELETED = {"Retain": "SKIPPED"}


class Pcluster:
    """One cluster, by the configuration that it was last given."""

    STACK = "arn:aws:cloudformation:us-east-1:111122223333:stack/example/0a1b2c3d"

    def __init__(self, account: Account) -> None:
        self.account = account
        self.version = "3.16.1"
        self.status = ""
        self.configuration = ""
        self.fleet = "RUNNING"
        self.refusal = ""
        self.findings: list[dict[str, str]] = []
        """What validators find in a configuration that is accepted."""
        self.fails = False
        self.nodes: dict[str, int] = {}
        """How many nodes of a queue run."""
        self.silent = False
        """The status is left out of answers."""
        self.resources: list[dict[str, str]] = []
        """Storage of the stack that was deleted."""
        self.until: float = 0
        self.next = ""

    def run(self, words: list[str], fault: Fault | None) -> Done:
        command, *rest = words
        options = dict(zip(rest[::2], rest[1::2], strict=False))
        if command == "version":
            return _said(version=self.version)
        if fault and not fault.code:
            return Done()
        if fault:
            return _refused(fault.message)
        if not self.status and command != "create-cluster":
            return _refused(
                "Cluster 'example' does not exist or belongs to an incompatible ParallelCluster "
                "major version."
            )
        found: Done = getattr(self, command.replace("-", "_"))(options)
        return found

    def describe_cluster(self, options: dict[str, str]) -> Done:
        if self.silent:
            return Done()
        link = {"url": "https://bucket.s3.amazonaws.com/cluster-config.yaml?X-Amz-Signature=0a1b"}
        shown: dict[str, Any] = {"clusterStatus": self.status, "clusterConfiguration": link}
        shown["headNode"] = {"instanceId": "i-0a1b2c3d4e5f67890", "state": "running"}
        if self.status == "CREATE_FAILED":
            shown["failures"] = [{"failureReason": "Cluster creation timed out."}]
        return Done(out=json.dumps(shown))

    def create_cluster(self, options: dict[str, str]) -> Done:
        return self._change(options, "CREATE", CREATION)

    def update_cluster(self, options: dict[str, str]) -> Done:
        if not self.status.endswith(("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_FAILED")):
            return _refused(f"Cluster is in {self.status}: update is not possible")
        return self._change(options, "UPDATE", CHANGE)

    def _change(self, options: dict[str, str], verb: str, seconds: int) -> Done:
        text = (self.account.cwd / options["--cluster-configuration"]).read_text()
        if self.refusal:
            return _refused(self.refusal)
        if verb == "UPDATE" and text == self.configuration:
            return _refused("No changes found in your cluster configuration.")
        if options.get("--dryrun") == "true":
            said = "Request would have succeeded, but DryRun flag is set."
            more: dict[str, Any] = {"validationMessages": self.findings} if self.findings else {}
            more |= {"message": said, "changeSet": _changes(self.configuration, text)}
            return Done(1, out=json.dumps(more, indent=2))
        self.configuration, self.status = text, f"{verb}_IN_PROGRESS"
        self.next = f"{verb}_FAILED" if self.fails else f"{verb}_COMPLETE"
        self.until = self.account.clock + seconds
        return _said(clusterStatus=self.status)

    def delete_cluster(self, options: dict[str, str]) -> Done:
        self.status, self.next, self.until = "DELETE_IN_PROGRESS", "gone", self.account.clock + 60
        found = yaml.safe_load(self.template())["Resources"].values()
        self.resources = [
            {
                "ResourceType": each["Type"],
                "PhysicalResourceId": f"id-{number}",
                "ResourceStatus": f"DELETE_{_DELETED.get(each['DeletionPolicy'], 'COMPLETE')}",
            }
            for number, each in enumerate(found)
        ]
        return _said(clusterStatus=self.status)

    def template(self) -> str:
        """Of its stack: what it created for the storage, and what a head node has."""
        resources: dict[str, Any] = {}
        stored = (yaml.safe_load(self.configuration) or {}).get("SharedStorage", ())
        for number, each in enumerate(stored):
            settings = each.get(f"{each['StorageType']}Settings", {})
            if policy := settings.get("DeletionPolicy"):
                type = _TYPES[each["StorageType"]]
                resources[f"Storage{number}"] = {"DeletionPolicy": policy, "Type": type}
        return yaml.safe_dump({"Resources": resources, "Configuration": self.configuration})

    def log_group(self) -> dict[str, str]:
        """That of its stack."""
        name = "/aws/parallelcluster/example-202611290000"
        return {"ResourceType": "AWS::Logs::LogGroup", "PhysicalResourceId": name}

    def describe_compute_fleet(self, options: dict[str, str]) -> Done:
        return _said(status=self.fleet)

    def describe_cluster_instances(self, options: dict[str, str]) -> Done:
        """Pages of three."""
        wanted = [options["--queue-name"]] if "--queue-name" in options else [*self.nodes]
        found = [
            {"instanceId": f"i-{number:017x}", "queueName": queue, "nodeType": "ComputeNode"}
            for queue in wanted
            for number in range(self.nodes.get(queue, 0))
        ]
        if "--node-type" not in options:
            found.append({"instanceId": "i-0a1b2c3d4e5f67890", "nodeType": "HeadNode"})
        first = int(options.get("--next-token", "0"))
        more = {"nextToken": str(first + 3)} if first + 3 < len(found) else {}
        address = self.account.address
        shown = [
            {**each, "state": "running", "privateIpAddress": address(each["instanceId"])}
            for each in found[first : first + 3]
        ]
        return Done(out=json.dumps({"instances": shown, **more}))

    def update_compute_fleet(self, options: dict[str, str]) -> Done:
        self.fleet = {"STOP_REQUESTED": "STOPPING", "START_REQUESTED": "STARTING"}[
            options["--status"]
        ]
        return _said(status=self.fleet)

    def advance(self) -> None:
        self.fleet = {"STOPPING": "STOPPED", "STARTING": "RUNNING"}.get(self.fleet, self.fleet)
        if self.next and self.until <= self.account.clock:
            self.status, self.next = self.next, ""
            if self.status == "gone":
                self.status = self.configuration = ""


def _said(**values: str) -> Done:
    return Done(out=json.dumps(values) + "\n")


def _refused(message: str, **more: Any) -> Done:
    return Done(1, out=json.dumps({"message": message, **more}, indent=2) + "\n")


def _changes(old: str, new: str) -> list[dict[str, str]]:
    """Storage that goes, and keys of queues, as ParallelCluster writes them."""
    before, after = (yaml.safe_load(text) or {} for text in (old, new))
    stored = [
        {each["Name"]: each for each in of.get("SharedStorage", ())} for of in (before, after)
    ]
    gone = stored[0].keys() - stored[1].keys()
    found = [_change("SharedStorage", stored[0][name], None) for name in gone]
    queues = [of.get("Scheduling", {}).get("SlurmQueues", ()) for of in (before, after)]
    return found + _of_list("Scheduling.SlurmQueues", *queues)


def _of_list(path: str, *lists: list[dict[str, Any]]) -> list[dict[str, str]]:
    """The path of an item that comes or goes is that of its list."""
    old, new = ({each["Name"]: each for each in items} for items in lists)
    found = []
    for name in sorted({*old, *new}):
        if name in old and name in new:
            found += _of_section(f"{path}[{name}]", old[name], new[name])
        else:
            found.append(_change(path, old.get(name), new.get(name)))
    return found


def _of_section(path: str, old: dict[str, Any], new: dict[str, Any]) -> list[dict[str, str]]:
    found = []
    for key in sorted({*old, *new}):
        values = old.get(key), new.get(key)
        if values[0] == values[1]:
            continue
        if all(isinstance(value, dict) for value in values):
            found += _of_section(f"{path}.{key}", old[key], new[key])
        elif key == "ComputeResources":
            found += _of_list(f"{path}.{key}", old[key], new[key])
        else:
            found.append(_change(f"{path}.{key}", *values))
    return found


def _change(parameter: str, old: Any, new: Any) -> dict[str, str]:
    current, requested = ("-" if value is None else str(value) for value in (old, new))
    return {"parameter": parameter, "requestedValue": requested, "currentValue": current}
