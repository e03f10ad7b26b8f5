"""Whose stack it is: a mark in each template, which CloudFormation shows of a deployed stack.

`aws cloudformation get-template-summary --stack-name NAME --query Metadata` prints it. It is not a
tag: CloudFormation gives the tags of a stack to its resources, and a compute environment of Batch
that gets other tags is replaced.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-batch-computeenvironment.html
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/metadata-section-structure.html
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from clustergen.base.artifacts import Artifact, Json, json_artifact
from clustergen.deployment.model import MARK, MARK_FORMAT, Mark, Role
from clustergen.plan.model import Plan

FOUNDATION: Final = "foundation"
"""In place of the target: clusters of several targets may share one."""
_HEAD: Final = ("AWSTemplateFormatVersion", "Description", "Metadata")
_CLUSTERS: Final = ("AWS::PCS::Cluster", "AWS::EKS::Cluster")
_PARTS: Final = (
    "AWS::Batch::ComputeEnvironment",
    "AWS::EKS::Nodegroup",
    "AWS::PCS::ComputeNodeGroup",
)


def of_foundation(plan: Plan) -> Mark:
    """The mark of the foundation: that of the spec that owns it."""
    return Mark(plan.foundation, FOUNDATION)


def of_cluster(plan: Plan) -> Mark:
    """The mark of every other stack."""
    return Mark(plan.name, plan.target)


def marked(template: Mapping[str, Any], owner: Mark) -> Json:
    """``template`` with the mark, beside what the user's overlay has there."""
    mark = {MARK: {"cluster": owner.cluster, "target": owner.target, "format": MARK_FORMAT}}
    whole = {**template, "Metadata": {**template.get("Metadata", {}), **mark}}
    first: Json = {key: whole[key] for key in _HEAD if key in whole}
    return {**first, **whole}


def artifact(path: str, template: Mapping[str, Any], plan: Plan) -> Artifact:
    """The file of a template of the cluster."""
    return json_artifact(path, marked(template, of_cluster(plan)))


def owner(text: str) -> Mark | None:
    """The mark in metadata, which is JSON; None without one."""
    try:
        mark = json.loads(text or "{}").get(MARK)
    except ValueError:
        return None
    if not isinstance(mark, dict):
        return None
    return Mark(str(mark.get("cluster")), str(mark.get("target")))


def adopted(document: Mapping[str, Any], description: str) -> dict[str, str]:
    """Types by logical id of what makes up a cluster in a stack that the spec has adopted.

    Its overlay is the template of that stack, which describes itself in its own words.
    """
    if document.get("Description") == description:
        return {}
    resources = dict(_typed(document.get("Resources", {})))
    found = {id: type for id, type in resources.items() if type in _CLUSTERS}
    return found or resources


def _typed(resources: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for id, resource in resources.items():
        type = resource.get("Type") if isinstance(resource, Mapping) else None
        if type in (*_CLUSTERS, *_PARTS):
            yield id, str(type)


def role(plan: Plan, what: str) -> Role:
    """What a stack is for, by the last word of its name."""
    roles = {plan.target: "cluster", f"{plan.target}-schedule": "schedule"}
    return roles.get(what, what)


def descriptions(plan: Plan) -> dict[str, str]:
    """Descriptions of the templates of a target's stacks, by the last words of their names."""
    if plan.sagemaker and plan.options.creates_eks:
        return {
            "eks": f"EKS cluster {plan.name}, for nodes of HyperPod",
            "addons": f"HyperPod's add-ons of the EKS cluster {plan.name}",
        }
    if not plan.limits.stack_title:
        return {}
    cluster = f"{plan.limits.stack_title} cluster {plan.cluster_name}"
    own = cluster if plan.creates_cluster else f"Node groups {plan.name} of the {cluster}"
    ahead = f"When capacity of {plan.name} starts and ends"
    return {plan.target: own, f"{plan.target}-schedule": ahead}
