"""Rules for both HyperPod targets; their examples are for hyperpod-slurm."""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="hyperpod-slurm")
warning = functools.partial(findings.warning, target="hyperpod-slurm")
note = functools.partial(findings.note, target="hyperpod-slurm")
