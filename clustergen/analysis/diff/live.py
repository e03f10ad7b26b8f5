"""A running cluster as a side of a comparison, by calls that only read.

What is deployed is in the form of the bundle: templates of stacks, ParallelCluster's configuration,
HyperPod's request. Ids of the foundation become its placeholders again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clustergen.analysis.diff import drift
from clustergen.analysis.diff.drift import Drift
from clustergen.analysis.diff.sides import Spec
from clustergen.base import account
from clustergen.base.account import Clients
from clustergen.base.artifacts import Json
from clustergen.bundle.effects import Files
from clustergen.deployment.model import PATH as BUNDLE
from clustergen.plan.model import Plan
from clustergen.services.hyperpod.described import without_state

_SHORTEST: Final = 8
"""Characters of an id; shorter outputs are words that occur anywhere."""
_REQUESTS: Final = ("create-cluster.json", "update-cluster.json")
"""For a cluster of its own, and for groups in a cluster that exists."""


class LiveError(Exception):
    """AWS does not answer; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Live:
    """The cluster of a spec, as it runs."""

    new: Spec
    clients: Clients
    document: None = None
    wait: Callable[[float], None] = time.sleep

    @property
    def title(self) -> str:
        return f"the cluster {self.new.name}"

    @property
    def targets(self) -> Sequence[str]:
        """Those of the spec: whether they are deployed is not known before."""
        return self.new.targets

    def files(self, target: str) -> Files | None:
        """What is deployed; None without a cluster. Raises LiveError if AWS does not answer."""
        reader = self._reader(target)
        return reader.files() if reader else None

    def plan(self, target: str) -> Plan | None:  # noqa: ARG002
        return None

    def drift(self, target: str) -> Drift:
        """What was changed outside the stacks, as far as AWS says it."""
        reader = self._reader(target)
        return reader.drift(self.wait) if reader else Drift()

    def _reader(self, target: str) -> _Reader | None:
        plan, new = self.new.checked.plans.get(target), self.new.files(target)
        if plan is None or new is None:
            return None
        return _Reader(plan, target, new, self.clients)


