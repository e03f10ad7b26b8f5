"""What Kubernetes does with changed manifests and charts.

Fields that the API server does not change are in :mod:`clustergen.facts.schemas.immutable`.
"""

import functools
from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import yaml

from clustergen.base.artifacts import Json
from clustergen.base.patterns import pattern
from clustergen.base.text_lists import word_set
from clustergen.bundle.effects import fixed_fields, identity, node_groups
from clustergen.bundle.effects.model import Effect, Kind
from clustergen.bundle.effects.values import differs
from clustergen.deployment.model import PATH
from clustergen.services.fields import value_at

_RECLAIMED = "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reclaiming"
_RECLAIM = "spec.persistentVolumeReclaimPolicy"
_SETS = (
    "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/"
    "#persistentvolumeclaim-retention"
)
_KARPENTER = "https://karpenter.sh/docs/concepts/disruption/#drift"
KEPT = word_set("Namespace CustomResourceDefinition")
"""Not deleted: with it goes what users made. The CDK app keeps the whole file that has one."""
_NODE_CLASSES = word_set("EC2NodeClass HyperpodNodeClass")
_TYPES = "-crd"
"""Of the names of charts whose templates are definitions: Helm deletes what is in templates."""
_QUEUE = "LocalQueue"
_QUEUES = "https://kueue.sigs.k8s.io/docs/concepts/local_queue/"

_Key = tuple[str, str, str, str]
"""Kind, namespace, name and API group: two groups may have a kind of one name."""
Objects = Mapping[_Key, tuple[str, Json]]
"""File and object."""


def effects(
    old: Mapping[str, str], new: Mapping[str, str], moved: Collection[str]
) -> Iterator[Effect]:
    """The effects on objects and charts; ``moved`` has outputs of stacks with another value."""
    service = identity.document(new, PATH).get("service") or {}
    if service.get("installs") is False:
        return
    by_cdk = bool(service.get("by_cdk"))
    paths = [path for path in (*old, *new) if _is_manifest(path)]
    if not moved and all(old.get(path) == new.get(path) for path in paths):
        yield from _charts(old, new)
        return
    before, after = _objects(old), _objects(new)
    classes = _growing(thing for _, thing in after.values())
    for key, (file, thing) in after.items():
        earlier = before.get(key)
        if earlier is None:
            yield Effect("in-place", _title(key), "", f"creates {_title(key)}", file=file)
        elif differs(earlier[1], thing, moved):
            for effect in _changed(_title(key), earlier[1], thing, moved, classes):
                yield effect._replace(file=file, type=key[0])
    yield from _pools(before, after)
    gone = [key for key in before if key not in after and key[0] != "Job"]
    yield from _vanished(before, gone, whole_files=by_cdk)
    if by_cdk:
        yield from _without_groups(before, after)
    yield from _charts(old, new)


def _without_groups(before: Objects, after: Objects) -> Iterator[Effect]:
    """The effects of charts that leave the CDK app, as known by the resources that they define."""
    gone = {key[-1]: file for key, (file, _) in before.items() if _is_custom(key[-1])}
    for group in gone.keys() - {key[-1] for key in after}:
        text = f"uninstalls what defines {group}; its namespace and its resource types stay"
        yield Effect("leftover", group, "", text, file=gone[group])


def _is_custom(group: str) -> bool:
    """Whether an API group belongs to no part of Kubernetes itself."""
    return "." in group and not group.endswith(".k8s.io")


def _is_manifest(path: str) -> bool:
    return path.startswith("manifests/") and path.endswith(".yaml")


def _objects(files: Mapping[str, str]) -> Objects:
    found: dict[_Key, tuple[str, Json]] = {}
    for path in filter(_is_manifest, files):
        for thing in _documents(files[path]):
            if isinstance(thing, dict) and "kind" in thing:
                meta = thing.get("metadata") or {}
                group = str(thing.get("apiVersion")).rpartition("/")[0]
                name = str(meta.get("namespace", "")), str(meta.get("name"))
                found[str(thing["kind"]), *name, group] = (path, thing)
    return found


