"""Whose stack it is: a mark in each template, which CloudFormation shows of a deployed stack.

`aws cloudformation get-template-summary --stack-name NAME --query Metadata` prints it. It is not a
tag: CloudFormation gives the tags of a stack to its resources, and a compute environment of Batch
that gets other tags is replaced.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-batch-computeenvironment.html
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/metadata-section-structure.html
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.base.artifacts import Artifact, Json, json_artifact
from clustergen.plan.model import Plan

KEY: Final = "clustergen"
FORMAT: Final = 1
FOUNDATION: Final = "foundation"
"""In place of the target: clusters of several targets may share one."""
_HEAD: Final = ("AWSTemplateFormatVersion", "Description", "Metadata")
_CLUSTERS: Final = ("AWS::PCS::Cluster", "AWS::EKS::Cluster")
_PARTS: Final = (
    "AWS::Batch::ComputeEnvironment",
    "AWS::EKS::Nodegroup",
    "AWS::PCS::ComputeNodeGroup",
)


def of_foundation(plan: Plan) -> tuple[str, str]:
    """Cluster and target in the mark of the foundation: those of the spec that owns it."""
    return plan.foundation, FOUNDATION


def of_cluster(plan: Plan) -> tuple[str, str]:
    """Cluster and target in the mark of every other stack."""
    return plan.name, plan.target


def marked(template: Mapping[str, Any], owner: tuple[str, str]) -> Json:
    """``template`` with the mark, beside what the user's overlay has there."""
    cluster, target = owner
    mark = {KEY: {"cluster": cluster, "target": target, "format": FORMAT}}
    whole = {**template, "Metadata": {**template.get("Metadata", {}), **mark}}
    first: Json = {key: whole[key] for key in _HEAD if key in whole}
    return {**first, **whole}


def artifact(path: str, template: Mapping[str, Any], plan: Plan) -> Artifact:
    """The file of a template of the cluster."""
    return json_artifact(path, marked(template, of_cluster(plan)))


def owner(text: str) -> tuple[str, str] | None:
    """Cluster and target in the mark of metadata, which is JSON; None without one."""
    try:
        mark = json.loads(text or "{}").get(KEY)
    except ValueError:
        return None
    return (str(mark.get("cluster")), str(mark.get("target"))) if isinstance(mark, dict) else None


def rows(
    plan: Plan, owner: tuple[str, str], described: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Rows of four words for each stack, as ``owner.sh.j2`` reads them.

    ``described`` has the last word of the name of each, and the descriptions by which a stack of an
    earlier version is known, which had no mark.
    """
    for what, descriptions in described.items():
        for description in descriptions:
            yield from (plan.stack(what), *owner, description)


def adopted(document: Mapping[str, Any], description: str) -> list[str]:
    """Logical id and type of what makes up a cluster in a stack that the spec has adopted.

    Its overlay is the template of that stack, which describes itself in its own words.
    """
    if document.get("Description") == description:
        return []
    resources = [*_typed(document.get("Resources", {}))]
    found = [pair for pair in resources if pair[1] in _CLUSTERS]
    return [word for pair in found or resources for word in pair]


def _typed(resources: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for id, resource in resources.items():
        type = resource.get("Type") if isinstance(resource, Mapping) else None
        if type in (*_CLUSTERS, *_PARTS):
            yield id, str(type)


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
