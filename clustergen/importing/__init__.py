"""Turning configurations of other tools into specs: ``clustergen import``.

An import maps what has a word, puts the rest in the overlay, renders the result, and compares it
with the original in the service's own terms. What differs is a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

from clustergen import foreign
from clustergen.findings import Path
from clustergen.importing import hyperpod, parallelcluster
from clustergen.importing.answers import Answers
from clustergen.importing.conversion import Imported
from clustergen.importing.hyperpod import requests
from clustergen.importing.reading import Source, Unreadable, read
from clustergen.importing.rules.formats import UNKNOWN

__all__ = ["Answers", "Imported", "Request", "imported"]


class Request(NamedTuple):
    """The texts to import, each with the name of its file, and what the user says about them."""

    texts: Sequence[tuple[str, str]]
    answers: Answers


def imported(request: Request) -> Imported:
    """The spec of one cluster."""
    try:
        sources = [read(text, name) for name, text in request.texts]
    except Unreadable as error:
        return _refused(f"neither YAML nor JSON: {error}", "repair the file")
    first, *others = sorted(sources, key=lambda each: not foreign.recognized(each.data))
    format = foreign.recognized(first.data)
    besides = [each for each in others if format != foreign.HYPERPOD or not _explains(each)]
    if besides and format:
        message = f"{first.name} is one cluster; {besides[0].name} does not belong to it"
        return _refused(message, "import the files one by one")
    origin = PurePath(first.name).name
    if format == foreign.PARALLELCLUSTER:
        result = parallelcluster.imported(first.data, origin, request.answers)
    elif format == foreign.HYPERPOD and (place := requests.found(first.data)):
        parameters = next(filter(None, (requests.parameters_in(s.data) for s in sources)), {})
        result = hyperpod.imported(place[1], parameters, origin, request.answers, place[0])
        result = _below(result, place[0])
    else:
        return _refused(
            f"{first.name} is in no format that can be imported",
            "write a ParallelCluster 3 configuration, or a cluster of HyperPod: a request, a "
            "description, or a template",
        )
    return result._replace(findings=tuple(map(first.place, result.findings)))


def _explains(source: Source) -> bool:
    """Whether a file only says which group of a cluster is what."""
    return requests.is_parameters(source.data)


def _below(result: Imported, place: Path) -> Imported:
    """The import, its findings at places of the whole file."""
    found = (replace(f, path=(*place, *f.path)) for f in result.findings)
    return result._replace(findings=tuple(found))


def _refused(message: str, help: str) -> Imported:
    return Imported("", (UNKNOWN.at((), message, help=help),), False, 0, 0)
