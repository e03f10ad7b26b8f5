"""What ``pcluster update-cluster`` does with a ``cluster.yaml`` in place of an earlier one.

ParallelCluster compares the two as they are written. Each key has a policy, which decides by what
runs in the cluster; here compute and login nodes run.
https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from clustergen.base.artifacts import Json
from clustergen.base.patterns import pattern
from clustergen.bundle.effects import retention
from clustergen.bundle.effects.model import Effect, Kind
from clustergen.bundle.effects.node_groups import fewer_login_nodes, number
from clustergen.bundle.effects.values import differs, named
from clustergen.facts.schemas import updates
from clustergen.facts.schemas.updates import Key
from clustergen.services.fields import value_at

_QUEUE = pattern(r"Scheduling\.SlurmQueues\[([^]]*)\]")
_STORAGE = pattern(r"SharedStorage\[[^]]*\]")
_LOGIN_COUNT = pattern(r"LoginNodes\.Pools\[[^]]*\]\.Count")
_ITEM = pattern(r"(\w+)\[([^]]*)\]")
SOURCE = (
    "https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html"
)
_PROTECTED = ("Retain", "Snapshot")
"""Deletion policies that keep the data of storage."""
_KEPT = "Monitoring.Logs.CloudWatch.RetentionInDays"
_MAX_COUNT = 10
"""pcluster.constants: DEFAULT_MAX_COUNT."""


class _Change(NamedTuple):
    """A key and its two values; None where there is none. An item of a list is one change."""

    path: str
    policy: str
    old: Any
    new: Any

    def has(self, kind: Kind, text: str) -> Effect:
        return Effect(kind, self.path, self.path, text)


class _Update(NamedTuple):
    """The whole update, which some policies look at."""

    old: Json
    new: Json
    changes: list[_Change]

    @property
    def strategy(self) -> str:
        chosen = value_at(self.new, "Scheduling.SlurmSettings.QueueUpdateStrategy")
        return str(chosen or "COMPUTE_FLEET_STOP")

    def growth(self, path: str, default: int) -> int | None:
        """By how much the number at a path grows; None where it does not change."""
        for change in self.changes:
            if change.path == path:
                old, new = (default if n is None else n for n in (change.old, change.new))
                return int(new) - int(old)
        return None


def effects(before: Json, after: Json, moved: Collection[str]) -> Iterator[Effect]:
    """The effects, each subject once for each kind."""
    changes = list(_section(updates.root(), before, after, moved, ""))
    update = _Update(before, after, changes)
    if changes and all(change.policy == "IGNORED" for change in changes):
        path = changes[0].path
        text = f"has no effect alone ({path} changes): pcluster finds no change to make"
        yield Effect("none", path, path, text, SOURCE)
        return
    seen: set[tuple[Kind, str]] = set()
    for change in changes:
        for effect in _of(change, update):
            if (effect.kind, effect.subject) not in seen:
                seen.add((effect.kind, effect.subject))
                yield effect._replace(source=SOURCE)


def _of(change: _Change, update: _Update) -> Iterator[Effect]:
    found = (_effect(change, update), _lost(change, update), _fewer_login_nodes(change))
    made = [*filter(None, found), *_expired(change)]
    yield from made or [_in_place(change)]


def _expired(change: _Change) -> Iterator[Effect]:
    if change.path == _KEPT:
        yield from retention.shortened("the log group", change.path, change.old, change.new)


def _lost(change: _Change, update: _Update) -> Effect | None:
    """That a volume or file system which ParallelCluster created loses its data or protection."""
    if not change.path.startswith("SharedStorage["):
        return None
    if _is_unprotected(change, update):
        return change.has(
            "data-at-risk", f"removes the protection of the data ({change.path} changes)"
        )
    if not _STORAGE.fullmatch(change.path) or change.new is not None or _has_id(change.old):
        return None
    kept = _settings(change.old).get("DeletionPolicy") in _PROTECTED
    fate = "stays, and continues to cost money" if kept else "is deleted with its data"
    text = f"removes {change.path} from the cluster: its storage {fate}"
    if kept:
        return Effect("data-at-risk", change.path, "", text, stays=change.path)
    return Effect("data-at-risk", change.path, "", text, ends="deleted", loses=True)


def _fewer_login_nodes(change: _Change) -> Effect | None:
    if not _LOGIN_COUNT.fullmatch(change.path) or (change.new or 0) >= (change.old or 0):
        return None
    return fewer_login_nodes(change.path, change.path, change.old, change.new or 0)


def _is_unprotected(change: _Change, update: _Update) -> bool:
    """Whether storage that ParallelCluster created gets the deletion policy Delete, or none."""
    name = dict(_ITEM.findall(change.path))["SharedStorage"]
    if _has_id(named(update.new.get("SharedStorage"), "Name").get(name, {})):
        return False
    old, new = change.old, change.new
    if change.path.endswith("Settings"):
        old, new = (value_at(each, "DeletionPolicy") for each in (old, new))
    elif not change.path.endswith(".DeletionPolicy"):
        return False
    return old in _PROTECTED and new not in _PROTECTED


def _in_place(change: _Change) -> Effect:
    verb = "adds" if change.old is None else "removes" if change.new is None else "changes"
    return change.has("in-place", f"{verb} {change.path}")


def _section(
    keys: Mapping[str, Key], old: Json, new: Json, moved: Collection[str], at: str
) -> Iterator[_Change]:
    for name in dict.fromkeys((*old, *new)):
        path, before, after = f"{at}{name}", old.get(name), new.get(name)
        if not differs(before, after, moved):
            continue
        key = keys.get("Script" if name in ("Sequence", "Args") else name) or keys.get(name)
        if key is None:
            yield _Change(path, "", before, after)
        elif key.items:
            yield from _items(key, before, after, moved, path)
        elif key.below and ((before and after) or key.policy == "IGNORED"):
            yield from _section(key.below, before or {}, after or {}, moved, f"{path}.")
        else:
            yield _Change(path, key.policy, before, after)


def _items(key: Key, old: Any, new: Any, moved: Collection[str], at: str) -> Iterator[_Change]:
    before, after = named(old, key.items), named(new, key.items)
    for name in dict.fromkeys((*before, *after)):
        path = f"{at}[{name}]"
        if name in before and name in after:
            yield from _section(key.below, before[name], after[name], moved, f"{path}.")
        else:
            yield _Change(path, key.policy, before.get(name), after.get(name))


def _effect(change: _Change, update: _Update) -> Effect | None:
    decide = _POLICIES.get(change.policy)
    if decide is None:
        text = f"has unknown effects: {change.path} changes, a key that ParallelCluster lacks"
        return change.has("unknown", text)
    return decide(change, update)


_Decide = Callable[[_Change, _Update], Effect | None]


def _refused(change: _Change, _: _Update) -> Effect:
    text = "cannot change; undo the change, or create another cluster"
    return change.has("refused", f"is refused: {change.path} of a cluster {text}")


def _stops(nodes: str, way: str) -> Callable[[_Change, _Update], Effect]:
    subject = "all nodes" if " and " in nodes else nodes.removeprefix("the ")
    return lambda change, _: Effect(
        "needs-stop",
        subject,
        change.path,
        f"needs {nodes} stopped first ({change.path} changes): {way}",
    )


_STOP = "pcluster update-compute-fleet --status STOP_REQUESTED"
_stops_compute = _stops("the compute nodes", _STOP)
_stops_all = _stops("compute and login nodes", f"deploy login.count: 0, then {_STOP}")
_stops_every_login = _stops("the login nodes", "deploy login.count: 0 before it")


def _stops_login(change: _Change, update: _Update) -> Effect | None:
    return _stops_every_login(change, update) if "LoginNodes" in update.old else None


def _unless_added(stops: _Decide) -> _Decide:
    return lambda change, update: None if change.old is None else stops(change, update)


def _by_strategy(change: _Change, update: _Update) -> Effect:
    queue = _QUEUE.match(change.path)
    if not queue or update.strategy == "COMPUTE_FLEET_STOP":
        return _stops_compute(change, update)
    cause = change.path.removeprefix(f"{queue[0]}.")
    if update.strategy == "TERMINATE":
        text = f"terminates the nodes of queue {queue[1]}, with the jobs on them ({cause} changes)"
        return Effect("removes-nodes", queue[1], change.path, f"{text}: {_nodes(queue[1], update)}")
    text = f"replaces the nodes of queue {queue[1]} once their jobs have ended ({cause} changes)"
    text += f": {_nodes(queue[1], update)}"
    return Effect("replaces-nodes", queue[1], change.path, text)


def _nodes(queue: str, update: _Update) -> str:
    found = _queues(update.old).get(queue, {})
    resources = named(found.get("ComputeResources"), "Name").values()
    least, most = (
        sum(int(each.get(key, default)) for each in resources)
        for key, default in (("MinCount", 0), ("MaxCount", _MAX_COUNT))
    )
    return number(least, most)


def _queues(document: Json) -> Mapping[str, Json]:
    return named(value_at(document, "Scheduling.SlurmQueues"), "Name")


def _resized(change: _Change, update: _Update) -> Effect | None:
    if _grows(change, update):
        return None
    if update.strategy != "TERMINATE":
        return _stops_compute(change, update)
    text = f"terminates nodes, with the jobs on them ({change.path} changes)"
    return change.has("removes-nodes", text)


def _grows(change: _Change, update: _Update) -> bool:
    """Whether no node can be one too many: a minimum moves with its maximum only."""
    owner, _, count = change.path.rpartition(".")
    if count not in ("MinCount", "MaxCount"):
        return change.old is None
    most = update.growth(f"{owner}.MaxCount", _MAX_COUNT)
    if count == "MaxCount":
        return (most or 0) >= 0
    least = update.growth(f"{owner}.MinCount", 0)
    return most is not None and most >= (least or 0)


def _placement(change: _Change, update: _Update) -> Effect | None:
    """Running nodes stay where they are, but ParallelCluster deletes a group of its own."""
    managed = [_has_managed_group(document, change.path) for document in (update.old, update.new)]
    if managed == [True, False] or update.strategy == "COMPUTE_FLEET_STOP":
        return _stops_compute(change, update)
    return change.has(
        "new-nodes-only", f"places only new nodes differently ({change.path} changes)"
    )


def _has_managed_group(document: Json, path: str) -> bool:
    names = dict(_ITEM.findall(path))
    queue = _queues(document).get(names["SlurmQueues"], {})
    resource = named(queue.get("ComputeResources"), "Name").get(names.get("ComputeResources", ""))
    chosen = _placement_group(resource or {}) or _placement_group(queue)
    return bool(chosen.get("Enabled")) and not (chosen.get("Name") or chosen.get("Id"))


def _placement_group(owner: Json) -> Json:
    found = value_at(owner, "Networking.PlacementGroup")
    return found if isinstance(found, dict) else {}


def _subnets(change: _Change, update: _Update) -> Effect | None:
    kept = {name for name in _managed_lustre(update.old) if name in _managed_lustre(update.new)}
    if kept:
        return _refused(change, update)
    if set(change.old or ()) <= set(change.new or ()) or update.strategy != "COMPUTE_FLEET_STOP":
        text = f"starts only new nodes in other subnets ({change.path} changes)"
        return change.has("new-nodes-only", text)
    return _stops_compute(change, update)


def _managed_lustre(document: Json) -> set[str]:
    return {
        name
        for name, storage in named(document.get("SharedStorage"), "Name").items()
        if storage.get("StorageType") == "FsxLustre" and not _has_id(storage)
    }


def _storage(change: _Change, update: _Update) -> Effect | None:
    items = [item for item in (change.old, change.new) if isinstance(item, dict)]
    mounts = {item.get("MountDir") for item in items} or {change.old, change.new}
    if "/home" in mounts:
        return _refused(change, update)
    if items and all((item.get("StorageType") != "Ebs" and _has_id(item)) for item in items):
        return None
    if update.strategy == "COMPUTE_FLEET_STOP":
        return _stops_compute(change, update)
    return _stops_login(change, update)


def _has_id(storage: Json) -> bool:
    return bool({"FileSystemId", "VolumeId", "FileCacheId"} & _settings(storage).keys())


def _settings(storage: Json) -> Json:
    return storage.get(f"{storage.get('StorageType')}Settings") or {}


_POLICIES: Mapping[str, _Decide] = {
    **dict.fromkeys(("SUPPORTED", "SUPPORTED_UNLESS_ADC", "IGNORED"), lambda *_: None),
    "UNSUPPORTED": _refused,
    "READ_ONLY_RESOURCE_BUCKET": _refused,
    "EXTRA_CHEF_ATTRIBUTES": _refused,
    "COMPUTE_FLEET_STOP": _stops_compute,
    "COMPUTE_FLEET_STOP_ON_REMOVE": _unless_added(_stops_compute),
    "COMPUTE_AND_LOGIN_NODES_STOP": _stops_all,
    "LOGIN_NODES_STOP": _stops_login,
    "LOGIN_NODES_POOL_STOP": _stops_login,
    "LOGIN_NODES_POOLS": _unless_added(_stops_login),
    "QUEUE_UPDATE_STRATEGY": _by_strategy,
    "RESIZE_UPDATE_STRATEGY_ON_REMOVE": _resized,
    "MANAGED_PLACEMENT_GROUP": _placement,
    "MANAGED_FSX": _subnets,
    "SHARED_STORAGE_UPDATE_POLICY": _storage,
}
