"""What CloudFormation does with a template in place of an earlier one.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
"""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from clustergen.base.artifacts import Json
from clustergen.base.patterns import pattern
from clustergen.bundle.effects import collisions, resources
from clustergen.bundle.effects.change import Change
from clustergen.bundle.effects.model import Effect
from clustergen.bundle.effects.values import changed, is_below, references
from clustergen.facts.schemas import replacements

_NETWORK = frozenset({"AWS::EC2::Subnet", "AWS::EC2::NatGateway"})
_ADDRESSES = "NfsExports"
"""Of a file system: it follows the addresses of the network."""
_TEMPLATE = "AWS::EC2::LaunchTemplate"
_IMAGE = pattern(r"/aws/service/\S+")
_POLICIES = ("DeletionPolicy", "UpdateReplacePolicy")


def effects(before: Json, after: Json, moved: Collection[str]) -> tuple[list[Effect], set[str]]:
    """The effects, and the outputs whose value changes with a resource.

    ``moved`` has outputs of earlier templates whose values change so.
    """
    old, new = _resources(before), _resources(after)
    update = _updated(old, new, {*moved, *_parameters(before, after)})
    found = [each for change in update.changes for each in _effects(change, update.refused)]
    found += resources.removed(old, new)
    found += (resources.added(name, new[name]) for name in new if name not in old)
    ids = {change.name for change in update.replaced}
    outputs = after.get("Outputs", {}).items()
    return found, {name for name, output in outputs if references(output) & ids}


def _resources(template: Json) -> Json:
    found = template["Resources"]
    return {name: resource for name, resource in found.items() if "Type" in resource}


def _parameters(before: Json, after: Json) -> Iterator[str]:
    """Parameters with another default, or of another image: its name in SSM is described."""
    old, new = before.get("Parameters", {}), after.get("Parameters", {})
    for name in old.keys() & new.keys():
        images = [_IMAGE.findall(str(each.get("Description"))) for each in (old[name], new[name])]
        if old[name].get("Default") != new[name].get("Default") or images[0] != images[1]:
            yield name


class _Update(NamedTuple):
    """How a stack changes."""

    changes: list[Change]
    refused: Mapping[str, str]
    """Resources that would have to be replaced, and cannot be: why."""

    @property
    def replaced(self) -> Iterator[Change]:
        return (each for each in self.changes if each.fixed and each.name not in self.refused)


def _updated(old: Json, new: Json, moved: Collection[str]) -> _Update:
    """The changes, with those of resources that refer to a replaced one.

    A network that cannot be replaced stays, and so does all that is in it.
    """
    update = _followed(old, new, moved, frozenset())
    stuck = [name for name in update.refused if new[name]["Type"] in _NETWORK]
    if not stuck:
        return update
    kept = {each.name for each in update.replaced if each.type in resources.NETWORK}
    followed = _followed(old, new, moved, frozenset(kept))
    undone = {
        each.name: f"the whole update of the stack fails ({update.refused[stuck[0]]})"
        for each in followed.replaced
        if each.type in resources.NETWORK or each.fixed.endswith(_ADDRESSES)
    }
    return _Update(followed.changes, {**undone, **followed.refused})


def _followed(old: Json, new: Json, moved: Collection[str], kept: Collection[str]) -> _Update:
    ids = set(moved)
    while True:
        changes = list(_changes(old, new, ids))
        fixed = [each for each in changes if each.fixed]
        refused = {each.name: why for each in fixed if (why := collisions.of(each, old, fixed))}
        found = {each.name for each in fixed if each.name not in refused} - set(kept)
        found |= {
            f"{each.name}.LatestVersionNumber"
            for each in changes
            if each.type == _TEMPLATE and any(path.startswith("Launch") for path in each.paths)
        }
        if found <= ids:
            return _Update(changes, refused)
        ids |= found


def _changes(old: Json, new: Json, moved: Collection[str]) -> Iterator[Change]:
    for name, resource in new.items():
        if name not in old:
            continue
        earlier = old[name]
        paths = changed(earlier.get("Properties", {}), resource.get("Properties", {}), moved)
        paths += (key for key in _POLICIES if earlier.get(key) != resource.get(key))
        if earlier["Type"] != resource["Type"]:
            paths = ["Type"]
        if paths:
            yield Change(name, earlier, resource, paths, _fixed(resource["Type"], paths))


def _fixed(type: str, paths: list[str]) -> str:
    """The first of ``paths`` with which the resource needs to be another one."""
    if paths == ["Type"]:
        return "Type"
    known = replacements.properties().get(type, ())
    return next((path for path in paths if any(is_below(path, each) for each in known)), "")


def _effects(change: Change, refused: Mapping[str, str]) -> list[Effect]:
    if change.name not in refused:
        return [resources.replaced(change)] if change.fixed else resources.updated(change)
    text, source = f"is refused: {refused[change.name]}", collisions.SOURCE
    return [Effect("refused", change.name, change.fixed, text, source, type=change.type)]
