"""Cluster configurations of AWS ParallelCluster 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustergen.importing.answers import Answers
from clustergen.importing.conversion import Imported, Service, convert
from clustergen.importing.notes import Notes
from clustergen.importing.parallelcluster.dialect import modern
from clustergen.importing.parallelcluster.normal import normal
from clustergen.importing.parallelcluster.partitions import resolved
from clustergen.importing.parallelcluster.parts import effective, section, without_nothing
from clustergen.importing.parallelcluster.settling import settled
from clustergen.importing.parallelcluster.words import spec
from clustergen.importing.rules import formats

__all__ = ["imported"]

SERVICE = Service("parallelcluster", normal, settled)
# An update compares what is written: a default that only one of two files has is a change.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html
ADOPTING = Service("parallelcluster", normal, lambda _document, original, _schema: original, True)
_SLURM = "slurm"


def imported(configuration: Mapping[str, Any], origin: str, answers: Answers) -> Imported:
    """The spec of a cluster configuration."""
    scheduler = section(configuration, "Scheduling").get("Scheduler", _SLURM)
    if scheduler != _SLURM:
        found = formats.UNSUPPORTED.at(
            ("Scheduling", "Scheduler"),
            f"the scheduler is {scheduler}",
            help="for AWS Batch, write a spec for the target batch; to import this, write "
            "Scheduler: slurm, and SlurmQueues with compute resources of the same instance types",
        )
        return Imported("", (found,), False, 0, 0)
    notes = Notes()
    written = modern(without_nothing(configuration), notes)
    config = resolved(effective(written))
    words = spec(config, answers, notes)
    # Without one, ParallelCluster takes the region from where its command runs.
    region = {"Region": words["region"]}
    if answers.adopt:
        return convert({**region, **written}, words, origin, notes, ADOPTING)
    return convert({**region, **config}, words, origin, notes, SERVICE)
