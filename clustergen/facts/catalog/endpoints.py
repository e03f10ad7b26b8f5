"""Endpoints of the services that nodes call, for a VPC without a way to the internet.

Names are the last part of a service's. What each target needs is in
:mod:`clustergen.targets.needs`.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from clustergen.base.text_lists import word_set, words


class Endpoints(NamedTuple):
    """Services that nodes call ``always``, and with what a cluster may use."""

    always: tuple[str, ...]
    used: Mapping[str, tuple[str, ...]] = {}
    """By use, in words."""


LOGIN: Final = "login nodes"
PASSWORDS: Final = "passwords of a database or directory"
CONTAINERS: Final = "containers"
NODE_LOGS: Final = "logs of nodes"
CAUTION: Final = "to be safe, as AWS lists only s3"
SESSIONS: Final = "Session Manager"
CLOUDWATCH: Final = "metrics in CloudWatch"
PROMETHEUS: Final = "managed Prometheus"
VOLUMES: Final = "volumes of FSx that exist"
ALERTS: Final = "alerts of Prometheus in the cluster"
KARPENTER: Final = "Karpenter"
LUSTRE_DRIVER: Final = "FSx for Lustre in pods"
EFS_DRIVER: Final = "EFS in pods"

EVERYWHERE: Final[Mapping[str, tuple[str, ...]]] = {
    SESSIONS: words("ssm ssmmessages ec2messages"),
    VOLUMES: ("fsx",),
    ALERTS: ("sns",),
}
"""By use, on every target."""

GATEWAYS: Final = ("s3", "dynamodb")
"""Services whose endpoints are routes, without a fee."""

MISSING: Final[Mapping[str, frozenset[str]]] = {
    # https://docs.aws.amazon.com/eks/latest/userguide/vpc-interface-endpoints.html (2026-11)
    "eks": word_set("ap-east-2 ap-southeast-5 ap-southeast-7 mx-central-1"),
}
"""Regions without endpoints of a service."""

# The page of ParallelCluster above; https://github.com/eksctl-io/eksctl, endpoint_service.go.
_PREFIXED_IN_CHINA: Final = word_set("cloudformation ec2 autoscaling ecr.api ecr.dkr sts")


def service_name(service: str, partition: str, region: str) -> str:
    """`com.amazonaws.us-east-1.ecr.api` of `ecr.api`."""
    prefix = "cn." if partition == "aws-cn" and service in _PREFIXED_IN_CHINA else ""
    return f"{prefix}com.amazonaws.{region}.{service}"


def service_of(name: str, region: str) -> str:
    """`ecr.api` of `com.amazonaws.us-east-1.ecr.api`."""
    return name.partition(f".{region}.")[2]
