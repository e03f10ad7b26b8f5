"""Settings of PCS that several templates leave open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clustergen.importing.cloudformation.functions import UNKNOWN, is_reference, name_of
from clustergen.importing.machines import items, section
from clustergen.importing.notes import Notes
from clustergen.importing.pcs.form import CLUSTER, NODE_GROUPS, QUEUES
from clustergen.importing.settings import LAUNCH_TEMPLATE, Json, link


def prepared(settings: Json, notes: Notes) -> Json:
    """The settings of one cluster: what its templates get as a parameter is this cluster."""
    (name,) = list(settings[CLUSTER])[:1]
    found = {**settings, CLUSTER: {name: _cluster(name, settings[CLUSTER][name], notes)}}
    for kind in (NODE_GROUPS, QUEUES):
        found[kind] = {
            each: {**node, "ClusterId": link(CLUSTER, name, "Id")}
            for each, node in section(settings, kind).items()
        }
    return with_one_name_each(found, notes)


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
            notes.asked(
                path,
                f"{each['ParameterName']} is {what}, which no file says; it is left out",
                "add the template that has it, or write it to slurm.settings",
                "slurm",
            )
        else:
            yield each


def with_one_name_each(settings: Json, notes: Notes) -> Json:
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
