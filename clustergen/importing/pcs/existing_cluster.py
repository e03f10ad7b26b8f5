"""Node groups and queues for a PCS cluster that exists, in the words of the language."""

from typing import Any, Final

from clustergen.importing import machines
from clustergen.importing.answers import Answers
from clustergen.importing.cloudformation.functions import is_reference
from clustergen.importing.machines import section
from clustergen.importing.notes import Notes
from clustergen.importing.pcs import fields
from clustergen.importing.pcs.form import CLUSTER, NODE_GROUPS, QUEUES
from clustergen.importing.pcs.preparing import completed
from clustergen.importing.settings import Json, with_member

_ID: Final = "ClusterId"
_STAND_IN: Final = "pcs_0000000000"
_GROUP: Final = "sg-"


def prepared(settings: Json, notes: Notes) -> Json:
    """The settings, with the id of the cluster, which templates often have as a parameter."""
    found = [*_parts(settings)]
    given = [each.get(_ID) for each in found]
    id = next((str(each) for each in given if each and not is_reference(each)), "")
    if not id.startswith("pcs_"):
        first = next(iter(section(settings, NODE_GROUPS)))
        text = "no file has the id of the cluster"
        show = "`aws pcs list-clusters` shows it"
        help = f"use --parameter, or add the template of the cluster; {show}"
        notes.asked((NODE_GROUPS, first, _ID), text, help, "targets")
        id = _STAND_IN
    return completed(settings | with_member(settings, (NODE_GROUPS, QUEUES), _ID, id), notes)


def spec(settings: Json, answers: Answers, notes: Notes) -> Json:
    """The spec of node groups and queues, without an overlay."""
    found = fields.spec({**settings, CLUSTER: {"": {}}}, answers, notes)
    found.pop("slurm", None)
    id = next(str(each[_ID]) for each in _parts(settings))
    group = next(iter(_security_groups(settings)), None)
    if group is None:
        text = "no file has the security group of the cluster"
        help = "`aws pcs get-cluster` shows it; write it to cluster_security_group"
        notes.asked((NODE_GROUPS,), text, help, "targets")
    own: Json = {"cluster": id, "cluster_security_group": group or f"{_GROUP}{'0' * 17}"}
    return {"version": found.pop("version"), "name": answers.name, **found, "targets": {"pcs": own}}


def _parts(settings: Json) -> list[Json]:
    return [each for kind in (NODE_GROUPS, QUEUES) for each in section(settings, kind).values()]


def _security_groups(settings: Json) -> list[Any]:
    """The security groups of the nodes, the first of which is usually that of the cluster."""
    groups = section(settings, NODE_GROUPS).values()
    found = (id for group in groups for id in machines.security_groups(group))
    return [id for id in found if str(id).startswith(_GROUP)]
