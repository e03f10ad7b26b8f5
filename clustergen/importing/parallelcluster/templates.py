"""Cluster configurations in CloudFormation templates, for ParallelCluster's own provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clustergen.catalog.regions import partition_of
from clustergen.foreign import is_parallelcluster_resource
from clustergen.importing.answers import Answers
from clustergen.importing.cloudformation import Questions, Resource, resources
from clustergen.importing.cloudformation.functions import as_text
from clustergen.importing.notes import Notes
from clustergen.importing.reading import Source

_REGION: Final = "us-east-1"


def clusters(sources: Sequence[Source], answers: Answers) -> list[Resource]:
    """The clusters of the templates."""
    found = resources(sources, answers, answers.region or _REGION)
    return [each for each in found if is_parallelcluster_resource({"Properties": each.properties})]


def configuration(resource: Resource, answers: Answers, notes: Notes) -> Mapping[str, Any]:
    """The configuration of a cluster; what no file says is asked for."""
    region = answers.region or _REGION
    questions = Questions(notes, partition_of(region).name, region)
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
