"""Clusters of SageMaker HyperPod: requests, descriptions, resources of templates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from clustergen.base.findings import Finding, Path
from clustergen.importing.answers import REGION, Answers
from clustergen.importing.cloudformation import Questions, Resource
from clustergen.importing.conversion import Imported, Service, convert
from clustergen.importing.hyperpod import requests
from clustergen.importing.hyperpod.fields import is_addition, spec
from clustergen.importing.hyperpod.normal import (
    equivalent,
    equivalent_addition,
    normal,
    normal_addition,
)
from clustergen.importing.kinds import fitting
from clustergen.importing.notes import Notes
from clustergen.importing.reading import Source
from clustergen.importing.rules.formats import INCOMPLETE, UNKNOWN
from clustergen.targets import load

_SLURM = "hyperpod-slurm"
"""The target whose schema has all members of a request, those for EKS too."""


class _Request(NamedTuple):
    """A request: the file that has it, its place there, and its members."""

    source: Source
    place: Path
    members: Mapping[str, Any]


def imported(sources: Sequence[Source], answers: Answers) -> Imported:
    """The spec of the request for one cluster, and of the parameters of its lifecycle scripts."""
    first, notes, answers = sources[0], Notes(), answers.with_files(sources)
    clusters = [*answers.beside.of_type(_CLUSTER)]
    if len(clusters) > 1:
        text, help = f"the files have {len(clusters)} clusters", "import each from its own files"
        return Imported.refused(first.place(UNKNOWN.at((), text, help=help)))
    resource = clusters[0] if clusters else None
    if resource and (open := [*_undecided(resource)]):
        return Imported.refused(first.place(_incomplete(open)))
    if resource:
        members = _requested(resource, answers, notes)
        request = _Request(resource.source, resource.path, members)
    else:
        request = _Request(first, *(requests.found(first.data) or ((), {})))
    result = _converted(request, sources, answers, notes)
    found = (_below(finding, request) for finding in result.findings)
    return result._replace(findings=tuple(found))


_CLUSTER: Final = "AWS::SageMaker::Cluster"


def _requested(resource: Resource, answers: Answers, notes: Notes) -> Mapping[str, Any]:
    """The request that the resource makes; what no file says is asked for."""
    questions = Questions(notes, answers.region or REGION)
    found: Mapping[str, Any] = questions.answered(resource.properties)
    return found


def _undecided(resource: Resource) -> Iterator[str]:
    """The parameters that decide about the instance groups, where a template has none of them."""
    if requests.is_request(resource.properties):
        return
    parameters = resource.source.template.get("Parameters", {})
    for name, parameter in parameters.items():
        if isinstance(parameter, Mapping) and "Default" not in parameter:
            yield str(name)


def _converted(
    request: _Request, sources: Sequence[Source], answers: Answers, notes: Notes
) -> Imported:
    requested = requests.requested(request.members, notes)
    original, misfits = fitting(requested, load(_SLURM).schema)
    if not original.get("ClusterName"):
        original = {"ClusterName": answers.name, **original}
        notes.named((), answers.name)
    parameters = next(filter(None, (requests.parameters_in(s.data) for s in sources)), {})
    if parameters:
        notes.dropped(
            (),
            "provisioning_parameters.json says which group is what; the nodes read it where the "
            "lifecycle scripts are, so it stays there",
        )
    answers.beside.report((_CLUSTER,), notes)
    words = spec(original, dict(parameters), answers, notes)
    (target,) = words["targets"]
    origin = PurePath(sources[0].name).name
    forms = (
        (normal_addition, equivalent_addition) if is_addition(original) else (normal, equivalent)
    )
    result = convert(original, words, origin, notes, Service(target, *forms, adopts=answers.adopt))
    return result.without(misfits)


def _below(finding: Finding, request: _Request) -> Finding:
    """The finding at its place in the whole file."""
    alone = isinstance(request.source.data, list)  # a file that has the instance groups alone
    path = finding.path[1:] if alone else finding.path
    return request.source.place(replace(finding, path=(*request.place, *path)))


def _incomplete(parameters: Sequence[str]) -> Finding:
    return INCOMPLETE.at(
        (),
        "parameters without a value decide which instance groups there are",
        help=f"use --parameter NAME=VALUE for {', '.join(parameters)}, or add the template that "
        "has this one nested",
    )
