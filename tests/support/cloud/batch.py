"""AWS Batch: compute environments of stacks, job definitions, and jobs that end some time later."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.support.cloud.answers import Pages, Refused, Request

if TYPE_CHECKING:
    from tests.support.cloud.account import Account

VALIDATION = 30
"""Seconds until Batch has checked a new or changed compute environment."""
DURATION = 60
"""Seconds that a job takes."""


@dataclass(slots=True)
class Environment:
    """A compute environment."""

    least: int
    state: str = "ENABLED"
    since: float = 0


class Batch:
    """What Batch knows of a cluster."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.environments: dict[str, Environment] = {}
        self.definitions: dict[str, dict[str, Any]] = {}
        self.jobs: dict[str, dict[str, Any]] = {}
        self.invalid = ""
        """Why Batch rejects every environment."""
        self.recovers = False
        """Whether one that is disabled, and then enabled, is valid again."""
        self.busy = False
        """Whether an update waits for jobs, and Batch rejects others."""
        self.failing = ""
        """Why jobs fail."""
        self.image = "LATEST"
        """What Batch says of its images."""
        self.instances: list[str] = []
        """The nodes of every environment."""
        self.page_size = 100
        """Definitions in a page of an answer."""

    def take(self, id: str, properties: dict[str, Any]) -> None:
        """A new or changed environment of a stack."""
        least = properties["ComputeResources"]["MinvCpus"]
        known = self.environments.get(id)
        state = known.state if known else "ENABLED"
        self.environments[id] = Environment(least, state, self.account.clock)

    def describe_compute_environments(self, request: Request) -> Any:
        wanted = request.options["compute-environments"]
        # Batch takes names and ARNs.
        found = [
            e for e in self.environments.items() if {e[0], e[0].rpartition("/")[2]} & {*wanted}
        ]
        return {"computeEnvironments": [self._shown(*each) for each in found]}

    def _shown(self, id: str, each: Environment) -> dict[str, Any]:
        checked = not self.busy and self.account.clock - each.since >= VALIDATION
        status = ("INVALID" if self.invalid else "VALID") if checked else "UPDATING"
        return {
            "computeEnvironmentArn": id,
            "ecsClusterArn": f"arn:aws:ecs:us-east-1:111122223333:cluster/{id[-5:]}",
            "status": status,
            "state": each.state,
            "computeResources": {
                "minvCpus": each.least,
                "desiredvCpus": each.least,
                "ec2Configuration": [
                    {"imageType": "ECS_AL2023_NVIDIA", "batchImageStatus": self.image}
                ],
            },
            "statusReason": self.invalid or "ComputeEnvironment Healthy",
        }

    def update_compute_environment(self, request: Request) -> Any:
        found = self.environments[request.one("compute-environment")]
        if self.busy or self.account.clock - found.since < VALIDATION:
            raise Refused("ClientException", "Cannot update, resource is being modified")
        before, found.state = found.state, request.one("state", found.state)
        if self.recovers and (before, found.state) == ("DISABLED", "ENABLED"):
            self.invalid = ""
        found.least = int(request.one("compute-resources").partition("=")[2])
        found.since = self.account.clock
        return {}

    def register_job_definition(self, request: Request) -> Any:
        given = json.loads(self.account.text_of(request.one("cli-input-json")))
        marks = dict(word.split("=") for word in request.options.get("parameters", []))
        name = given["jobDefinitionName"]
        number = 1 + sum(each["jobDefinitionName"] == name for each in self.definitions.values())
        arn = f"arn:aws:batch:us-east-1:111122223333:job-definition/{name}:{number}"
        # An option replaces what the file has.
        parameters = marks or given.get("parameters", {})
        made = {"jobDefinitionArn": arn, "status": "ACTIVE", "parameters": parameters}
        self.definitions[arn] = {**given, **made}
        return {"jobDefinitionArn": arn}

    def describe_job_definitions(self, request: Request) -> Any:
        name = request.one("job-definition-name")
        found = [
            each
            for each in self.definitions.values()
            if (each["jobDefinitionName"], each["status"]) == (name, request.one("status"))
        ]
        starts = range(0, max(len(found), 1), self.page_size)
        return Pages({"jobDefinitions": found[at : at + self.page_size]} for at in starts)

    def deregister_job_definition(self, request: Request) -> Any:
        self.definitions[request.one("job-definition")]["status"] = "INACTIVE"
        return {}

    def submit_job(self, request: Request) -> Any:
        if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9_-]{0,127}", request.one("job-name")):
            raise Refused("ClientException", "Job name should match valid pattern")
        id = f"job-{len(self.jobs) + 1}"
        self.jobs[id] = {"options": request.options, "since": self.account.clock}
        return {"jobId": id}

    def describe_jobs(self, request: Request) -> Any:
        found = [(id, self.jobs[id]) for id in request.options["jobs"] if id in self.jobs]
        return {"jobs": [self._ended(*each) for each in found]}

    def _ended(self, id: str, job: dict[str, Any]) -> dict[str, Any]:
        made = self.definitions[job["options"]["job-definition"][0]]
        shown = {
            "jobId": id,
            "jobName": job["options"]["job-name"][0],
            # Of a multi-node job, each node has a container of its own.
            "container": made.get("containerProperties"),
            "nodeProperties": made.get("nodeProperties"),
        }
        if self.account.clock - job["since"] < DURATION:
            return {**shown, "status": "RUNNABLE"}
        if self.failing:
            return {**shown, "status": "FAILED", "statusReason": self.failing}
        return {**shown, "status": "SUCCEEDED"}
