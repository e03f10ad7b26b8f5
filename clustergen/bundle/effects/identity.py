"""For which cluster, of which version and on which foundation a bundle is."""

import json
from collections.abc import Iterator, Mapping

from clustergen.base.artifacts import Json
from clustergen.bundle.effects import cluster_yaml
from clustergen.bundle.effects.model import Effect, Kind
from clustergen.deployment.model import PATH
from clustergen.services.fields import value_at

FOUNDATION = "foundation.template.json"
_FOUNDATION = "foundation_stack"
_SETTINGS = {
    "region": "region",
    "cluster": "cluster",
    "stack": "stacks.cluster.name",
    "version": "service.version",
    "eks_cluster": "service.eks_cluster",
    _FOUNDATION: "stacks.foundation.name",
}
"""By name, where ``bundle.json`` has each."""
_IDENTITY = {"region": "in", "cluster": "called", "stack": "in the stack"}
_DATA = '"Type": "AWS::FSx::FileSystem"', '"Type": "AWS::EFS::FileSystem"'


def effects(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    """The effects of another version, another foundation, or another cluster for pods."""
    before, after = _settings(old), _settings(new)
    found = (
        *_version(before, after, new),
        *_other_foundation(before, after, old),
        *_other_cluster(before, after),
    )
    yield from (each._replace(file=PATH) for each in found)


def other_outputs(old: Mapping[str, str], new: Mapping[str, str]) -> set[str]:
    """The outputs that have other values because the foundation is another stack."""
    names = [_settings(files).get(_FOUNDATION) for files in (old, new)]
    if None in names or names[0] == names[1]:
        return set()
    return set(document(new, FOUNDATION).get("Outputs") or ())


def _settings(files: Mapping[str, str]) -> Mapping[str, str]:
    """What the bundle is for; nothing where it does not say so."""
    bundle = document(files, PATH)
    found = {name: value_at(bundle, path) for name, path in _SETTINGS.items()}
    if not value_at(bundle, "stacks.foundation.template"):
        found[_FOUNDATION] = None
    return {name: value for name, value in found.items() if isinstance(value, str)}


def target_of(files: Mapping[str, str]) -> str:
    """The target of a bundle; empty where it does not say so."""
    return str(document(files, PATH).get("target", ""))


def document(files: Mapping[str, str], path: str) -> Json:
    """A file as JSON; without members if it is none."""
    try:
        found = json.loads(files.get(path, "{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def moved(old: Mapping[str, str], new: Mapping[str, str]) -> Effect | None:
    """That the bundle is for another cluster, and there is nothing to compare it with."""
    before, after = _settings(old), _settings(new)
    for key, place in _IDENTITY.items():
        if key in before and key in after and before[key] != after[key]:
            text = (
                f"creates another cluster, {place} {after[key]}: all that is {place} {before[key]} "
                "stays, and continues to cost money"
            )
            kept = before.get(_FOUNDATION)
            shared = key != "region" and kept is not None and kept == after.get(_FOUNDATION)
            if shared or not any(type in text for type in _DATA for text in old.values()):
                return Effect("leftover", "cluster", key, text, stays=before[key])
            text += "; the new file systems are empty"
            return Effect("data-at-risk", "cluster", key, text, stays=before[key])
    return None


def _version(
    before: Mapping[str, str], after: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[Effect]:
    """ParallelCluster updates only clusters that its own version made."""
    made, wanted = (settings.get("version") for settings in (before, after))
    if made and wanted and made != wanted and "cluster.yaml" in new:
        text = (
            f"is refused: ParallelCluster {wanted} does not update a cluster that {made} made; "
            "undo the change, or create another cluster"
        )
        yield Effect("refused", "cluster", "version", text, cluster_yaml.SOURCE)


def _other_foundation(
    before: Mapping[str, str], after: Mapping[str, str], old: Mapping[str, str]
) -> Iterator[Effect]:
    """That the cluster gets another foundation, with other file systems."""
    was, becomes = (settings.get(_FOUNDATION) for settings in (before, after))
    if was is None or becomes is None or was == becomes:
        return
    kind: Kind = "leftover"
    text = f"uses the foundation {becomes} in place of {was}"
    if any(type in old.get(FOUNDATION, "") for type in _DATA):
        kind = "data-at-risk"
        text += f": the cluster mounts file systems of {becomes} instead of those of {was}"
    text += f"; {was} stays, and continues to cost money"
    yield Effect(kind, "foundation", _FOUNDATION, text, stays=was)


def _other_cluster(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Effect]:
    """That pods and queues are in another EKS cluster: an existing one has a name of its own."""
    was, becomes = (settings.get("eks_cluster") for settings in (before, after))
    if was and becomes and was != becomes:
        text = (
            f"installs charts and objects in the cluster {becomes}: those in {was} stay, and so "
            "does what users have made there"
        )
        yield Effect("leftover", "cluster", "eks_cluster", text, stays=f"objects in {was}")
