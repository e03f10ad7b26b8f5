"""Settings of PCS that several templates leave open."""

from collections.abc import Iterator
from typing import Any, Final

from clustergen.importing.cloudformation.functions import UNKNOWN, is_reference, name_of
from clustergen.importing.machines import items, section
from clustergen.importing.notes import Notes
from clustergen.importing.pcs.fields import members, slurm_settings
from clustergen.importing.pcs.form import CLUSTER, NODE_GROUPS, QUEUES
from clustergen.importing.settings import LAUNCH_TEMPLATE, Json, link, with_member

_FEATURES: Final = "Features"


def prepared(settings: Json, notes: Notes) -> Json:
    """The settings of one cluster: what its templates get as a parameter is this cluster."""
    (name,) = list(settings[CLUSTER])[:1]
    found = {**settings, CLUSTER: {name: _cluster(name, settings[CLUSTER][name], notes)}}
    found |= with_member(found, (NODE_GROUPS, QUEUES), "ClusterId", link(CLUSTER, name, "Id"))
    return completed(found, notes)


def completed(settings: Json, notes: Notes) -> Json:
    """The settings of node groups, with what clustergen writes in another way."""
    return _with_features(_with_one_name_each(settings, notes), notes)


def _cluster(name: str, cluster: Json, notes: Notes) -> Json:
    """The cluster without settings of Slurm that no file says: no stand-in would be valid."""
    configured = section(cluster, "SlurmConfiguration")
    for key in [key for key in configured if key.endswith("CustomSettings")]:
        path = (CLUSTER, name, "SlurmConfiguration", key)
        configured[key] = [*_known(items(configured, key), path, notes)]
    return {**cluster, "SlurmConfiguration": configured} if configured else cluster


def _known(settings: list[Any], path: tuple[str, ...], notes: Notes) -> Iterator[Any]:
    for each in settings:
        value = section(each).get("ParameterValue")
        if is_reference(value) or UNKNOWN.search(str(value)):
            what = name_of(value) if is_reference(value) else str(value)
            text = f"{each['ParameterName']} is {what}, which no file says; it is left out"
            help = "add the template that has it, or write it to slurm.settings"
            notes.asked(path, text, help, "slurm")
        else:
            yield each


def _with_one_name_each(settings: Json, notes: Notes) -> Json:
    """Launch templates that several node groups share become several, of which one has the name."""
    used: set[str] = set()
    groups = dict(section(settings, NODE_GROUPS))
    for group, node in groups.items():
        template = section(node, LAUNCH_TEMPLATE)
        name = str(template.get("LaunchTemplateName", ""))
        if name and name in used:
            template.pop("LaunchTemplateName")
            groups[group] = {**node, LAUNCH_TEMPLATE: template}
            path = (NODE_GROUPS, group, LAUNCH_TEMPLATE)
            notes.dropped(path, f"the second use of {name}: each node group has its own template")
        used.add(name)
    return {**settings, NODE_GROUPS: groups}


def _with_features(settings: Json, notes: Notes) -> Json:
    """Groups of queues with several have their name as a feature, by which jobs select them."""
    used = [members(queue) for queue in section(settings, QUEUES).values()]
    shared = {name for each in used if len(each) > 1 for name in each}
    groups = dict(section(settings, NODE_GROUPS))
    for name in [name for name in groups if name in shared]:
        configured = section(groups[name], "SlurmConfiguration")
        given = slurm_settings(configured, "SlurmCustomSettings")
        features = given.get(_FEATURES, "").split(",")
        if name in features:
            continue
        given[_FEATURES] = ",".join(filter(None, (name, *features)))
        made = [{"ParameterName": key, "ParameterValue": value} for key, value in given.items()]
        groups[name] = {
            **groups[name],
            "SlurmConfiguration": {**configured, "SlurmCustomSettings": made},
        }
        text = f"nodes of {name} have that as a feature of Slurm: sample jobs select them by it"
        notes.decided((NODE_GROUPS, name), text, "node_groups")
    return {**settings, NODE_GROUPS: groups}
