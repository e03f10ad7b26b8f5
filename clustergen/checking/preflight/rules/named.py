"""Placement groups, prefix lists, topics and workspaces in the spec."""

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.base.findings import Path, Problem, rule
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about
from clustergen.plan.model import Plan

EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"
PLACEMENT: Final = "ec2:DescribePlacementGroups"
PREFIXES: Final = "ec2:DescribeManagedPrefixLists"
TOPIC: Final = "sns:GetTopicAttributes"
WORKSPACE: Final = "amp:DescribeWorkspace"


def _placements(plan: Plan) -> Mapping[str, Path]:
    return {
        group.placement.group: group.at("placement", "group")
        for group in plan.node_groups
        if group.placement.group
    }


@rule(
    "PRE075",
    "The placement group does not exist, or has another strategy",
    why="Nodes are close to each other only in a group with the strategy cluster.",
    source=f"{EC2}placement-strategies.html",
    calls=(PLACEMENT,),
    by_hand=about(_placements, "{names}: a placement group with the strategy cluster"),
    bad="ec2:DescribePlacementGroups: {Strategy: spread}",
    good="ec2:DescribePlacementGroups: {Strategy: cluster}",
)
def placement(case: Case) -> Iterator[Problem]:
    wanted = _placements(case.plan)
    filters = network.filtered("group-name", wanted)
    found = case.ask(PLACEMENT, Filters=filters).get("PlacementGroups", ())
    known = {each["GroupName"]: each for each in found}
    for name, path in wanted.items():
        if name not in known:
            help = (
                f"aws ec2 create-placement-group --region {case.region} --group-name {name} "
                "--strategy cluster"
            )
            yield Problem(path, f"the account has no placement group {name}", help)
        elif known[name].get("Strategy", "cluster") != "cluster":
            message = f"the strategy of {name} is {known[name]['Strategy']}"
            yield Problem(path, message, "use a group with the strategy cluster")


def _prefixes(plan: Plan) -> Mapping[str, Path]:
    found = {
        machine.ssh_from: machine.at("ssh_from") for machine in plan.machines if machine.ssh_from
    }
    for number, source in enumerate(plan.network.ssh_from):
        found.setdefault(source, ("network", "ssh_from", number))
    return {id: path for id, path in found.items() if id.startswith("pl-")}


@rule(
    "PRE076",
    "The prefix list does not exist",
    why="A rule of a security group has to name a prefix list that the account has.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/managed-prefix-lists.html",
    calls=(PREFIXES,),
    by_hand=about(_prefixes, "{names}: the prefix list exists in {plan.region}"),
    bad="ec2:DescribeManagedPrefixLists: []",
    good="ec2:DescribeManagedPrefixLists: {}",
)
def prefix_list(case: Case) -> Iterator[Problem]:
    wanted = _prefixes(case.plan)
    filters = network.filtered("prefix-list-id", wanted)
    known = {each["PrefixListId"] for each in case.every(PREFIXES, "PrefixLists", Filters=filters)}
    for id, path in wanted.items():
        if id not in known:
            help = f"aws ec2 describe-managed-prefix-lists --region {case.region}"
            yield Problem(path, f"the account has no {id} in {case.region}", help)


def _monitoring(plan: Plan) -> Mapping[str, Path]:
    found: dict[str, Path] = {}
    if plan.monitoring.alerts.topic:
        found[plan.monitoring.alerts.topic] = ("monitoring", "alerts", "topic")
    if isinstance(plan.monitoring.workspace, str):
        found[plan.monitoring.workspace] = ("monitoring", "workspace")
    return found


@rule(
    "PRE077",
    "The topic or workspace does not exist",
    why="Metrics and alerts of the cluster would be lost.",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-manage-ingest-query.html",
    calls=(TOPIC, WORKSPACE),
    by_hand=about(_monitoring, "these exist: {names}"),
    bad="sns:GetTopicAttributes: NotFound",
    good="sns:GetTopicAttributes: {}",
)
def monitoring(case: Case) -> Iterator[Problem]:
    for id, path in _monitoring(case.plan).items():
        if ":sns:" in id:
            found = case.find(TOPIC, TopicArn=id)
            help = f"aws sns list-topics --region {case.region}"
        else:
            found = case.find(WORKSPACE, workspaceId=id.rpartition("/")[2])
            help = f"aws amp list-workspaces --region {case.region}"
        if found is None:
            yield Problem(path, f"there is no {id}", help)
