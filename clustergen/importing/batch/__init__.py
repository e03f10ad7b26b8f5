"""AWS Batch: compute environments, queues and job definitions of templates or descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clustergen.importing import clusters
from clustergen.importing.answers import Answers
from clustergen.importing.batch.described import resources
from clustergen.importing.batch.fields import spec
from clustergen.importing.batch.form import ENVIRONMENTS, FORM
from clustergen.importing.conversion import Imported
from clustergen.importing.reading import Source

__all__ = ["imported"]

READER: Final = clusters.Reader("batch", FORM, ENVIRONMENTS, spec, resources, one=False)


def imported(sources: Sequence[Source], answers: Answers) -> Imported:
    """The spec of the templates or descriptions of compute environments and their queues."""
    return clusters.imported(sources, answers, READER)
