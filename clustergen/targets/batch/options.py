"""Options of AWS Batch: ``targets.batch``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clustergen.aws import launch_templates


@dataclass(frozen=True, slots=True)
class Options(launch_templates.Options):
    """See :class:`clustergen.spec.targets.Batch`."""

    image: str | None
    """Container image of the training jobs."""
    queue_names: Mapping[str, str]
