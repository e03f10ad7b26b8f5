"""SageMaker HyperPod with EKS: the template of `render`, and its lifecycle scripts."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.cdk.compiled import Compiled
from stacks.hyperpod_slurm import HyperPodStack


class HyperPodEksStack(HyperPodStack):
    """The cluster as nodes of an EKS cluster, and its lifecycle scripts."""


def stacks(scope: Construct, compiled: Compiled, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [HyperPodEksStack(scope, compiled, **props)]
