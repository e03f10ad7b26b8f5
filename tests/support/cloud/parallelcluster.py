"""pcluster 3.16.1, which answers errors on stdout and ends even a good dry run with one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml

from tests.support.cloud.answers import Done

if TYPE_CHECKING:
    from tests.support.cloud.account import Account, Fault

CREATION, CHANGE = 90, 60
"""Seconds."""


class Pcluster:
    """One cluster, by the configuration that it was last given."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.version = "3.16.1"
        self.status = ""
        self.configuration = ""
        self.fleet = "RUNNING"
        self.refusal = ""
        self.fails = False
        self.until: float = 0
        self.next = ""

    def run(self, words: list[str], fault: Fault | None) -> Done:
        command, *rest = words
        options = dict(zip(rest[::2], rest[1::2], strict=False))
        if command == "version":
            return _said(version=self.version)
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
        query = options.get("--query")
        return Done(
            out=f'"{self.status}"\n' if query else json.dumps({"clusterStatus": self.status})
        )

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
            return _refused(said, changeSet=_without_storage(self.configuration, text))
        self.configuration, self.status = text, f"{verb}_IN_PROGRESS"
        self.next = f"{verb}_FAILED" if self.fails else f"{verb}_COMPLETE"
        self.until = self.account.clock + seconds
        return _said(clusterStatus=self.status)

    def delete_cluster(self, options: dict[str, str]) -> Done:
        self.status, self.next, self.until = "DELETE_IN_PROGRESS", "gone", self.account.clock + 60
        return _said(clusterStatus=self.status)

    def describe_compute_fleet(self, options: dict[str, str]) -> Done:
        return Done(out=f'"{self.fleet}"\n')

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


def _without_storage(old: str, new: str) -> list[dict[str, str]]:
    """The changes by which storage goes, as its controller of cluster operations writes them."""
    before, after = (
        {each["Name"]: each for each in (yaml.safe_load(text) or {}).get("SharedStorage", ())}
        for text in (old, new)
    )
    return [
        {"parameter": "SharedStorage", "requestedValue": "-", "currentValue": str(before[name])}
        for name in before.keys() - after.keys()
    ]
