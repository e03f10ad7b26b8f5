"""Options of AWS Batch: ``targets.batch``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from clustergen.services.aws.options import LEFT_OUT, LaunchTemplates
from clustergen.spec.options import option

if TYPE_CHECKING:
    from clustergen.spec.base import BatchQueue, Name, Printable


@dataclass(frozen=True, slots=True)
class Options(LaunchTemplates):
    """AWS Batch."""

    SECTION: ClassVar = "Batch"

    image: Printable | None = option(
        None,
        "Container image of the training jobs in jobs/; default: a public one.",
        max_length=255,
    )
    queue_names: Mapping[Name, BatchQueue] = option(
        {},
        "Names that queues have in Batch, by their names here; default: CLUSTER-QUEUE, as in "
        "research-train.",
    )
    leave_out: tuple[Literal["security-groups", "session-manager", "stuck-jobs"], ...] = option(
        [], f"{LEFT_OUT}; stuck-jobs: the limit after which queues cancel jobs that cannot start."
    )
