"""Settings of EKS that several templates leave open."""

from typing import Final

from clustergen.base.patterns import pattern
from clustergen.importing.cloudformation.functions import UNKNOWN, is_reference, name_of
from clustergen.importing.eks.form import ACCESS, ADDONS, CLUSTER, NODE_GROUPS
from clustergen.importing.machines import section
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json, link, with_member
from clustergen.services.eks.versions import VERSIONS

_VERSIONS: Final = ("Version", "ReleaseVersion")


def prepared(settings: Json, notes: Notes) -> Json:
    """The settings of one cluster: what its templates get as a parameter is this cluster."""
    name = next(iter(settings[CLUSTER]))
    found = _with_versions(settings, name, notes)
    joined = (NODE_GROUPS, ADDONS, ACCESS)
    return found | with_member(found, joined, "ClusterName", link(CLUSTER, name))


def _with_versions(settings: Json, name: str, notes: Notes) -> Json:
    """The settings without versions of Kubernetes that no file says, or that EKS has no more."""
    cluster = dict(settings[CLUSTER][name])
    path = (CLUSTER, name, "Version")
    version = cluster.get("Version")
    if is_reference(version) or UNKNOWN.search(str(version)):
        asked = name_of(version) if is_reference(version) else str(version)
        text = f"the version of Kubernetes is {asked}, which no file says"
        notes.asked(path, text, f"use --parameter {asked}=VALUE", "kubernetes")
    elif version is None or not _is_over(str(version)):
        return dict(settings)
    else:
        text = f"EKS no longer has Kubernetes {version}; the spec has the default of clustergen"
        notes.rewritten(path, text)
    del cluster["Version"]
    groups = {
        key: {each: value for each, value in group.items() if each not in _VERSIONS}
        for key, group in section(settings, NODE_GROUPS).items()
    }
    return {**settings, CLUSTER: {**settings[CLUSTER], name: cluster}, NODE_GROUPS: groups}


def _is_over(version: str) -> bool:
    number = pattern(r"^1\.(\d+)$").match(version)
    oldest = int(next(iter(VERSIONS)).partition(".")[2])
    return number is not None and int(number[1]) < oldest
