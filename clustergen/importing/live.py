"""Running clusters as the files that describe them, by calls that only read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from clustergen import account
from clustergen.account import Clients
from clustergen.difference.live import configuration
from clustergen.importing.answers import Answers

Json = dict[str, Any]
Text = tuple[str, str]
"""The name of a text, and the text."""
_SUBNET: Final = re.compile(r"\bsubnet-[0-9a-f]{8,17}\b")
_META: Final = "ResponseMetadata"


class Account(NamedTuple):
    """A region of an account."""

    region: str
    clients: Clients

    def ask(self, call: str, **arguments: Any) -> Json:
        """The answer to a call.

        :raises CallError: if there is none.
        """
        client = self.clients(call.partition(":")[0], self.region)
        return {k: v for k, v in account.ask(client, call, **arguments).items() if k != _META}

    def ask_all(self, call: str, key: str, **arguments: Any) -> list[Any]:
        """The items of all pages of an answer."""
        client = self.clients(call.partition(":")[0], self.region)
        pages = account.ask_pages(client, call, **arguments)
        return [item for page in pages for item in page.get(key, [])]


def described(kind: str, name: str, where: Account) -> list[Text]:
    """The texts that describe a cluster.

    :raises CallError: if AWS does not answer, or there is no such cluster.
    """
    return list(READERS[kind](name, where))


def located(texts: Sequence[Text], answers: Answers, where: Account) -> Answers:
    """The answers, with the VPC and the zones of the subnets that the texts name."""
    ids = sorted({id for _, text in texts for id in _SUBNET.findall(text)})
    if not ids:
        return answers
    subnets = where.ask("ec2:DescribeSubnets", SubnetIds=ids).get("Subnets", [])
    zones = {each["SubnetId"]: each["AvailabilityZoneId"] for each in subnets}
    vpcs = sorted({each["VpcId"] for each in subnets})
    vpc = answers.vpc or (vpcs[0] if len(vpcs) == 1 else "")
    return answers._replace(vpc=vpc, zones={**zones, **answers.zones})


def _text(name: str, answer: Any) -> Text:
    return name, json.dumps(answer, default=str, indent=2)


def _parallelcluster(name: str, where: Account) -> Iterator[Text]:
    stack = where.ask("cloudformation:DescribeStacks", StackName=name)["Stacks"][0]
    yield "cluster-config.yaml", configuration(stack, where.ask)


def _hyperpod(name: str, where: Account) -> Iterator[Text]:
    cluster = where.ask("sagemaker:DescribeCluster", ClusterName=name)
    tags = where.ask_all("sagemaker:ListTags", "Tags", ResourceArn=cluster["ClusterArn"])
    yield _text("describe-cluster", {**cluster, **({"Tags": tags} if tags else {})})


def _pcs(name: str, where: Account) -> Iterator[Text]:
    of = {"clusterIdentifier": name}
    yield _text("get-cluster", where.ask("pcs:GetCluster", **of))
    used = []
    for each in where.ask_all("pcs:ListComputeNodeGroups", "computeNodeGroups", **of):
        found = where.ask("pcs:GetComputeNodeGroup", **of, computeNodeGroupIdentifier=each["id"])
        used.append(found["computeNodeGroup"].get("customLaunchTemplate"))
        yield _text(f"get-compute-node-group {each['name']}", found)
    for each in where.ask_all("pcs:ListQueues", "queues", **of):
        found = where.ask("pcs:GetQueue", **of, queueIdentifier=each["id"])
        yield _text(f"get-queue {each['name']}", found)
    yield from _launch_templates(used, where)


def _eks(name: str, where: Account) -> Iterator[Text]:
    of = {"clusterName": name}
    yield _text("describe-cluster", where.ask("eks:DescribeCluster", name=name))
    used = []
    for group in where.ask_all("eks:ListNodegroups", "nodegroups", **of):
        found = where.ask("eks:DescribeNodegroup", **of, nodegroupName=group)
        used.append(found["nodegroup"].get("launchTemplate"))
        yield _text(f"describe-nodegroup {group}", found)
    for addon in where.ask_all("eks:ListAddons", "addons", **of):
        found = where.ask("eks:DescribeAddon", **of, addonName=addon)
        yield _text(f"describe-addon {addon}", found)
    yield from _launch_templates(used, where)


def _launch_templates(used: Sequence[Mapping[str, Any] | None], where: Account) -> Iterator[Text]:
    """The versions of launch templates that node groups use, each once."""
    for id, version in sorted({(str(t["id"]), str(t.get("version"))) for t in used if t}):
        call = "ec2:DescribeLaunchTemplateVersions"
        found = where.ask(call, LaunchTemplateId=id, Versions=[version])
        yield _text(f"describe-launch-template-versions {id}", found)


READERS: Final[Mapping[str, Callable[[str, Account], Iterator[Text]]]] = {
    "parallelcluster": _parallelcluster,
    "pcs": _pcs,
    "hyperpod": _hyperpod,
    "eks": _eks,
}
"""By the first word of ``SERVICE/NAME``."""
