"""Node groups of an EKS cluster that exists without them, in the words of the language."""

import re
from typing import Final

from clustergen.base.secrets import STAND_IN
from clustergen.importing import machines
from clustergen.importing.answers import Answers
from clustergen.importing.eks.fields import group, resilience, software
from clustergen.importing.eks.form import NODE_GROUPS
from clustergen.importing.machines import items, section
from clustergen.importing.network import network
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json
from clustergen.spec import patterns

_STAND_IN: Final = f"{STAND_IN}cluster"


def spec(settings: Json, answers: Answers, notes: Notes) -> Json:
    """The spec of node groups without their cluster, without an overlay."""
    groups = section(settings, NODE_GROUPS)
    cluster = _cluster(groups, notes)
    subnets = [subnet for each in groups.values() for subnet in items(each, "Subnets")]
    versions = {str(each.get("Version") or "") for each in groups.values()}
    found = {
        "version": 1,
        "name": answers.name,
        "region": answers.region,
        "network": network(subnets, (NODE_GROUPS,), "no file names the VPC", answers, notes),
        "node_groups": [group(name, each, settings) for name, each in groups.items()],
        "kubernetes": {"version": (versions.pop() or None) if len(versions) == 1 else None},
        "resilience": resilience(groups.values()),
    }
    own = {"cluster": cluster, **software(answers, notes)}
    return {**machines.filled(found), "targets": {"eks": own}}


def _cluster(groups: Json, notes: Notes) -> str:
    names = list(dict.fromkeys(str(each.get("ClusterName") or "") for each in groups.values()))
    if len(names) == 1 and re.fullmatch(patterns.EKS_CLUSTER.regex, names[0]):
        notes.decided((NODE_GROUPS,), f"the node groups are added to {names[0]}", "targets")
        return names[0]
    text = "the node groups do not have the name of one cluster"
    help = f"replace {_STAND_IN} by the name of the cluster: `aws eks list-clusters`"
    notes.asked((NODE_GROUPS,), text, help, "targets")
    return _STAND_IN
