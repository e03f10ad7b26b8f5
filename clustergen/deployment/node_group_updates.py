"""Changes of EKS node groups for which CloudFormation needs more than one update.

One update of a node group either replaces its nodes, or changes anything else of it, such as its
tags, also those of the stack.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-eks-nodegroup.html
https://github.com/aws/aws-cdk/issues/16644
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from clustergen.base.artifacts import Json, json_text
from clustergen.base.text_lists import word_set
from clustergen.deployment import changes, cloudformation, resource_types, stacks
from clustergen.deployment.model import Stack
from clustergen.deployment.run import Run
from clustergen.deployment.stacks import ChangeSet, Parameters, Template

_TYPE: Final = "AWS::EKS::Nodegroup"
_NODES: Final = resource_types.NODES[_TYPE]
_KEPT: Final = word_set("""
    AmiType CapacityType ClusterName DiskSize InstanceTypes NodeRole NodegroupName RemoteAccess
    Subnets
""").union(_NODES)
"""What is not a setting: what replaces nodes, and the create-only properties of the schema."""


class Split(NamedTuple):
    """A change of a stack that needs more than one update: its templates before and after.

    ``tags`` are those of the stack before and after; none if they stay.
    """

    stack: Stack
    deployed: Json
    wanted: Json
    tags: Mapping[str, str]


def split(run: Run, found: ChangeSet | None, deployed: object = None) -> Split | None:
    """What of a change set needs more updates; None if one can make all changes.

    One is tried, too, if the template of the stack, which ``deployed`` may be, is not JSON.
    """
    if found is None or found.creates or not found.template:
        return None
    tags = _changed_tags(run, found.stack) if any(e.type == _TYPE for e in found.changes) else {}
    gone = {each.id for each in changes.replaced(found.changes)}
    stay = (e for e in changes.renewed(found.changes, _TYPE, _NODES) if e.id not in gone)
    changed = {path.split("/")[0] for each in stay for path, _ in each.properties}
    if not tags and changed <= _KEPT:
        return None
    before = deployed or cloudformation.deployed_template(run.world, found.stack.name)
    return Split(found.stack, before, found.template, tags) if isinstance(before, dict) else None


def _changed_tags(run: Run, stack: Stack) -> Mapping[str, str]:
    shown = cloudformation.describe(run.world, stack.name) or {}
    has = {each["Key"]: each["Value"] for each in shown.get("Tags") or ()}
    # Without any, no request has tags, and the stack keeps its own.
    return {} if run.bundle.tags in ({}, has) else {**has, **run.bundle.tags}


def make(run: Run, split: Split, given: Mapping[str, str], place: str) -> None:
    """Make all updates but the last, for which the change has to be examined again.

    The user has agreed to the whole change. Settings are first. Tags that groups lose are last:
    tags of the stack change together with nodes, because CloudFormation may replace what cannot
    change its own, such as placement groups, which launch templates name.
    """
    stack = split.stack
    stacks.drop(run, stack.name)
    told = cloudformation.parameters(run.world, stack.name)
    rest = _with_groups(split, split.wanted, lambda _, new: new)
    first, named = _first(split)
    new = {name: value for name, value in given.items() if name in named}
    updates: list[tuple[str, Json, Parameters, str]] = []
    if first != split.deployed or not new.items() <= told.items():
        kept: Parameters = {**dict.fromkeys(told), **new}
        updates.append(("first", first, kept, "changes settings of node groups first"))
    if rest != split.wanted:
        updates.append(("rest", rest, given, "takes tags from node groups last"))
    for name, template, values, what in updates:
        run.note(f"{stack.name} {what}: EKS does not change them together with the nodes.")
        sent = Template(run.write(f"sent/{name}/{stack.template}", json_text(template)), template)
        if found := stacks.create(run, stack, sent, values, place, tags=template is rest):
            stacks.execute(run, found)


def groups(template: object) -> dict[str, Json]:
    """The properties of the node groups in a template, by logical id; none if it is not JSON."""
    every = template["Resources"].items() if isinstance(template, dict) else ()
    return {id: each.get("Properties") or {} for id, each in every if each.get("Type") == _TYPE}


def _with_groups(split: Split, template: Json, change: Callable[[Json, Json], Json]) -> Json:
    """A template with other properties of groups that stay, made of the old and the new ones.

    The new ones have the tags that a group loses, too.
    """
    before, after, made = groups(split.deployed), groups(split.wanted), template["Resources"]
    for id in before.keys() & after.keys():
        properties = change(before[id], _tagged(after[id], split.tags))
        made = {**made, id: {**made[id], "Properties": properties}}
    return {**template, "Resources": made}


def _tagged(group: Json, tags: Mapping[str, str]) -> Json:
    own = group.get("Tags") or {}
    # What a function returns is not known.
    is_known = not any(key.startswith("Fn::") for key in own)
    return {**group, "Tags": {**tags, **own}} if tags and is_known else group


def _settled(old: Json, new: Json) -> Json:
    """The properties of a group whose settings alone change."""
    kept = {key: value for key, value in old.items() if key in _KEPT}
    return {**kept, **{key: value for key, value in new.items() if key not in _KEPT}}


def _first(split: Split) -> tuple[Json, set[str]]:
    """The deployed template with new settings of groups, and the names in these.

    All groups have theirs, because sizes are given for all. What they name comes along, if only the
    new template has it, and so does what looks like a name: the next update adds it anyway.
    """
    wanted, first = split.wanted, _with_groups(split, split.deployed, _settled)
    settings = [_settled({}, each) for each in groups(first).values()]
    parts = {k: each for k, each in wanted["Resources"].items() if k not in first["Resources"]}
    parts |= {**wanted.get("Conditions", {}), **first.get("Conditions", {})}
    named: set[str] = set()
    while more := {*re.findall(r"\w+", json.dumps([settings, *map(parts.get, named)]))} - named:
        named |= more
    for part in ("Parameters", "Mappings", "Conditions", "Resources"):
        new = {name: each for name, each in wanted.get(part, {}).items() if name in named}
        first = {**first, part: {**new, **first.get(part, {})}} if new else first
    return first, named
