"""Endpoints that nodes need in a VPC without a way to the internet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clustergen.words import words

# docs/how-to/private-network.md has the sources, and what else some features need.
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "parallelcluster": words("s3 dynamodb ec2 cloudformation logs"),
    "pcs": words("pcs s3"),
    "hyperpod-slurm": words("s3"),
    "hyperpod-eks": words("s3 ec2 ecr.api ecr.dkr sts eks-auth logs monitoring"),
    "eks": words("s3 ec2 ecr.api ecr.dkr sts eks-auth"),
    "batch": words("s3 ecs ecs-agent ecs-telemetry ecr.api ecr.dkr logs"),
}
"""By target: the last parts of the names of services."""

GATEWAYS: Final = ("s3", "dynamodb")
"""Services whose endpoints are routes."""


def service_of(name: str, region: str) -> str:
    """`ecr.api` of `com.amazonaws.us-east-1.ecr.api`."""
    return name.partition(f".{region}.")[2]
