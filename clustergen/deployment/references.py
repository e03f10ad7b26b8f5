"""What still refers to a foundation, before it is deleted."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment import cloudformation, foundation
from clustergen.deployment.model import NAMING
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.world import Stop

_GROUP: Final = "SecurityGroupId"
_INCOMPLETE: Final = ("REVIEW_IN_PROGRESS", "ROLLBACK_", "CREATE_FAILED", "DELETE_")
_OF_FILES: Final = re.compile(r"FSx|(^|[^a-z])fs-[0-9a-f]")
"""In descriptions of interfaces."""
_ALONE: Final = "Destroy the clusters that they belong to first"


def refusals(run: Run) -> Iterator[str]:
    """Why the foundation cannot be deleted: what refers to it, or that this cannot be known."""
    name = foundation.stack(run).name
    known = cloudformation.outputs(run.world, name)
    values = [value for key, value in known.items() if key.endswith(NAMING) and value]
    if not values:
        _check_complete(run, name)
        return
    doubts: list[str] = []
    groups = [value for key, value in known.items() if key.endswith(_GROUP)]
    found = [
        *_interfaces(run, known, groups, doubts),
        *_stacks(run, name, values, doubts),
        *(f"HyperPod cluster {each}" for each in clusters(run, values, doubts)),
    ]
    rules = _rules(run, known, doubts)
    if rules:
        yield (
            f"rules of {', '.join(rules)} name security groups of the foundation, which EC2 then "
            "does not delete: delete these rules first."
        )
    if found:
        yield (
            f"these still use the foundation: {', '.join(dict.fromkeys(found))}. {_ALONE}: those "
            "of other targets, and of specs with the foundation "
            f"{foundation.stack(run).mark.cluster}."
        )
    if doubts and "replaces-resource" not in run.options.allowed:
        yield (
            f"what still uses the foundation cannot be known: {'; '.join(doubts)}. Run this with "
            "permission to ask; or, if nothing uses it, add --allow-replacement."
        )


def _check_complete(run: Run, name: str) -> None:
    """Stop where outputs should be: nothing refers to a foundation that was never complete."""
    naming = any(each.endswith(NAMING) for each in run.foundation["Outputs"])
    status = cloudformation.status(run.world, name)
    incomplete = not status or status.startswith(_INCOMPLETE)
    if naming and not incomplete:
        raise Stop(f"CloudFormation shows no outputs of {name}. Nothing was deleted.")


def _interfaces(run: Run, known: Outputs, groups: list[str], doubts: list[str]) -> Iterator[str]:
    """Network interfaces that are in use, with what has them.

    Instances of HyperPod, and what PCS and EKS use without nodes, are visible as interfaces only.
    """
    found = _in_use(run, "group-id", groups, doubts) if groups else []
    yield from (_named(each) for each in found if not _is_of_files(run, each))
    # Instances with other security groups, in the VPC of which the routes would go first.
    vpc = "" if run.bundle.network.vpc else known.get("VpcId", "")
    others = _in_use(run, "vpc-id", [vpc], doubts) if vpc else []
    yield from (_named(each) for each in others if (each.get("Attachment") or {}).get("InstanceId"))


def _in_use(run: Run, filter: str, values: list[str], doubts: list[str]) -> list[Json]:
    filters = [{"Name": filter, "Values": values}, {"Name": "status", "Values": ["in-use"]}]
    call, member = "ec2:DescribeNetworkInterfaces", "NetworkInterfaces"
    return run.world.allowed_all(doubts, call, member, Filters=filters)


def _named(interface: Json) -> str:
    instance = (interface.get("Attachment") or {}).get("InstanceId")
    user = instance or interface.get("Description") or "no description"
    return f"{interface['NetworkInterfaceId']} ({user})"


def _is_of_files(run: Run, interface: Json) -> bool:
    """Whether an interface is that of a file system: those with EFA have the group of nodes."""
    if (interface.get("Attachment") or {}).get("InstanceId"):
        return False
    if _OF_FILES.search(interface.get("Description") or ""):
        return True
    shown = run.world.allowed_all([], "fsx:DescribeFileSystems", "FileSystems")
    own = {id for each in shown for id in each.get("NetworkInterfaceIds", ())}
    return interface["NetworkInterfaceId"] in own


def _rules(run: Run, known: Outputs, doubts: list[str]) -> list[str]:
    """Security groups outside the foundation with rules that name its own.

    EC2 does not delete a group that a rule of another one in its VPC names: CloudFormation would
    notice after it has deleted the rest.
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteSecurityGroup.html
    """
    template = run.foundation["Resources"]
    kept = str(template.get("ClusterSecurityGroup", {}).get("DeletionPolicy")).startswith("Retain")
    named = ((k, v) for k, v in known.items() if k.endswith(_GROUP))
    groups = [v for k, v in named if not (kept and k.startswith("Cluster"))]
    made = any(each["Type"] == "AWS::EC2::SecurityGroup" for each in template.values())
    if not groups or not made:
        return []
    call, member = "cloudformation:ListStackResources", "StackResourceSummaries"
    name, before = foundation.stack(run).name, len(doubts)
    there = run.world.allowed_all(doubts, call, member, StackName=name)
    own = {each.get("PhysicalResourceId") for each in there}
    if len(doubts) > before:
        return []
    naming = {
        group["GroupId"]
        for side in ("", "egress.")
        for group in _with_rules(run, known, side, groups, doubts)
    }
    return sorted(naming - own - {*groups, *run.bundle.network.groups})


def _with_rules(
    run: Run, known: Outputs, side: str, groups: list[str], doubts: list[str]
) -> list[Json]:
    vpc = run.bundle.network.vpc or known.get("VpcId", "")
    filters = [
        {"Name": "vpc-id", "Values": [vpc]},
        {"Name": f"{side}ip-permission.group-id", "Values": groups},
    ]
    call, member = "ec2:DescribeSecurityGroups", "SecurityGroups"
    return run.world.allowed_all(doubts, call, member, Filters=filters)


def _stacks(run: Run, name: str, values: list[str], doubts: list[str]) -> Iterator[str]:
    """Stacks with such a parameter: a cluster without nodes, as of Batch, has no interfaces."""
    known = len(doubts)
    shown = run.world.allowed_all(doubts, "cloudformation:DescribeStacks", "Stacks")
    if len(doubts) > known:
        return
    # An answer that lacks the foundation itself says nothing about the others.
    if all(each["StackName"] != name for each in shown):
        raise Stop(
            f"CloudFormation does not list the stack {name}, which exists. Nothing was deleted. "
            "Run this again."
        )
    for each in shown:
        given = [p.get("ParameterValue") or "" for p in each.get("Parameters") or ()]
        refers = any(value in text for text in given for value in values)
        if refers and each["StackName"] != name and each["StackStatus"] != "REVIEW_IN_PROGRESS":
            yield f"the stack {each['StackName']}"


def clusters(run: Run, values: Iterable[str], doubts: list[str]) -> Iterator[str]:
    """The HyperPod clusters that refer to some of these values; they may need no stack."""
    for each in run.world.allowed_all(doubts, "sagemaker:ListClusters", "ClusterSummaries"):
        name: str = each["ClusterName"]
        call, needed = "sagemaker:DescribeCluster", "ClusterArn"
        shown = run.world.allowed(doubts, call, needed, ClusterName=name)
        text = json.dumps(shown or {}, default=str)
        if any(value in text for value in values):
            yield name
