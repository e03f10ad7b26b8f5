"""Templates of the EKS target, from fragments over the example spec."""

from __future__ import annotations

import functools

from clustergen.artifacts import Json
from clustergen.aws import cfn
from clustergen.targets.eks import emit
from tests.checking import Fragments

plan_of = Fragments("eks").plan


@functools.cache
def template_of(fragment: str = "") -> Json:
    """The template; do not change it."""
    return emit.document(plan_of(fragment))


def resources(template: Json, type: str) -> Json:
    """The resources of a type, by logical id: their properties."""
    return {
        name: resource["Properties"]
        for name, resource in template["Resources"].items()
        if resource["Type"] == type
    }


def properties_of(fragment: str, name: str) -> Json:
    properties: Json = template_of(fragment)["Resources"][name]["Properties"]
    return properties


def launch_template_of(fragment: str, group: str = "h200") -> Json:
    name = f"{cfn.logical_id('node-group', group)}LaunchTemplate"
    data: Json = properties_of(fragment, name)["LaunchTemplateData"]
    return data
