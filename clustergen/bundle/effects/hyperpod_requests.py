"""What UpdateCluster does with a HyperPod request in place of an earlier CreateCluster.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html and
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-operate-slurm-cli-command-update-cluster.html;
2026-11-21.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import word_set
from clustergen.bundle.effects import node_groups
from clustergen.bundle.effects.model import Effect
from clustergen.bundle.effects.values import changed, differs, named
from clustergen.services.fields import value_at
from clustergen.services.hyperpod.deploy import UPDATABLE
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.limits import FIXED_MEMBERS

SOURCE = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html"
_DATABASE = "AccountingDatabase"
"""https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-external-accounting-db-slurm.html"""
_FIXED = frozenset(FIXED_MEMBERS)
_IN_PLACE = word_set("""
    MinInstanceCount KubernetesConfig OnStartDeepHealthChecks AutoPatchConfig ScheduledUpdateConfig
    SlurmConfig
""")
_LATE = {
    "LifeCycleConfig": (
        "runs the changed lifecycle scripts only on new nodes of {}, and where "
        "UpdateClusterSoftware replaces the root volume"
    ),
    "InstanceStorageConfigs": (
        "mounts the changed file systems only on new nodes of {}: reduce these groups to 0 nodes, "
        "and enlarge them again"
    ),
}
"""What reaches only new nodes."""
UNDOCUMENTED = word_set(
    "ImageId ImageReleaseVersion InstanceRequirements NetworkInterface TrainingPlanArn"
)
"""What AWS does not document for existing groups: it reaches new nodes for certain."""


def is_known(member: str) -> bool:
    """Whether a change of this member of an instance group has an effect that is known."""
    named = {"InstanceGroupName", "InstanceCount", *_LATE}
    return member in named | _FIXED | _IN_PLACE | UNDOCUMENTED


def effects(before: Json, after: Json, moved: Collection[str]) -> Iterator[Effect]:
    """The effects on the cluster and its instance groups."""
    for effect in _all(before, after, moved, _controller(before)):
        yield effect._replace(source=SOURCE)


def additions(before: Json, after: Json, moved: Collection[str]) -> Iterator[Effect]:
    """The effects on instance groups that a bundle adds to a cluster which exists."""
    old, new = before.get("ClusterName"), after.get("ClusterName")
    if old == new:
        yield from (e._replace(source=SOURCE) for e in _all(before, after, moved, ""))
        return
    text = (
        f"adds its instance groups to the cluster {new}: those in {old} stay, run and cost money "
        "until `aws sagemaker update-cluster` names them in --instance-groups-to-delete"
    )
    yield Effect("leftover", "cluster", "ClusterName", text, SOURCE, stays=f"groups of {old}")


def _all(before: Json, after: Json, moved: Collection[str], controller: str) -> Iterator[Effect]:
    """The effects on a cluster; ``controller`` is its instance group, if it is one of ours."""
    yield from _cluster(before, after, moved)
    old, new = (named(each.get("InstanceGroups"), "InstanceGroupName") for each in (before, after))
    for name in (name for name in old if name not in new):
        if name == controller:
            yield _second_controller(name)
            continue
        text = (
            f"leaves instance group {name}, which runs and costs money until `aws sagemaker "
            "update-cluster` names it in --instance-groups-to-delete"
        )
        yield Effect("leftover", name, "", text, stays=name)
    for name in (name for name in new if name not in old):
        yield Effect("in-place", name, "", f"creates instance group {name}")
    scaled = Document(before).is_autoscaled
    late: dict[str, list[str]] = {}
    for name in (name for name in old if name in new):
        for effect in _group(name, old[name], new[name], moved, scaled=scaled):
            if effect.cause in _LATE:
                late.setdefault(effect.cause, []).append(name)
            else:
                yield effect
    # Groups mostly have the same scripts and file systems: one line for all.
    for cause, groups in late.items():
        text = _LATE[cause].format(", ".join(groups))
        if controller in groups and cause == "InstanceStorageConfigs":
            text += f"; {controller} cannot have 0 nodes, and keeps what it mounts"
        yield Effect("new-nodes-only", ", ".join(groups), cause, text)


def _controller(request: Json) -> str:
    """The instance group of the controller: without roles in the request, clustergen's first."""
    groups = request.get("InstanceGroups") or []
    roles = [value_at(group, "SlurmConfig.NodeType") for group in groups]
    if "Controller" in roles:
        return str(groups[roles.index("Controller")].get("InstanceGroupName"))
    first = groups[:1] if "Orchestrator" not in request else []
    return str(first[0].get("InstanceGroupName")) if first else ""


def _second_controller(group: str) -> Effect:
    text = (
        f"is refused: the controller is instance group {group}, and deploy.sh stops rather than "
        "add a second one; undo the new name, or create another cluster"
    )
    return Effect("refused", group, "InstanceGroupName", text)


def _cluster(before: Json, after: Json, moved: Collection[str]) -> Iterator[Effect]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if name == "InstanceGroups" or not differs(old, new, moved):
            continue
        if name == "Tags":
            text = "does not change the tags of the cluster, which UpdateCluster cannot"
            yield Effect("none", "cluster", name, text)
        elif name == "Orchestrator":
            yield from _orchestrator(old or {}, new or {}, moved)
        elif name not in UPDATABLE or name == "ClusterName":
            yield _refused(name)
        else:
            yield Effect("in-place", "cluster", name, f"changes {name} of the cluster")


