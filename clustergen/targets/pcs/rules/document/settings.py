"""Custom settings of Slurm in the template."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.findings import Problem
from clustergen.facts.catalog.slurm import Scope
from clustergen.overlay.parts import as_list, as_map
from clustergen.plan import slurm_settings
from clustergen.plan.slurm import Setting
from clustergen.plan.slurm_settings import Service
from clustergen.targets.pcs import limits
from clustergen.targets.pcs.rules import rule

_LISTS: Mapping[tuple[str, str], Scope] = {
    ("AWS::PCS::Cluster", "SlurmCustomSettings"): "cluster",
    ("AWS::PCS::Cluster", "SlurmdbdCustomSettings"): "slurmdbd",
    ("AWS::PCS::Cluster", "CgroupCustomSettings"): "cgroup",
    ("AWS::PCS::ComputeNodeGroup", "SlurmCustomSettings"): "node",
    ("AWS::PCS::Queue", "SlurmCustomSettings"): "partition",
}
"""Lists of settings in SlurmConfiguration, by resource type."""
_IN_CLUSTER = "targets: {{pcs: {{overlay: {{Resources: {{Cluster: {{Properties: {}}}}}}}}}}}"
_SETTING = (
    "{{SlurmConfiguration: {{SlurmCustomSettings: "
    "[{{ParameterName: MinJobAge, ParameterValue: {}}}]}}}}"
)


@rule(
    "OVL201",
    "Setting of Slurm that the cluster cannot have",
    why="PCS accepts only the settings on a list. slurmctld does not start with a value that it "
    "cannot parse, and the cluster fails.",
    source=limits.SLURM_SETTINGS.source,
    bad=_IN_CLUSTER.format(_SETTING.format("'many'")),
    good=_IN_CLUSTER.format(_SETTING.format("'300'")),
)
def settings(document: Mapping[str, Any]) -> Iterator[Problem]:
    service = Service("PCS", limits.SLURM_SETTINGS, _version(document), database=False)
    yield from slurm_settings.errors(_settings(document), service)


def _settings(document: Mapping[str, Any]) -> Iterator[Setting]:
    for id, resource in _resources(document):
        given = as_map(as_map(resource.get("Properties")).get("SlurmConfiguration"))
        for (kind, member), scope in _LISTS.items():
            if resource.get("Type") != kind:
                continue
            for index, item in enumerate(map(as_map, as_list(given.get(member)))):
                name, value = item.get("ParameterName"), item.get("ParameterValue")
                if isinstance(name, str) and isinstance(value, str):
                    path = ("Resources", id, "Properties", "SlurmConfiguration", member, index)
                    yield Setting((*path, "ParameterValue"), scope, name, value)


def _version(document: Mapping[str, Any]) -> str:
    for _, resource in _resources(document):
        if resource.get("Type") == "AWS::PCS::Cluster":
            scheduler = as_map(as_map(resource.get("Properties")).get("Scheduler"))
            version = scheduler.get("Version")
            return version if isinstance(version, str) else ""
    return ""


def _resources(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for id, resource in as_map(document.get("Resources")).items():
        yield id, as_map(resource)
