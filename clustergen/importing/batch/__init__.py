"""AWS Batch: CloudFormation templates of compute environments, queues and job definitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clustergen.importing import bringing
from clustergen.importing.answers import Answers
from clustergen.importing.batch.form import ENVIRONMENTS, FORM
from clustergen.importing.batch.words import spec
from clustergen.importing.conversion import Imported
from clustergen.importing.reading import Source

__all__ = ["imported"]

READER: Final = bringing.Reader("batch", FORM, ENVIRONMENTS, spec)


def imported(sources: Sequence[Source], answers: Answers) -> Imported:
    """The spec of the templates of compute environments and their queues."""
    return bringing.imported(sources, answers, READER)
