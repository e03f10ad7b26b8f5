"""Effects of deploying a new bundle over the one in its folder.

The documents are compared with each other: what is deployed may differ from both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from clustergen import source
from clustergen.artifacts import Artifact, Bundle, Json
from clustergen.bundle import cluster_yaml, hyperpod_requests, templates
from clustergen.bundle.effects import Effect
from clustergen.patterns import pattern

_TEMPLATE = ".template.json"
_REQUEST = "create-cluster.json"
_SCRIPT = "deploy.sh"
_REGION = pattern(r"(?m)^region=([a-z0-9-]+)$")
_COMPARED = {"cluster.yaml": cluster_yaml.effects, _REQUEST: hyperpod_requests.effects}


def effects(folder: Path, bundle: Bundle) -> list[Effect]:
    """What deploying ``bundle`` over that of ``folder`` does, other than changes in place."""
    moved = _moved(folder, bundle)
    if moved:
        return [moved]
    found: list[Effect] = []
    gone: frozenset[str] = frozenset()
    for artifact in _in_order(bundle):
        try:
            before = _parsed(artifact.path, (folder / artifact.path).read_text(encoding="utf-8"))
        except OSError:
            continue
        except ValueError:
            found.append(_unreadable(artifact))
            continue
        after = _parsed(artifact.path, artifact.text)
        try:
            if artifact.path.endswith(_TEMPLATE):
                more, outputs = templates.effects(before, after, gone)
                gone |= outputs
            else:
                more = list(_COMPARED[artifact.path](before, after, gone))
        except (LookupError, TypeError, AttributeError):
            more = [_unreadable(artifact)]
        found += more
    return found


def _moved(folder: Path, bundle: Bundle) -> Effect | None:
    """That the bundle is for another region, where there is nothing to compare it with."""
    script = next((artifact.text for artifact in bundle if artifact.path == _SCRIPT), "")
    try:
        before = _REGION.search((folder / _SCRIPT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    after = _REGION.search(script)
    if not before or not after or before[1] == after[1]:
        return None
    text = (
        f"creates another cluster, in {after[1]}: all that is in {before[1]} stays, and continues "
        "to cost money"
    )
    return Effect("left-over", "cluster", "region", text)


def _in_order(bundle: Bundle) -> Iterator[Artifact]:
    """The documents that are deployed, the foundation first: others use its outputs.

    A HyperPod cluster is deployed by a request; its template is for those who prefer a stack.
    """
    requested = any(artifact.path == _REQUEST for artifact in bundle)
    deployed = (
        artifact
        for artifact in bundle
        if artifact.path in _COMPARED
        or (
            artifact.path.endswith(_TEMPLATE)
            and not (requested and artifact.path == f"cluster{_TEMPLATE}")
        )
    )
    return iter(sorted(deployed, key=lambda each: not each.path.startswith("foundation")))


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


def _unreadable(artifact: Artifact) -> Effect:
    text = f"has unknown effects: {artifact.path} in the folder is not one that clustergen wrote"
    return Effect("unknown", artifact.path, "", text)
