"""Clusters of SageMaker HyperPod: requests, descriptions, resources of templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustergen.findings import Path
from clustergen.importing.answers import Answers
from clustergen.importing.conversion import Imported, Service, convert
from clustergen.importing.hyperpod.normal import normal, settled
from clustergen.importing.hyperpod.requests import requested
from clustergen.importing.hyperpod.words import spec
from clustergen.importing.notes import Notes

__all__ = ["imported"]


def imported(
    request: Mapping[str, Any],
    parameters: Mapping[str, Any],
    origin: str,
    answers: Answers,
    place: Path,
) -> Imported:
    """The spec of a request; ``parameters`` are those of its lifecycle scripts."""
    notes = Notes()
    original = requested(request, notes, place)
    if not original.get("ClusterName"):
        original = {"ClusterName": answers.name, **original}
    if parameters:
        notes.dropped(
            (),
            "provisioning_parameters.json says which group is what; the nodes read it where the "
            "lifecycle scripts are, so it stays there",
        )
    words = spec(original, dict(parameters), answers, notes)
    (target,) = words["targets"]
    return convert(original, words, origin, notes, Service(target, normal, settled))
