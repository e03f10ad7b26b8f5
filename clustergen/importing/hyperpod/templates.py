"""A cluster of HyperPod as a resource of CloudFormation templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.importing.answers import REGION, Answers
from clustergen.importing.cloudformation import Questions, Resource
from clustergen.importing.hyperpod.requests import is_request
from clustergen.importing.notes import Notes

CLUSTER: Final = "AWS::SageMaker::Cluster"


def request(resource: Resource, answers: Answers, notes: Notes) -> Mapping[str, Any]:
    """The request that the resource makes; what no file says is asked for."""
    questions = Questions(notes, answers.region or REGION)
    found: Mapping[str, Any] = questions.answered(resource.properties)
    return found


def undecided(resource: Resource) -> Iterator[str]:
    """The parameters that decide about the instance groups, where a template has none of them."""
    if is_request(resource.properties):
        return
    parameters = resource.source.template.get("Parameters", {})
    for name, parameter in parameters.items():
        if isinstance(parameter, Mapping) and "Default" not in parameter:
            yield str(name)
