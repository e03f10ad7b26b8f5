"""Turning configurations of other tools into specs: ``clustergen import``.

An import maps what has a word, puts the rest in the overlay, renders the result, and compares it
with the original in the service's own terms. What differs is a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from clustergen import foreign
from clustergen.importing import parallelcluster
from clustergen.importing.answers import Answers
from clustergen.importing.conversion import Imported
from clustergen.importing.reading import Unreadable, read
from clustergen.importing.rules.formats import UNKNOWN

__all__ = ["Answers", "Imported", "Request", "imported"]


class Request(NamedTuple):
    """The texts to import, each with the name of its file, and what the user says about them."""

    texts: Sequence[tuple[str, str]]
    answers: Answers


def imported(request: Request) -> Imported:
    """The spec of one cluster."""
    name, text = request.texts[0]
    try:
        source = read(text, name)
    except Unreadable as error:
        return _refused(f"{name} is neither YAML nor JSON: {error}", "repair the file")
    found = foreign.recognized(source.data)
    if found != foreign.PARALLELCLUSTER:
        return _refused(
            f"{name} is {found or 'in no format that can be imported'}",
            "the file must be a ParallelCluster 3 configuration, with HeadNode and Scheduling",
        )
    if len(request.texts) > 1:
        return _refused(
            f"{name} is the configuration of one cluster; {request.texts[1][0]} belongs to another",
            "import the files one by one",
        )
    result = parallelcluster.imported(source.data, PurePath(name).name, request.answers)
    return result._replace(findings=tuple(map(source.place, result.findings)))


def _refused(message: str, help: str) -> Imported:
    return Imported("", (UNKNOWN.at((), message, help=help),), False, 0, 0)