@functools.lru_cache(64)
def _documents(text: str) -> list[Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return list(yaml.load_all(text, loader))  # a safe loader
    except yaml.YAMLError:
        return []


def _title(key: _Key) -> str:
    kind, namespace, name, _ = key
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def _changed(
    title: str, old: Json, new: Json, moved: Collection[str], classes: Collection[str]
) -> Iterator[Effect]:
    if field := fixed_fields.first(old, new, moved):
        text = (
            f"is refused: {field.path} of {title} cannot change; undo the change, or delete the "
            "object once nothing uses it, and deploy again"
        )
        yield Effect("refused", title, field.path, text, field.source)
    elif why := _claim_rejection(old, new, classes):
        path, source = _REQUESTS, _CLAIMS
        yield Effect("refused", title, path, f"is refused: {path} of {title} {why}", source)
    elif _is_kept(old) and not _is_kept(new):
        text = (
            f"removes the protection of {title}: from then on, its data is deleted together with "
            "its claim"
        )
        yield Effect("data-at-risk", title, _RECLAIM, text, _RECLAIMED)
    elif new["kind"] in {"NodePool", *_NODE_CLASSES} and _drifts(old, new):
        text = f"starts only new nodes with the changed {title}; running ones stay until empty"
        yield Effect("new-nodes-only", title, "spec", text, _KARPENTER)
    else:
        yield Effect("in-place", title, "", f"changes {title}")


def _is_kept(thing: Json) -> bool:
    """Whether an object is a volume that stays without its claim, as it does by default."""
    kept = (value_at(thing, _RECLAIM) or "Retain") == "Retain"
    return thing["kind"] == "PersistentVolume" and kept


def _drifts(old: Json, new: Json) -> bool:
    """Whether Karpenter would replace nodes; more choice of instance types is no drift."""
    if new["kind"] in _NODE_CLASSES:
        return bool(old.get("spec") != new.get("spec"))
    before, after = value_at(old, "spec.template"), value_at(new, "spec.template")
    needs = [(value_at(each, "spec.requirements") or []) for each in (before, after)]
    rest = [{**each, "spec": {**each["spec"], "requirements": []}} for each in (before, after)]
    return rest[0] != rest[1] or not _wider(*needs)


def _wider(old: list[Json], new: list[Json]) -> bool:
    values = {each.get("key"): set(each.get("values") or ()) for each in new}
    return {each.get("key") for each in old} == set(values) and all(
        set(each.get("values") or ()) <= values[each.get("key")] for each in old
    )


def _vanished(before: Objects, gone: Collection[_Key], *, whole_files: bool) -> Iterator[Effect]:
    """The effects of objects that vanish from the manifests; some stay in the cluster."""
    files = {file for key, (file, _) in before.items() if whole_files and key[0] in KEPT}
    stay = [key for key in gone if key[0] in KEPT or before[key][0] in files]
    if stay:
        titles = [_title(key) for key in stay]
        text = f"leaves {', '.join(titles)}: delete it when you no longer need what is in it"
        yield Effect("leftover", titles[0], "", text, file=before[stay[0]][0])
    for key in gone:
        if key not in stay and key[0] != "NodePool":
            yield _deleted(key, *before[key])


def _deleted(key: _Key, file: str, thing: Json) -> Effect:
    title, text = _title(key), f"deletes {_title(key)}"
    if key[0] == "StatefulSet" and value_at(thing, "spec.volumeClaimTemplates"):
        text += ": its volumes keep their data, and cost money until you delete their claims"
        return Effect("data-at-risk", title, "", text, _SETS, title, key[0], file)
    if key[0] == "PersistentVolumeClaim" and not value_at(thing, "spec.volumeName"):
        text += ", and with it the volume and its data, unless its class retains them"
        return Effect("data-at-risk", title, "", text, _RECLAIMED, "", key[0], file)
    if key[0] == _QUEUE:
        text += ": its jobs that wait never start, unless you submit them again to another queue"
        return Effect("replaces-resource", title, "", text, _QUEUES, type=key[0], file=file)
    return Effect("in-place", title, "", text, type=key[0], file=file)


def _pools(before: Objects, after: Objects) -> Iterator[Effect]:
    """The effects of node pools that vanish, alone or with others in their place."""
    old, new = ({key for key in each if key[0] == "NodePool"} for each in (before, after))
    gone = ", ".join(_title(key) for key in before if key in old - new)
    if not gone:
        return
    kind: Kind = "removes-nodes"
    text = f"deletes {gone}, with the nodes and the jobs on them"
    if not new:
        kind, text = "replaces-resource", f"ends Karpenter: it {text}"
    elif new - old:
        kind = "replaces-resource"
    yield Effect(kind, gone, "", text, _KARPENTER, type="NodePool")


def _charts(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    before, after = ([*_releases(files)] for files in (old, new))
    for name in (name for name in before if name not in after):
        text = f"uninstalls the chart {name}; its namespace and its resource types stay"
        if name.endswith(_TYPES):
            text = f"uninstalls the chart {name}, and with it resource types and their objects"
        yield Effect("leftover", f"chart {name}", "", text, file=PATH)
    for name in (name for name in after if name not in before):
        yield Effect("in-place", f"chart {name}", "", f"installs the chart {name}", file=PATH)
    for path in (path for path in new if path.startswith("values/") and path in old):
        if old[path] != new[path]:
            yield from _values(path, old[path], new[path])


def _releases(files: Mapping[str, str]) -> Iterator[str]:
    found = value_at(identity.document(files, PATH), "service.software.releases")
    return (each["name"] for each in found or ())


def _values(path: str, old: str, new: str) -> Iterator[Effect]:
    """The effect of other values of a chart: the MIG manager partitions GPUs again."""
    before, after = _partitions(old), _partitions(new)
    changed = [name for name in before if name in after and before[name] != after[name]]
    for name in changed:
        yield node_groups.repartitioned(name, "mig-configs")._replace(file=path)
    if not changed:
        yield Effect("in-place", path, "", f"changes the values of {path}", file=path)


def _partitions(values: str) -> Json:
    """The partitions by node group, which the values of NVIDIA's operator have."""
    [document] = _documents(values) or [None]
    text = value_at(document, "migManager.config.data") or {}
    [config] = _documents(str(text.get("config.yaml", ""))) or [None]
    found = value_at(config, "mig-configs")
    return found if isinstance(found, dict) else {}


_CLAIMS = (
    "https://kubernetes.io/docs/concepts/storage/persistent-volumes/"
    "#expanding-persistent-volumes-claims"
)
_REQUESTS = "spec.resources.requests"
_QUANTITY = pattern(r"(\d+(?:\.\d+)?)([KMGTPE]i?|k|m)?")
_UNITS = "KMGTPE"


def _growing(objects: Iterable[Json]) -> Collection[str]:
    """The storage classes among ``objects`` whose volumes can be enlarged."""
    return {
        str(value_at(each, "metadata.name"))
        for each in objects
        if each.get("kind") == "StorageClass" and each.get("allowVolumeExpansion")
    }


def _claim_rejection(old: Json, new: Json, classes: Collection[str]) -> str:
    """Why the new size of a claim is rejected; empty if it is not."""
    path = f"{_REQUESTS}.storage"
    before, after = value_at(old, path), value_at(new, path)
    if new.get("kind") != "PersistentVolumeClaim" or before == after:
        return ""
    if _bytes(after) < _bytes(before):
        return f"cannot shrink from {before} to {after}"
    if value_at(new, "spec.storageClassName") in classes:
        return ""
    return "cannot grow: its storage class does not allow it"


def _bytes(quantity: object) -> Decimal:
    found = _QUANTITY.fullmatch(str(quantity))
    if found is None:
        return Decimal(0)
    unit = found[2] or ""
    if unit == "m":
        return Decimal(found[1]) / 1000
    power = _UNITS.find(unit[:1].upper()) + 1 if unit else 0
    return Decimal(found[1]) * (Decimal(1024) if unit.endswith("i") else Decimal(1000)) ** power
