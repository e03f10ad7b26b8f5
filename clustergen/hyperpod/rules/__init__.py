"""Rules of both HyperPod targets; the tests check their examples as hyperpod-slurm."""

from __future__ import annotations

import functools

from clustergen import findings

rule = functools.partial(findings.rule, target="hyperpod-slurm")
