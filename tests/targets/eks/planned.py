"""Templates of the EKS target, from fragments over the example spec."""

from clustergen.base.artifacts import Json
from clustergen.services.aws import cfn
from tests.support.checking import Fragments

EKS = Fragments("eks")
plan_of, template_of, properties_of = EKS.plan, EKS.template, EKS.properties


def resources(template: Json, type: str) -> Json:
    """The resources of a type, by logical id: their properties."""
    found = {id: each for id, each in template["Resources"].items() if each["Type"] == type}
    return {name: resource["Properties"] for name, resource in found.items()}


def launch_template_of(fragment: str, group: str = "h200") -> Json:
    name = f"{cfn.logical_id('node-group', group)}LaunchTemplate"
    data: Json = properties_of(fragment, name)["LaunchTemplateData"]
    return data
