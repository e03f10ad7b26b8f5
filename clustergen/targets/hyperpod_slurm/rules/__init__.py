"""Rules of HyperPod with Slurm."""

import functools

from clustergen.base import findings
from clustergen.base.findings import Path

rule = functools.partial(findings.rule, target="hyperpod-slurm")
warning = functools.partial(findings.warning, target="hyperpod-slurm")
note = functools.partial(findings.note, target="hyperpod-slurm")
MODE: Path = ("targets", "hyperpod-slurm", "mode")
QUEUE_FIELDS = ("default", "time_limit", "priority", "exclusive", "slurm")
