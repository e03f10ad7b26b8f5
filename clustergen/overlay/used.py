"""What the rest of a bundle takes from its document, and an overlay must not take away."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clustergen.base.findings import Finding, Path, Rule, drop, unsafe
from clustergen.overlay.merging import likely_name
from clustergen.overlay.parts import Json, as_list, as_map, counterpart, maps
from clustergen.overlay.rules.used import RENAMED, STALE
from clustergen.overlay.suggestions import short

_ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class _Use:
    """Values of the document that other files of the bundle contain, too."""

    steps: tuple[str, ...]
    """Keys; ``*`` is any item of a list or a map. In ``Resources``, the type of the resource."""
    instead: str
    """What to do instead of the overlay."""
    rule: Rule = RENAMED
    whole: bool = False
    """It only has to be there."""
    members: bool = False
    """A list may grow, but not lose members."""
    but: str = ""
    """Members with this key may change."""


def _of(type: str, *steps: str) -> tuple[str, ...]:
    return ("Resources", f"AWS::{type}", *(("Properties", *steps) if steps else ()))


def _change(what: str) -> str:
    return f"change {what} in the spec instead"


_NAME: Final = _change("`name`")
_GROUPS: Final = _change("`node_groups`")
_QUEUES: Final = _change("`queues`")
_TYPES: Final = _change("`instance_type` or `instance_types` of the node group")
_COUNT: Final = _change("`count` of the node group")
_POLICIES: Final = "write `iam.policies` in the spec instead, which adds policies"
_HOOK: Final = "write `targets.parallelcluster.leave_out: [hook]` in the spec instead"
_STORAGE: Final = _change("`storage`")
_GROUP: Final = ("InstanceGroups", _ANY)
_QUEUE: Final = ("Scheduling", "SlurmQueues", _ANY)
_COMPUTE: Final = (*_QUEUE, "ComputeResources", _ANY)
_ENVIRONMENT: Final = _of("Batch::ComputeEnvironment", "ComputeResources")

_USES: Final = (
    # Requests of HyperPod.
    _Use(("ClusterName",), _NAME),
    _Use(_GROUP, _GROUPS, whole=True),
    _Use((*_GROUP, "SlurmConfig", "PartitionNames"), _QUEUES, STALE, members=True),
    _Use((*_GROUP, "InstanceType"), _TYPES, STALE),
    _Use((*_GROUP, "InstanceRequirements", "InstanceTypes"), _TYPES, STALE),
    _Use((*_GROUP, "InstanceCount"), _COUNT, STALE),
    _Use((*_GROUP, "InstanceStorageConfigs"), _STORAGE, STALE, members=True, but="EbsVolumeConfig"),
    _Use(("Orchestrator", "Eks", "ClusterArn"), _change("`targets.hyperpod-eks.eks_cluster`")),
    # Configurations of ParallelCluster.
    _Use(("Region",), _change("`region`")),
    _Use(("Image", "Os"), _change("`software.os`"), STALE),
    _Use(_QUEUE, _QUEUES, whole=True),
    _Use(_COMPUTE, _GROUPS, whole=True),
    _Use((*_COMPUTE, "InstanceType"), _TYPES, STALE),
    _Use((*_COMPUTE, "Instances"), _TYPES, STALE),
    _Use((*_COMPUTE, "MaxCount"), _COUNT, STALE),
    _Use(("SharedStorage", _ANY), _STORAGE, STALE, whole=True),
    _Use(("SharedStorage", _ANY, "MountDir"), _STORAGE, STALE),
    _Use(("LoginNodes", "Pools", _ANY), _change("`login`"), STALE, whole=True),
    _Use(("HeadNode", "CustomActions"), _HOOK, STALE, whole=True),
    _Use((*_QUEUE, "CustomActions"), _HOOK, STALE, whole=True),
    # Templates.
    _Use(("Outputs", _ANY), "keep the output", STALE, whole=True),
    _Use(_of("EKS::Cluster"), _NAME, STALE, whole=True),
    _Use(_of("EKS::Cluster", "Name"), _NAME),
    _Use(_of("EKS::Cluster", "Version"), _change("`kubernetes.version`"), STALE),
    _Use(_of("EKS::Nodegroup"), _GROUPS, STALE, whole=True),
    _Use(_of("EKS::Nodegroup", "NodegroupName"), _GROUPS),
    _Use(_of("EKS::Nodegroup", "InstanceTypes"), _TYPES, STALE),
    _Use(_of("EKS::Nodegroup", "ScalingConfig"), _COUNT, STALE),
    _Use(_of("EKS::Nodegroup", "Labels"), _change("`labels` of the node group"), STALE, whole=True),
    _Use(
        _of("EKS::Addon"),
        _change("`kubernetes.addons`, `storage` or `leave_out`"),
        STALE,
        whole=True,
    ),
    _Use(_of("PCS::Cluster"), _NAME, STALE, whole=True),
    _Use(_of("PCS::Cluster", "Name"), _NAME),
    _Use(_of("PCS::ComputeNodeGroup"), _GROUPS, STALE, whole=True),
    _Use(_of("PCS::ComputeNodeGroup", "Name"), _GROUPS),
    _Use(_of("PCS::ComputeNodeGroup", "InstanceConfigs"), _TYPES, STALE),
    _Use(_of("PCS::ComputeNodeGroup", "ScalingConfiguration", "MaxInstanceCount"), _COUNT, STALE),
    _Use(_of("PCS::Queue"), _QUEUES, STALE, whole=True),
    _Use(_of("PCS::Queue", "Name"), _QUEUES),
    _Use(_of("Batch::JobQueue"), _QUEUES, STALE, whole=True),
    _Use(_of("Batch::JobQueue", "JobQueueName"), _QUEUES),
    _Use(_of("Batch::ComputeEnvironment"), _GROUPS, STALE, whole=True),
    _Use((*_ENVIRONMENT, "InstanceTypes"), _TYPES, STALE),
    _Use((*_ENVIRONMENT, "MaxvCpus"), _COUNT, STALE),
    _Use(
        _of("Logs::LogGroup", "LogGroupName"),
        "remove this: the name follows from the cluster's name",
    ),
    _Use(_of("IAM::Role", "ManagedPolicyArns"), _POLICIES, STALE, members=True),
)


_NUMBERS: Final = (
    _of("EKS::Nodegroup", "ScalingConfig", "MaxSize"),
    _of("PCS::ComputeNodeGroup", "ScalingConfiguration", "MaxInstanceCount"),
)
"""The largest number of nodes, which comes from the spec alone."""


def taken_away(
    document: Json,
    merged: Json,
    overlay: Json,
    keys: Sequence[str],
) -> Iterator[Finding]:
    """What ``merged`` lacks of ``document``, or has with another value, at places of ``overlay``.

    ``keys`` name the items of lists, as in :func:`clustergen.overlay.apply`.
    """
    yield from _idle(document, merged, overlay, keys)
    reported: set[tuple[str, ...]] = set()
    for use in _USES:
        for names, before in _values(document, use.steps, keys):
            now = _at(merged, names, keys)
            above = {names[:count] for count in range(1, len(names))}
            gone = now is None and _at(merged, names[:-1], keys) is None
            if above & reported or (gone and not use.whole) or _has_twin(now, before, merged):
                continue
            if before is not None and (message := _difference(use, names, before, now)):
                reported.add(names)
                path = _place(names, overlay, keys)
                fix = unsafe(drop(path)) if len(path) == len(names) else None
                yield use.rule.at(path, message, help=use.instead, fix=fix)


def _idle(document: Json, merged: Json, overlay: Json, keys: Sequence[str]) -> Iterator[Finding]:
    """Numbers of nodes in the spec that do nothing, as the overlay has the group's resource."""
    for steps in _NUMBERS:
        for (section, id, *rest), wanted in _values(document, steps, keys):
            if id in as_map(merged.get(section)):
                continue
            other = counterpart(document[section][id], merged)
            names = (section, other, *rest)
            found = str(_at(merged, names, keys)) if other else ""
            # A parameter decides elsewhere.
            if found.isdigit() and str(wanted).isdigit() and found != str(wanted):
                text = f"{rest[-1]} of {other} is {found}, and the count of the node group is idle"
                help = f"write {wanted} here, if this is the number that you want"
                yield STALE.at(_place(names, overlay, keys), text, help=help)


