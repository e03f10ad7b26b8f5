"""Cluster configurations in CloudFormation templates, for ParallelCluster's own provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustergen.importing.answers import REGION, Answers
from clustergen.importing.cloudformation import Questions, Resource
from clustergen.importing.cloudformation.functions import as_text
from clustergen.importing.notes import Notes
from clustergen.spec.formats import is_parallelcluster_resource


def clusters(answers: Answers) -> list[Resource]:
    """The clusters of the templates."""
    known = answers.beside.resources.values()
    return [each for each in known if is_parallelcluster_resource({"Properties": each.properties})]


def configuration(resource: Resource, answers: Answers, notes: Notes) -> Mapping[str, Any]:
    """The configuration of a cluster; what no file says is asked for."""
    questions = Questions(notes, answers.region or REGION)
    answered = questions.answered(resource.properties["ClusterConfiguration"])
    found: Mapping[str, Any] = _with_text(answered)
    return found


def _with_text(node: Any, key: str = "") -> Any:
    """Arguments of scripts as text: CloudFormation sends every value as such."""
    if isinstance(node, Mapping):
        return {each: _with_text(value, each) for each, value in node.items()}
    if isinstance(node, list):
        return [as_text(v) if key == "Args" else _with_text(v) for v in node]
    return node
