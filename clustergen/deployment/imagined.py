"""An account that answers as if everything went well, for a dry run.

It is asked by the same steps, so that what they would run is printed with ``${Name}`` for values
that are not known before. Neither credentials nor a network is needed.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from clustergen.base.account import CallError
from clustergen.base.artifacts import Json
from clustergen.deployment.model import MARK, MARK_FORMAT
from clustergen.deployment.programs import Ended, Installed, Told
from clustergen.deployment.run import Run, json_of

_NEW: Final = ("deploy", "foundation")
"""Actions that may find nothing."""
_ABSENT: Final = ("DescribeAddon", "DescribeCluster", "GetObject", "GetRole", "HeadObject")
_ANSWERS: Final[Mapping[str, Json]] = {
    "PutObject": {"VersionId": "${VersionId}"},
    "GetCallerIdentity": {"Account": "${Account}", "Arn": "${Caller}"},
    "GetParameter": {"Parameter": {"Value": "${NewestImage}"}},
    "DescribeNodegroup": {
        "nodegroup": {"scalingConfig": {"minSize": 0, "desiredSize": 0}, "status": "ACTIVE"}
    },
    "GetComputeNodeGroup": {
        "computeNodeGroup": {
            "scalingConfiguration": {"minInstanceCount": 0, "maxInstanceCount": 0},
            "status": "ACTIVE",
        }
    },
    "DescribeComputeEnvironments": {
        "computeEnvironments": [
            {"status": "VALID", "state": "ENABLED", "computeResources": {"minvCpus": 0}}
        ]
    },
}


class _Missing(CallError):
    code = "ResourceNotFoundException"


class Unused(Installed):
    """No program runs."""

    def has(self, _: str) -> bool:
        return True

    def run(
        self, words: Sequence[str], folder: Path, more: Mapping[str, str], told: Told | None = None
    ) -> Ended:
        del words, folder, more, told
        return Ended(0)


@dataclass
class Imagined:
    """What a service would answer."""

    run: Run
    stacks: dict[str, Json] = field(default_factory=dict)
    """The templates of stacks that are there, by name."""
    pending: dict[str, Json] = field(default_factory=dict)
    """Those of change sets, by the name of the stack."""

    def __post_init__(self) -> None:
        if self.run.options.action not in _NEW:
            for role, stack in self.run.bundle.stacks.items():
                if stack.template and self.run.options.action != "destroy-foundation":
                    self.stacks[stack.name] = self.run.template(role)
            if self.run.founded:
                name = self.run.bundle.stacks["foundation"].name
                self.stacks[name] = self.run.foundation

    def time(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        """No time passes."""

    def send(self, call: str, arguments: Mapping[str, Any]) -> Json:
        operation = call.partition(":")[2]
        if operation in _ABSENT:
            raise _Missing("nothing is there yet")
        answer = getattr(self, f"_{operation}", None)
        found: Json = answer(arguments) if answer else _ANSWERS.get(operation, {})
        return found

    def pages(self, call: str, arguments: Mapping[str, Any]) -> Iterable[Json]:
        return [self.send(call, arguments)]

    def _stack(self, arguments: Mapping[str, Any]) -> Json:
        name = arguments["StackName"]
        if name not in self.stacks:
            raise _Missing(f"no stack {name}")
        return self.stacks[name]

    def _DescribeStacks(self, arguments: Mapping[str, Any]) -> Json:
        if "StackName" not in arguments:
            every = [self._DescribeStacks({"StackName": name}) for name in self.stacks]
            return {"Stacks": [stack for each in every for stack in each["Stacks"]]}
        template = self._stack(arguments)
        outputs = [
            {"OutputKey": name, "OutputValue": f"${{{name}}}"} for name in template["Outputs"]
        ]
        shown = {"StackName": arguments["StackName"], "StackStatus": "CREATE_COMPLETE"}
        return {"Stacks": [{**shown, "Outputs": outputs}]}

    def _GetTemplate(self, arguments: Mapping[str, Any]) -> Json:
        return {"TemplateBody": self._stack(arguments)}

    def _GetTemplateSummary(self, arguments: Mapping[str, Any]) -> Json:
        stacks = self.run.bundle.stacks.values()
        [own] = [each for each in stacks if each.name == arguments["StackName"]]
        mark = {"cluster": own.mark.cluster, "target": own.mark.target, "format": MARK_FORMAT}
        return {"Metadata": json.dumps({MARK: mark})}

    def _ListStackResources(self, arguments: Mapping[str, Any]) -> Json:
        made = [
            {
                "LogicalResourceId": name,
                "PhysicalResourceId": f"${{{name}}}",
                "ResourceType": resource["Type"],
            }
            for name, resource in self._stack(arguments)["Resources"].items()
        ]
        return {"StackResourceSummaries": made}

    def _CreateChangeSet(self, arguments: Mapping[str, Any]) -> Json:
        text = json_of(arguments.get("TemplateBody", ""))
        roles = {each.name: role for role, each in self.run.bundle.stacks.items()}
        template = text or self.run.template(roles[arguments["StackName"]])
        self.pending[arguments["StackName"]] = {"Outputs": {}, **template}
        return {}

    def _DescribeChangeSet(self, arguments: Mapping[str, Any]) -> Json:
        template = self.pending[arguments["StackName"]]
        changes = [
            {"Action": "Add", "LogicalResourceId": name, "ResourceType": resource["Type"]}
            for name, resource in template["Resources"].items()
        ]
        found = [{"ResourceChange": each} for each in changes]
        return {"Status": "CREATE_COMPLETE", "Changes": found}

    def _ExecuteChangeSet(self, arguments: Mapping[str, Any]) -> Json:
        self.stacks[arguments["StackName"]] = self.pending.pop(arguments["StackName"])
        return {}

    def _DeleteStack(self, arguments: Mapping[str, Any]) -> Json:
        self.stacks.pop(arguments["StackName"], None)
        return {}

    def _ListComputeNodeGroups(self, _: Mapping[str, Any]) -> Json:
        groups = [
            {"id": f"${{{id}}}", "name": each["Properties"]["Name"]}
            for id, each in self.run.template("cluster")["Resources"].items()
            if each["Type"] == "AWS::PCS::ComputeNodeGroup"
        ]
        return {"computeNodeGroups": groups}

    def _DescribeSecurityGroups(self, arguments: Mapping[str, Any]) -> Json:
        own = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "${DefaultGroup}"}]}
        world = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
        rules = {"IpPermissions": [own], "IpPermissionsEgress": [world]}
        named = any("ip-permission" in each["Name"] for each in arguments["Filters"])
        return {"SecurityGroups": [] if named else [{"GroupId": "${DefaultGroup}", **rules}]}

    def _DescribeJobDefinitions(self, arguments: Mapping[str, Any]) -> Json:
        name = arguments["jobDefinitionName"]
        options = {"options": {"awslogs-group": getattr(self.run.bundle.service, "log_group", "")}}
        shown = {"jobDefinitionArn": f"{name}:${{Revision}}"}
        return {"jobDefinitions": [{**shown, "containerProperties": {"logConfiguration": options}}]}