def _has_twin(now: Any, resource: Any, merged: Json) -> bool:
    """Whether what is gone is elsewhere: under another logical id, or as a restricted group."""
    group = as_map(resource).get("InstanceGroupName")
    restricted = maps(merged.get("RestrictedInstanceGroups"))
    is_restricted = group in [each.get("InstanceGroupName", "") for each in restricted]
    return now is None and (is_restricted or bool(counterpart(resource, merged)))


def _difference(use: _Use, names: Sequence[str], before: Any, now: Any) -> str:
    """What is different; empty if nothing that counts is."""
    if now is None:
        return f"{'.'.join(names)} is gone, and other files of the bundle use it"
    if use.whole or before == now:
        return ""
    if not use.members:
        return f"{names[-1]} is no longer {short(before)}, which other files of the bundle use"
    kept = as_list(now)
    lost = [item for item in before if item not in kept and use.but not in as_map(item)]
    if not lost:
        return ""
    return f"{'.'.join(names)} lacks {short(lost[0])}, which other files of the bundle need"


def _values(
    document: Any, steps: Sequence[str], keys: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values at ``steps``, each with the names of the steps to it."""
    if not steps:
        yield (), document
        return
    for name, inner in _items(document, steps[0], keys):
        for names, value in _values(inner, steps[1:], keys):
            yield (name, *names), value


def _items(document: Any, step: str, keys: Sequence[str]) -> Iterator[tuple[str, Any]]:
    if isinstance(document, list) and step == _ANY:
        for item in document:
            if name := likely_name(item, keys):
                yield name, item
    for key, item in as_map(document).items():
        if step in (key, _ANY) or (step[:5] == "AWS::" and as_map(item).get("Type") == step):
            yield str(key), item


def _at(document: Any, names: Sequence[str], keys: Sequence[str]) -> Any:
    """The value at steps by name; None if there is none."""
    for name in names:
        document = next((item for n, item in _items(document, _ANY, keys) if n == name), None)
    return document


def _place(names: Sequence[str], overlay: Any, keys: Sequence[str]) -> Path:
    """The deepest place of the overlay on the way to a value."""
    path: Path = ()
    for name in names:
        if isinstance(overlay, list):
            found = (n for n, item in enumerate(overlay) if likely_name(item, keys) == name)
            step: str | int | None = next(found, None)
        else:
            step = name if name in as_map(overlay) else None
        if step is None:
            return path
        path, overlay = (*path, step), overlay[step]
    return path
