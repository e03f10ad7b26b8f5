"""Kubernetes: versions, Auto Mode and add-ons."""

import json
import re
from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import as_map
from clustergen.services.eks import addon_names, versions
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_cluster, in_node_group, in_resources, rule
from clustergen.targets.eks.template import Template


def _addon(name: str) -> str:
    given = f"ClusterName: {{Ref: Cluster}}, AddonName: {name}"
    return f"Metrics: {{Type: 'AWS::EKS::Addon', Properties: {{{given}}}}}"


@rule(
    "OVL510",
    "Unknown add-on",
    why="Add-ons are those of EKS's list. Other software is installed with its chart.",
    source=addon_names.SOURCE,
    bad=in_resources(_addon("aws-efa-k8s-device-plugin")),
    good=in_resources(_addon("metrics-server")),
)
def unknown_addon(template: Template) -> Iterator[Problem]:
    for addon in template.addons:
        name = addon.properties.get("AddonName")
        help, _ = addon_names.meant(name) if isinstance(name, str) else ("", "")
        if help:
            yield addon.problem(("AddonName",), f"{name} is not an EKS add-on", help)


@rule(
    "OVL562",
    "Kubernetes version that is a number",
    why="YAML reads 1.30 as the number 1.3. The version is text.",
    source=limits.CREATE_CLUSTER,
    bad=in_cluster("Version: 1.30"),
    good=in_cluster("Version: '1.35'"),
)
def numeric_version(template: Template) -> Iterator[Problem]:
    versioned = (*template.clusters, *(nodes.group for nodes in template.nodes))
    for resource in versioned:
        version = resource.properties.get("Version")
        if isinstance(version, int | float):
            yield resource.problem(
                ("Version",), f"the version {version} is a number", "write it in quotes: '1.30'"
            )


@rule(
    "OVL552",
    "Nodes newer than the control plane",
    why="A kubelet must not be newer than its API server.",
    source="https://kubernetes.io/releases/version-skew-policy/",
    bad=in_node_group("Version: '1.36'"),
    good=in_node_group("Version: '1.35'"),
)
def newer_nodes(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for own in template.clusters:
            version, limit = nodes.group.properties.get("Version"), own.properties.get("Version")
            # Another rule reports numbers: 1.3 is 1.30.
            minor, most = _minor(version), _minor(limit) if isinstance(limit, str) else None
            if minor is not None and most is not None and minor > most:
                yield nodes.group.problem(
                    ("Version",),
                    f"nodes of Kubernetes {version} in a cluster of {limit}",
                    "write the version of the cluster, or an older one",
                )


@rule(
    "OVL553",
    "Kubernetes version that EKS does not offer",
    why="EKS rejects a cluster of a version that it does not support.",
    source=limits.VERSIONS,
    bad=in_cluster("Version: '1.99'"),
    good=in_cluster("Version: '1.36'"),
)
def version(template: Template) -> Iterator[Problem]:
    for own in template.clusters:
        given = own.properties.get("Version")
        if isinstance(given, str) and given not in versions.VERSIONS:
            yield own.problem(
                ("Version",),
                f"EKS does not offer Kubernetes {given}, as of {versions.DATE}",
                f"one of {', '.join(versions.VERSIONS)}",
            )


_AUTO_MODE = {
    "ComputeConfig": ("Enabled",),
    "StorageConfig": ("BlockStorage", "Enabled"),
    "KubernetesNetworkConfig": ("ElasticLoadBalancing", "Enabled"),
}


@rule(
    "OVL555",
    "Auto Mode enabled in part",
    why="EKS enables compute, block storage and load balancing of Auto Mode together, or none.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/auto-enable-existing.html",
    bad=in_cluster("ComputeConfig: {Enabled: true}"),
    good=in_cluster("ComputeConfig: {Enabled: false}"),
)
def auto_mode(template: Template) -> Iterator[Problem]:
    for own in template.clusters:
        on = [
            name
            for name, path in _AUTO_MODE.items()
            if _value(own.properties.get(name), path) is True
        ]
        if on and len(on) < len(_AUTO_MODE):
            yield own.problem(
                (on[0],),
                f"Auto Mode in part: {', '.join(on)}",
                f"enable all of {', '.join(_AUTO_MODE)}, or none",
            )


@rule(
    "OVL560",
    "Add-on given twice",
    why="A cluster has each add-on once. EKS rejects the second.",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html",
    bad=in_resources(_addon("vpc-cni")),
    good=in_resources(_addon("metrics-server")),
)
def repeated_addon(template: Template) -> Iterator[Problem]:
    seen: set[str] = set()
    for addon in template.addons:
        name = addon.properties.get("AddonName")
        if isinstance(name, str):
            if name in seen:
                yield addon.problem(("AddonName",), f"{name} a second time", "keep one")
            seen.add(name)


@rule(
    "OVL561",
    "Add-on values that are not a map",
    why="The values of an add-on are a map, as text in JSON or YAML.",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html",
    bad=in_resources("AddonVpcCni: {Properties: {ConfigurationValues: WARM_IP_TARGET=4}}"),
    good=in_resources(
        "AddonVpcCni: "
        """{Properties: {ConfigurationValues: '{"env": {"WARM_IP_TARGET": "4"}}'}}"""
    ),
)
def addon_values(template: Template) -> Iterator[Problem]:
    for addon in template.addons:
        values = addon.properties.get("ConfigurationValues")
        if isinstance(values, str) and not _is_map(values):
            yield addon.problem(
                ("ConfigurationValues",),
                "values that are not a map in JSON or YAML",
                "write a map, as text",
            )


def _is_map(text: str) -> bool:
    """Whether the text is a JSON map, or looks like a YAML map."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return re.match(r"\s*(#.*\n\s*)*[\w.-]+:(\s|$)", text) is not None


def _minor(version: object) -> int | None:
    """``"1.35"`` as 35; None for anything else."""
    major, _, minor = str(version).partition(".")
    return int(minor) if major == "1" and minor.isdecimal() else None


def _value(value: object, path: tuple[str, ...]) -> object:
    for step in path:
        value = as_map(value).get(step)
    return value
