"""Rules for both HyperPod targets; their examples are for hyperpod-slurm."""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="hyperpod-slurm")
