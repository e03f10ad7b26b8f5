"""Running clusters as the files that describe them, by calls that only read."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from clustergen.analysis.diff.live import configuration
from clustergen.base import account
from clustergen.base.account import Clients
from clustergen.importing.answers import Answers
from clustergen.importing.descriptions import named_template

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
        """The answer to a call; raises CallError if there is none."""
        client = self.clients(call.partition(":")[0], self.region)
        return {k: v for k, v in account.ask(client, call, **arguments).items() if k != _META}

    def ask_all(self, call: str, key: str, **arguments: Any) -> list[Any]:
        """The items of all pages of an answer."""
        client = self.clients(call.partition(":")[0], self.region)
        pages = account.ask_pages(client, call, **arguments)
        return [item for page in pages for item in page.get(key, [])]


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
    cluster = where.ask("eks:DescribeCluster", name=name)
    yield _text("describe-cluster", cluster)
    used = []
    for group in where.ask_all("eks:ListNodegroups", "nodegroups", **of):
        found = where.ask("eks:DescribeNodegroup", **of, nodegroupName=group)
        used.append(found["nodegroup"].get("launchTemplate"))
        yield _text(f"describe-nodegroup {group}", found)
    for addon in where.ask_all("eks:ListAddons", "addons", **of):
        found = where.ask("eks:DescribeAddon", **of, addonName=addon)
        yield _text(f"describe-addon {addon}", found)
        for arn in found["addon"].get("podIdentityAssociations") or ():
            call = "eks:DescribePodIdentityAssociation"
            id = arn.rpartition("/")[2]
            yield _text(f"{addon} {id}", where.ask(call, **of, associationId=id))
    if cluster["cluster"].get("accessConfig", {}).get("authenticationMode") != "CONFIG_MAP":
        yield from _access_entries(of, where)
    yield from _launch_templates(used, where)


def _access_entries(of: Mapping[str, str], where: Account) -> Iterator[Text]:
    for arn in where.ask_all("eks:ListAccessEntries", "accessEntries", **of):
        entry = where.ask("eks:DescribeAccessEntry", **of, principalArn=arn)
        yield _text(f"describe-access-entry {arn}", entry)
        call, key = "eks:ListAssociatedAccessPolicies", "associatedAccessPolicies"
        policies = where.ask_all(call, key, **of, principalArn=arn)
        answer = {**of, "principalArn": arn, key: policies}
        yield _text(f"list-associated-access-policies {arn}", answer)


def _batch(name: str, where: Account) -> Iterator[Text]:
    """The queue of a name, or those that begin with it, and what they use."""

    def belongs(other: str) -> bool:
        return other == name or other.startswith(f"{name}-")

    every = where.ask_all("batch:DescribeJobQueues", "jobQueues")
    queues = [each for each in every if belongs(each["jobQueueName"])]
    if not queues:
        raise account.Missing(f"{where.region} has no job queue {name}, and none {name}-...")
    orders = [order for each in queues for order in each["computeEnvironmentOrder"]]
    used = sorted({order["computeEnvironment"] for order in orders})
    call, key = "batch:DescribeComputeEnvironments", "computeEnvironments"
    environments = where.ask_all(call, key, computeEnvironments=used) if used else []
    yield _text("describe-job-queues", {"jobQueues": queues})
    yield _text("describe-compute-environments", {key: environments})
    if policies := sorted({each.get("schedulingPolicyArn", "") for each in queues} - {""}):
        found = where.ask("batch:DescribeSchedulingPolicies", arns=policies)
        yield _text("describe-scheduling-policies", found)
    call, key = "batch:DescribeJobDefinitions", "jobDefinitions"
    jobs = [
        each
        for each in where.ask_all(call, key, status="ACTIVE")
        if belongs(each["jobDefinitionName"])
    ]
    yield _text("describe-job-definitions", {key: jobs})
    templates = (each.get("computeResources", {}).get("launchTemplate") for each in environments)
    yield from _launch_templates([*map(named_template, filter(None, templates))], where)


def _launch_templates(used: Sequence[Mapping[str, Any] | None], where: Account) -> Iterator[Text]:
    """The versions of launch templates that node groups use, each once."""
    named = {(t.get("id") or "", t.get("name") or "", str(t.get("version"))) for t in used if t}
    for id, name, version in sorted(named):
        which = {"LaunchTemplateId": id} if id else {"LaunchTemplateName": name}
        found = where.ask("ec2:DescribeLaunchTemplateVersions", **which, Versions=[version])
        yield _text(f"describe-launch-template-versions {id or name}", found)


READERS: Final[Mapping[str, Callable[[str, Account], Iterator[Text]]]] = {
    "parallelcluster": _parallelcluster,
    "pcs": _pcs,
    "hyperpod": _hyperpod,
    "eks": _eks,
    "batch": _batch,
}
"""By the first word of ``SERVICE/NAME``: what reads the texts that describe a cluster."""