def _orchestrator(old: Json, new: Json, moved: Collection[str]) -> Iterator[Effect]:
    if differs(old.get("Eks"), new.get("Eks"), moved) or "Slurm" in old.keys() - new.keys():
        yield _refused("Orchestrator")
    elif "Slurm" in new.keys() - old.keys():
        text = "lets HyperPod manage Slurm from now on (Orchestrator changes): there is no way back"
        yield Effect("new-nodes-only", "cluster", "Orchestrator", text)
    else:
        old, new = (each.get("Slurm") or {} for each in (old, new))
        for name in changed(old, new, moved):
            if name.startswith(_DATABASE):
                yield _database(name, old.get(_DATABASE), new.get(_DATABASE))
                return
            yield Effect("in-place", "cluster", name, f"changes {name} of the cluster")


def _database(cause: str, old: Json | None, new: Json | None) -> Effect:
    """The effect of another database of accounting: records stay where they are."""
    if new is None:
        text = (
            "is refused: a cluster with an external accounting database never goes back to that "
            "on its controller; undo the change"
        )
        return Effect("refused", "cluster", cause, text)
    text = f"records jobs in the database at {new.get('Endpoint')} from now on"
    text += ": earlier records, associations and limits stay in the earlier one"
    if old is None:
        text += (
            ", on the controller, and there is no way back; HyperPod rejects it where nodes have "
            "images from before 2026-08-31"
        )
    return Effect("in-place", "cluster", cause, text)


def _refused(name: str) -> Effect:
    text = f"is refused: {name} of a HyperPod cluster cannot change; use another name"
    return Effect("refused", "cluster", name, text)


def _group(
    group: str, before: Json, after: Json, moved: Collection[str], *, scaled: bool
) -> Iterator[Effect]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if not differs(old, new, moved):
            continue
        if name == "KubernetesConfig" and _profile(old) != _profile(new):
            yield node_groups.repartitioned(group, f"{name}.Labels")
        elif name in _IN_PLACE:
            yield Effect("in-place", group, name, f"changes {name} of instance group {group}")
        elif name == "InstanceCount":
            login = value_at(after, "SlurmConfig.NodeType") == "Login"
            yield _resized(group, old or 0, new or 0, scaled=scaled, login=login)
        elif name == "InstanceStorageConfigs":
            yield from _storage(group, old or [], new or [], moved)
        elif name in _FIXED:
            text = (
                f"is refused: {name} of instance group {group} cannot change; give the group "
                "another name"
            )
            yield Effect("refused", group, name, text)
        elif name in _LATE:
            yield Effect("new-nodes-only", group, name, _LATE[name].format(group))
        else:
            yield _undocumented(group, name)


def _profile(config: Any) -> Any:
    return ((config or {}).get("Labels") or {}).get(node_groups.PROFILE)


def _undocumented(group: str, name: str) -> Effect:
    text = (
        f"reaches new nodes of {group}, but maybe not running ones ({name} changes): AWS "
        "does not document it"
    )
    return Effect("new-nodes-only", group, name, text)


def _resized(group: str, old: int, new: int, *, scaled: bool, login: bool) -> Effect:
    """Another size; an empty group of a cluster with Karpenter is one that it ``scaled``."""
    if scaled and not old:
        text = f"sets {group} to {new} nodes, which ends what Karpenter has started beyond that"
        return Effect("removes-nodes", group, "InstanceCount", text)
    if new < old and login:
        return node_groups.fewer_login_nodes(group, "InstanceCount", old, new)
    if new < old:
        text = (
            f"terminates {old - new} nodes of {group}, with what runs on them; HyperPod chooses "
            "which"
        )
        return Effect("removes-nodes", group, "InstanceCount", text)
    return Effect("in-place", group, "InstanceCount", f"adds {new - old} nodes to {group}")


def _storage(group: str, old: Any, new: Any, moved: Collection[str]) -> Iterator[Effect]:
    """File systems reach new nodes; what a volume does to running ones is not documented."""
    before, after = (_of_kind(each, volumes=True) for each in (old, new))
    if _has_other_keys(before, after):
        text = (
            f"is refused: the KMS keys of instance group {group} cannot change; give the group "
            "another name"
        )
        yield Effect("refused", group, "EbsVolumeConfig.VolumeKmsKeyId", text)
    elif before != after:
        yield _undocumented(group, "EbsVolumeConfig")
    before, after = (_of_kind(each, volumes=False) for each in (old, new))
    if differs(before, after, moved):
        cause = "InstanceStorageConfigs"
        yield Effect("new-nodes-only", group, cause, _LATE[cause].format(group))


def _has_other_keys(old: list[Any], new: list[Any]) -> bool:
    """Whether a volume that stays has another key: smcluster-cmk.html of the developer guide,
    2026-11-22."""
    before, after = _keys(old), _keys(new)
    return any(before[volume] != after[volume] for volume in before.keys() & after.keys())


def _keys(volumes: list[Any]) -> Mapping[bool, Any]:
    """The keys of the root volume, which every node has, and of the second one."""
    settings = [each["EbsVolumeConfig"] for each in volumes]
    return {True: None} | {
        bool(each.get("RootVolume")): each.get("VolumeKmsKeyId") for each in settings
    }


def _of_kind(configs: Any, *, volumes: bool) -> list[Any]:
    return [each for each in configs if ("EbsVolumeConfig" in each) == volumes]
