"""Rules of HyperPod with Slurm."""

from __future__ import annotations

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="hyperpod-slurm")
