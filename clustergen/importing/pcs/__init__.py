"""Clusters of AWS PCS: CloudFormation templates, and descriptions by the service."""

from __future__ import annotations

from collections.abc import Sequence

from clustergen.importing import bringing
from clustergen.importing.answers import Answers
from clustergen.importing.conversion import Imported
from clustergen.importing.pcs.described import resources
from clustergen.importing.pcs.form import CLUSTER, FORM
from clustergen.importing.pcs.preparing import prepared
from clustergen.importing.pcs.words import spec
from clustergen.importing.reading import Source

__all__ = ["imported"]


def imported(sources: Sequence[Source], answers: Answers) -> Imported:
    """The spec of the templates of one cluster."""
    return bringing.imported(
        sources, answers, bringing.Reader("pcs", FORM, CLUSTER, spec, resources, prepared)
    )
