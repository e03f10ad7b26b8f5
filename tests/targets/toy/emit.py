"""The toy's bundle: a JSON file of its node groups, and the script that deploys it."""

from clustergen.base.artifacts import Artifact, Bundle, Json, json_artifact
from clustergen.deployment.kinds import HyperPod
from clustergen.deployment.model import OfTarget
from clustergen.plan.model import NodeGroup, Plan


def document(plan: Plan) -> Json:
    return {"name": plan.name, "groups": [_group(group) for group in plan.node_groups]}


def _group(group: NodeGroup) -> Json:
    bought = {"capacity": group.capacity.kind, "nodes": [group.min, group.max]}
    types = [type.name for type in group.types]
    return {"name": group.name, "types": types, "image": group.image, **bought}


def emit(plan: Plan, document: Json) -> Bundle:
    deploy = Artifact("deploy.sh", "#!/usr/bin/env bash\nset -euo pipefail\ncat toy.json\n", True)
    return (json_artifact("toy.json", document), deploy)


def deployment(plan: Plan, document: Json) -> OfTarget:
    return OfTarget(HyperPod(name=plan.name), script=False)


def values(plan: Plan) -> Json:
    return {}
