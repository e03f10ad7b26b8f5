"""Changes of EKS node groups for which CloudFormation needs two updates.

One update of a node group either replaces its nodes, or changes anything else of it.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-eks-nodegroup.html
"""

from collections.abc import Mapping
from typing import Final

from clustergen.base.artifacts import Json, json_text
from clustergen.deployment import cloudformation, stacks
from clustergen.deployment.model import Stack
from clustergen.deployment.run import Run
from clustergen.deployment.stacks import Parameters, Template

_TYPE: Final = "AWS::EKS::Nodegroup"
_NODES: Final = ("LaunchTemplate", "Version", "ReleaseVersion")
_OTHERS: Final = ("Labels", "NodeRepairConfig", "ScalingConfig", "Tags", "Taints", "UpdateConfig")


def needed(run: Run, stack: Stack, wanted: Json) -> Json | None:
    """What :func:`first_template` says of a stack; one without node groups is not asked about."""
    if all(each.get("Type") != _TYPE for each in wanted["Resources"].values()):
        return None
    return first_template(cloudformation.deployed_template(run.world, stack.name), wanted)


def make(run: Run, stack: Stack, template: Json, given: Parameters, place: str) -> None:
    """Make the first update; of the parameters in ``given``, those that the stack has already.

    The user has agreed to the whole change, which has to be examined again then.
    """
    stacks.drop(run, stack.name)
    run.note(
        f"{stack.name} changes settings of node groups first: EKS does not change them together "
        "with the nodes."
    )
    told = cloudformation.parameters(run.world, stack.name)
    sent = Template(run.write(f"sent/first/{stack.template}", json_text(template)), template)
    values = {name: given.get(name) for name in told}
    # CloudFormation gives the tags of a stack to its resources; some cannot change them in place.
    if found := stacks.create(run, stack, sent, values, place, tags=False):
        stacks.execute(run, found)


def leaving(deployed: Json, wanted: Json) -> Mapping[str, str]:
    """The groups that a change removes, by the parameters of their sizes."""
    found = {}
    for id, resource in deployed["Resources"].items():
        if id not in wanted["Resources"] and resource.get("Type") == _TYPE:
            match resource["Properties"]:
                case {
                    "ScalingConfig": {"DesiredSize": {"Ref": str(parameter)}},
                    "NodegroupName": str(name),
                }:
                    found[parameter] = name
    return found


def first_template(deployed: Json | str | None, wanted: Json) -> Json | None:
    """The deployed template, with what does not replace nodes as it is ``wanted``.

    None if one update can make all changes, or if what is deployed is not known as JSON.
    One update is tried, too, if other properties change: most of them replace the whole group.
    """
    if not isinstance(deployed, dict):
        return None
    before, after = deployed["Resources"], wanted["Resources"]
    both = [
        id
        for id, group in before.items()
        if group.get("Type") == _TYPE == after.get(id, {}).get("Type")
    ]
    if not any(_is_combined(id, before, after) for id in both):
        return None
    # All of them: sizes are given for all.
    changed = {id: _with_others(before[id], after[id]["Properties"]) for id in both}
    return {**deployed, "Resources": {**before, **changed}}


def _with_others(group: Json, new: Json) -> Json:
    kept = {key: value for key, value in group["Properties"].items() if key not in _OTHERS}
    return {**group, "Properties": {**kept, **{key: new[key] for key in _OTHERS if key in new}}}


def _is_combined(id: str, before: Mapping[str, Json], after: Mapping[str, Json]) -> bool:
    old, new = before[id]["Properties"], after[id]["Properties"]
    changed = {key for key in {**old, **new} if old.get(key) != new.get(key)}
    if _launch_template(old, before) != _launch_template(new, after):
        changed.add("LaunchTemplate")
    is_known = changed.issubset({*_NODES, *_OTHERS})
    return is_known and not (changed.isdisjoint(_NODES) or changed.isdisjoint(_OTHERS))


def _launch_template(group: Json, resources: Mapping[str, Json]) -> object:
    """What the launch template of a group says, of which the group takes the newest version."""
    match group.get("LaunchTemplate"):
        case {"Version": {"Fn::GetAtt": [str(id), _]}}:
            return resources.get(id, {}).get("Properties", {}).get("LaunchTemplateData")
    return None
