"""The toy's bundle: one JSON file."""

from __future__ import annotations

from clustergen.artifacts import Artifact, Bundle, Json, json_artifact
from clustergen.plan.model import NodeGroup, Plan


def document(plan: Plan) -> Json:
    """Every node group, in a line."""
    return {"name": plan.name, "groups": [_group(group) for group in plan.node_groups]}


def _group(group: NodeGroup) -> Json:
    return {
        "name": group.name,
        "types": [type.name for type in group.types],
        "nodes": [group.min, group.max],
        "capacity": group.capacity.kind,
        "image": group.image,
    }


def emit(plan: Plan, document: Json) -> Bundle:
    """The file, and the script that deploys it."""
    deploy = Artifact("deploy.sh", "#!/usr/bin/env bash\nset -euo pipefail\ncat toy.json\n", True)
    return (json_artifact("toy.json", document), deploy)


def steps(plan: Plan) -> list[str]:
    """What to do with it."""
    return ["run `./deploy.sh`"]
