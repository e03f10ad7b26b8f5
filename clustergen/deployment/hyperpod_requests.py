"""Requests to HyperPod: parts of those in the bundle, and what an update never changes."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from clustergen.base.artifacts import Json
from clustergen.deployment.hyperpod_api import groups_of
from clustergen.deployment.world import Stop, at

Counts = Mapping[str, tuple[int, int]]
"""Count and minimum of groups, by name."""
_KEPT: Final = ("LifeCycleConfig", "InstanceStorageConfigs", "OverrideVpcConfig", "ExecutionRole")
"""What a request that only scales takes from the cluster: this bundle may not be deployed yet."""


def only(request: Json, keeps: Callable[[str], bool]) -> Json:
    """A request with some of its instance groups."""
    groups = [each for name, each in groups_of(request).items() if keeps(name)]
    return {**request, "InstanceGroups": groups}


def with_counts(request: Json, given: Counts) -> Json:
    """A request with other counts of these groups."""
    return {**request, "InstanceGroups": [*_counted(request, given)]}


def _counted(request: Json, given: Counts) -> Iterator[Json]:
    for name, group in groups_of(request).items():
        if name not in given:
            yield group
            continue
        count, minimum = given[name]
        kept = {key: value for key, value in group.items() if key != "MinInstanceCount"}
        least = {"MinInstanceCount": minimum} if minimum else {}
        yield {**kept, "InstanceCount": count, **least}


def counts(shown: Json, names: Iterable[str]) -> Counts:
    """Count and minimum that groups of a cluster should have."""
    there = groups_of(shown)
    return {name: (_target(there[name]), int(there[name].get("MinCount") or 0)) for name in names}


def _target(group: Json) -> int:
    if "TargetCount" not in group:
        name = group["InstanceGroupName"]
        raise Stop(f"HyperPod does not say how many nodes {name} should have. Run this again.")
    return int(group["TargetCount"])


def resized(request: Json, compute: Iterable[str], given: Counts) -> Json:
    """A request with these counts, without other groups for work: it would add them."""
    left_out = {*compute} - given.keys()
    return with_counts(only(request, lambda name: name not in left_out), given)


def as_deployed(request: Json, shown: Json) -> Json:
    """A request with members of its groups as the cluster has them."""
    there = groups_of(shown)
    groups = [
        {**group, **{key: there[name][key] for key in _KEPT if there.get(name, {}).get(key)}}
        for name, group in groups_of(request).items()
    ]
    return {**request, "InstanceGroups": groups}


class _Fixed(NamedTuple):
    """A member of groups that no update changes, and how its value is read."""

    member: str
    value: Callable[[Json], Any]


def _plain(member: str) -> _Fixed:
    return _Fixed(member, lambda group: str(group.get(member) or ""))


def _network(member: str) -> _Fixed:
    path = f"OverrideVpcConfig.{member}"
    return _Fixed(path, lambda group: ",".join(sorted(map(str, at(group, path) or ()))))


def _capacity(group: Json) -> str:
    return "Spot" if "Spot" in (group.get("CapacityRequirements") or {}) else "OnDemand"


# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html
FIXED: Final = (
    *map(_plain, ("InstanceType", "ExecutionRole", "ThreadsPerCore")),
    _Fixed("CapacityRequirements", _capacity),
    *map(_network, ("SecurityGroupIds", "Subnets")),
)


def fixed_changes(request: Json, shown: Json) -> Iterator[tuple[str, str, str]]:
    """What a request would change that HyperPod never changes: member, group, and a sentence."""
    there = groups_of(shown)
    for member, value in FIXED:
        for name, group in groups_of(request).items():
            wants, has = value(group), value(there[name]) if name in there else ""
            if wants and has and wants != has:
                yield member, name, f"{member} of {name} is {has}, not {wants}"


def told_changes(name: str, request: Json, shown: Json) -> str:
    """What a request changes, as far as counts tell: HyperPod does not say it."""
    wanted, there = groups_of(request), groups_of(shown)
    if not shown:
        return f"{name}: a new cluster with the instance groups {', '.join(wanted)}"
    lines = [f"{name} changes:"]
    for group, each in wanted.items():
        count, has = each.get("InstanceCount"), there.get(group, {}).get("TargetCount")
        if group not in there:
            lines.append(f"  Add {group}, {count} nodes")
        elif has != count:
            lines.append(f"  Modify {group}: {has} -> {count} nodes")
    return "\n".join(lines) if lines[1:] else ""


def ended(request: Json, shown: Json) -> list[str]:
    """The nodes that a request would end: HyperPod chooses which."""
    found = []
    for name, group in groups_of(shown).items():
        has, wants = int(group.get("CurrentCount") or 0), groups_of(request).get(name, {})
        most = wants.get("InstanceCount")
        if isinstance(most, int) and has > most:
            found.append(f"{has - most} of the {has} nodes of {name}")
    return found


def plans(request: Json) -> Iterator[tuple[str, str]]:
    """Each group with a training plan, and the name of the plan."""
    for name, group in groups_of(request).items():
        if plan := group.get("TrainingPlanArn"):
            yield name, str(plan).rpartition("/")[2]


def names_of_foundation(request: Json) -> set[str]:
    """What of the foundation shows that a running cluster is the one requested.

    Others may use the groups and roles that a spec names.
    """
    return {name for name in _names(request, groups_of(request).values()) if "${" in name}


def names_of_cluster(shown: Json) -> set[str]:
    """The same of a cluster that exists."""
    return _names(shown, every_group(shown))


def _names(shown: Json, groups: Iterable[Json]) -> set[str]:
    """Security groups, roles and buckets."""
    found = [*(at(shown, "VpcConfig.SecurityGroupIds") or ())]
    for group in groups:
        source = str(at(group, "LifeCycleConfig.SourceS3Uri") or "")
        found += [group.get("ExecutionRole"), "/".join([*source.split("/")[:3], ""])]
    return set(map(str, found))


def every_group(shown: Json) -> list[Json]:
    """All instance groups of a cluster, restricted ones too."""
    members = ("InstanceGroups", "RestrictedInstanceGroups")
    return [each for member in members for each in shown.get(member) or ()]


def roles(groups: Iterable[Json]) -> set[tuple[str, str]]:
    """Name and role of each group."""
    return {(g["InstanceGroupName"], str(g.get("ExecutionRole", ""))) for g in groups}