@dataclass(frozen=True, slots=True)
class _Reader:
    """What reads the parts of one cluster."""

    plan: Plan
    target: str
    new: Files
    clients: Clients

    def files(self) -> Files | None:
        found = dict(self._templates())
        stacks = {
            role: {"name": name, "template": path}
            for role, path, name in self._stacks()
            if path in found
        }
        known = {"region": self.plan.region, "cluster": self.plan.name}
        # Neither charts nor objects in Kubernetes nor scripts are read: they are as in the new one.
        ours = json.loads(self.new[BUNDLE])["service"]
        service = {"software": ours["software"]} if "software" in ours else {}
        bundle: Json = {**known, "service": service, "stacks": stacks}
        if self.target == "parallelcluster":
            stack = self._stack(self.plan.name)
            if stack is None:
                return None
            found["cluster.yaml"] = self._placed(configuration(stack, self._call))
            tags = {tag["Key"]: tag["Value"] for tag in stack.get("Tags", ())}
            bundle["service"] = {"version": tags.get("parallelcluster:version", "")}
        elif self.target.startswith("hyperpod"):
            path = next(path for path in _REQUESTS if path in self.new)
            new: Json = json.loads(self.new[path])
            cluster = self._call("sagemaker:DescribeCluster", ClusterName=new["ClusterName"])
            if not cluster:
                return None
            request = _as_request(cluster, new, joined=path != _REQUESTS[0])
            found[path] = self._placed(json.dumps(request))
        elif "cluster.template.json" not in found:
            return None
        unread = ("manifests/", "values/", "governance")
        same = {path: text for path, text in self.new.items() if path.startswith(unread)}
        return {**same, **found, BUNDLE: json.dumps(bundle)}

    def drift(self, wait: Callable[[float], None]) -> Drift:
        """A stack that AWS does not examine is named, and does not keep others from it."""
        whole = Drift()
        for _, _, stack in self._stacks():
            try:
                each = drift.of(stack, self._call, wait)
            except LiveError as error:
                each = Drift(unread=(f"{stack}: {error}",))
            whole = Drift(whole.found + each.found, whole.unread + each.unread)
        return whole

    def _stacks(self) -> Iterator[tuple[str, str, str]]:
        """Role, file and name of each stack that the cluster may have."""
        for role, each in json.loads(self.new[BUNDLE])["stacks"].items():
            yield role, f"{role}.template.json", each["name"]

    def _templates(self) -> Iterator[tuple[str, str]]:
        for _, path, stack in self._stacks():
            found = self._call("cloudformation:GetTemplate", StackName=stack)
            if found:
                yield path, _as_json(found["TemplateBody"])

    def _stack(self, name: str) -> Json | None:
        found = self._call("cloudformation:DescribeStacks", StackName=name)
        return found["Stacks"][0] if found else None

    def _placed(self, text: str) -> str:
        """The text with placeholders for outputs of the stacks, the longest values first."""
        values: dict[str, str] = {}
        for name in ("foundation", "eks"):
            stack = self._stack(self.plan.stack(name)) or {}
            for output in stack.get("Outputs", ()):
                values.setdefault(output["OutputValue"], output["OutputKey"])
        for value in sorted(values, key=len, reverse=True):
            if len(value) >= _SHORTEST:
                text = text.replace(value, f"${{{values[value]}}}")
        return text

    def _call(self, call: str, **arguments: Any) -> Json | None:
        """The answer; None if the resource does not exist."""
        try:
            client = self.clients(call.partition(":")[0], self.plan.region)
            return dict(account.ask(client, call, **arguments))
        except account.Missing:
            return None
        except account.CallError as error:
            raise LiveError(str(error)) from None


def _as_json(template: Any) -> str:
    """A template as a bundle has it; stacks that were adopted may have it in YAML."""
    from clustergen.services.aws.template_text import parsed

    if not isinstance(template, str):
        return json.dumps(template)
    try:
        return json.dumps(parsed(template))
    except ValueError:
        return template


def configuration(stack: Json, ask: Callable[..., Json | None]) -> str:
    """The configuration that was given to pcluster for the stack of a cluster.

    It is where pcluster 3.16 looks for it: models/cluster.py, models/s3_bucket.py.

    :raises LiveError: if it is not there.
    """
    known = {each["ParameterKey"]: each["ParameterValue"] for each in stack.get("Parameters", ())}
    version = known.get("ConfigVersion")
    found = ask(
        "s3:GetObject",
        Bucket=known.get("ResourcesS3Bucket", ""),
        Key=f"{known.get('ArtifactS3RootDirectory')}/configs/cluster-config.yaml",
        **({"VersionId": version} if version not in (None, "", "NONE") else {}),
    )
    if found is None:
        raise LiveError(f"the configuration of {stack['StackName']} is not in its bucket")
    text: str = found["Body"].read().decode()
    return text


def _as_request(described: Json, new: Json, *, joined: bool) -> Json:
    """DescribeCluster's answer in the form of the request.

    Members that the new request does not set are left out: the service shows their defaults. Of a
    cluster that is ``joined``, so are the groups that this bundle did not make.
    """
    described = without_state(described)
    found = {name: described[name] for name in new if name in described}
    # ListTags has the tags; Slurm's strategy is not shown.
    found |= {name: new[name] for name in ("Tags", "Orchestrator") if name in new}
    wanted = {group["InstanceGroupName"]: group for group in new["InstanceGroups"]}
    found["InstanceGroups"] = [
        {
            name: group[name]
            for name in wanted.get(group["InstanceGroupName"], group)
            if name in group
        }
        for group in described["InstanceGroups"]
        if not joined or group["InstanceGroupName"] in wanted
    ]
    return found
