"""Effects of deploying a new bundle over an earlier one."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from clustergen.base.artifacts import Bundle, Json
from clustergen.bundle.effects import (
    cluster_yaml,
    hyperpod_requests,
    identity,
    manifests,
    templates,
    timetables,
    users,
)
from clustergen.bundle.effects.model import Effect
from clustergen.deployment.model import PATH
from clustergen.plan.storage import output_stem
from clustergen.services import schedules
from clustergen.services.fields import value_at
from clustergen.spec import source

Files = Mapping[str, str]

_TEMPLATE = ".template.json"
_REQUEST = "create-cluster.json"
_ADDITIONS = "update-cluster.json"
"""The request of a bundle that adds instance groups to a HyperPod cluster that exists."""
_COMPARED = {
    "cluster.yaml": cluster_yaml.effects,
    _REQUEST: hyperpod_requests.effects,
    _ADDITIONS: hyperpod_requests.additions,
}
_FIRST = ("foundation", "eks")
_SUFFIXES = (".json", ".yaml", ".sh", ".tsv")


def files_of(bundle: Bundle) -> Files:
    """The texts of a bundle in memory."""
    return {artifact.path: artifact.text for artifact in bundle}


def of_folder(folder: Path, bundle: Bundle) -> list[Effect]:
    """What deploying ``bundle`` over that in ``folder`` does, other than changes in place.

    The most dangerous effects come first.
    """
    if not folder.is_dir():
        return []
    found = effects(files_in(folder), files_of(bundle))
    found.sort(key=lambda effect: -effect.rank)
    return [effect for effect in found if effect.kind != "in-place"]


def files_in(folder: Path) -> Files:
    """The texts of the documents and scripts in ``folder``, where they are readable."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file():
            try:
                found[path.relative_to(folder).as_posix()] = path.read_text(encoding="utf-8")
            except (OSError, ValueError):
                found[path.relative_to(folder).as_posix()] = ""
    return found


def effects(old: Files, new: Files) -> list[Effect]:
    """What deploying ``new`` over ``old`` does, document by document; no effect on a new file."""
    if moved := identity.moved(old, new):
        return [moved]
    found = list(identity.effects(old, new))
    ids = identity.other_outputs(old, new)
    for path in _in_order(old, new):
        if path not in old or (path == identity.FOUNDATION and ids):
            continue
        more = _of_document(path, old, new, ids)
        found += (each._replace(file=path) for each in more)
    found += (each._replace(file=identity.FOUNDATION) for each in _hidden(old, new))
    found += (*timetables.effects(old, new), *users.effects(old, new))
    return [*found, *manifests.effects(old, new, ids)]


def _of_document(path: str, old: Files, new: Files, ids: set[str]) -> list[Effect]:
    """The effects of one document; adds outputs with another value to ``ids``."""
    if path not in new and path == schedules.PATH:
        text = "deletes the schedules that start and stop nodes: capacity has no dates any more"
        return [Effect("in-place", path, "", text)]
    if path not in new:
        text = f"leaves what {path} has deployed, which continues to run and to cost money"
        return [Effect("leftover", path, "", text, stays=path)]
    if old[path] == new[path] and not ids:
        return []
    try:
        before, after = (_parsed(path, files[path]) for files in (old, new))
        if not path.endswith(_TEMPLATE):
            return list(_COMPARED[path](before, after, ids))
        found, outputs = templates.effects(before, after, ids)
    except (ValueError, LookupError, TypeError, AttributeError):
        text = f"has unknown effects: {path} is not one that clustergen wrote"
        return [Effect("unknown", path, "", text)]
    ids |= outputs
    return found


def _in_order(old: Files, new: Files) -> list[str]:
    """The documents that are deployed, the foundation first: others use its outputs.

    A HyperPod cluster is deployed by a request; its template is for those who prefer a stack.
    """
    created = _REQUEST in old or _REQUEST in new
    requested = created or _ADDITIONS in new
    skipped = [f"cluster{_TEMPLATE}"] if requested else []
    skipped += [_ADDITIONS] if created else []
    paths = [
        path
        for path in dict.fromkeys((*old, *new))
        if (path in _COMPARED or (path.endswith(_TEMPLATE) and "/" not in path))
        and path not in skipped
    ]
    return sorted(paths, key=lambda path: (_place(path), path))


def _place(path: str) -> int:
    name = path.partition(".")[0]
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def _parsed(path: str, text: str) -> Json:
    """:raises ValueError: if ``text`` is not what ``path`` says."""
    if path.endswith(".json"):
        found = json.loads(text)
    else:
        document, _ = source.read_text(text)
        found = document.data if document else None
    if not isinstance(found, dict):
        raise ValueError("not a map")
    return found


_OTHERS_DECIDE = "cluster.yaml", "manifests/volumes.yaml"
"""ParallelCluster and Kubernetes reject another file system at a mount."""


def _hidden(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    """New file systems at a mount that had one from outside the foundation: they are empty."""
    if identity.FOUNDATION not in new or any(path in new for path in _OTHERS_DECIDE):
        return
    found = value_at(identity.document(old, PATH), "mounts.found") or ()
    for mount in value_at(identity.document(new, PATH), "mounts.made") or ():
        if mount in found:
            name = output_stem(mount)
            text = (
                f"mounts {name}, a new and empty file system, at {mount}: what was mounted there "
                "stays as it is, but no node mounts it"
            )
            yield Effect("data-at-risk", name, "", text)
