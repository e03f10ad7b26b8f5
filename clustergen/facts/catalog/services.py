"""Regions in which services are available.

A list has the regions of a service on its date. Services expand, so a missing region is a warning;
it is an error only if the service's own tool rejects the region (ParallelCluster).
"""

from collections.abc import Mapping
from typing import NamedTuple

from clustergen.base.text_lists import word_set
from clustergen.facts.catalog.regions import REGIONS, partition_of


class Service(NamedTuple):
    """Regions of one service, with source and date."""

    title: str
    regions: frozenset[str]
    source: str
    date: str

    def nearest(self, region: str) -> tuple[str, ...]:
        """Regions with the service whose names begin like ``region``, sorted.

        The same continent comes first ("eu-"); other partitions are excluded.
        """
        partition = partition_of(region)
        start = region.partition("-")[0] + "-"
        inside = sorted(r for r in self.regions if partition_of(r) == partition)
        return tuple(r for r in inside if r.startswith(start)) or tuple(inside)


def _except(absent: str) -> frozenset[str]:
    return frozenset(REGIONS) - word_set(absent)


_CFN = "cfn-lint 1.58.0 data/schemas/providers: regions whose CloudFormation has "

SERVICES: Mapping[str, Service] = {
    "pcs": Service(
        "AWS PCS",
        _except("""
            ap-east-1 ap-east-2 ap-southeast-7 ca-west-1 eu-central-2 il-central-1 me-central-1
            me-south-1 mx-central-1 us-west-1 cn-north-1 cn-northwest-1
        """),
        # https://docs.aws.amazon.com/general/latest/gr/pcs.html lists the same except
        # ap-southeast-5 and ca-central-1.
        _CFN + "AWS::PCS::Cluster",
        "2026-10-20",
    ),
    "parallelcluster": Service(
        "ParallelCluster 3.16.1",
        _except("""
            ap-east-2 ap-northeast-3 ap-south-2 ap-southeast-4 ap-southeast-6 ca-west-1
            eu-central-2 eu-south-2 me-central-1 mx-central-1
        """),
        "aws-parallelcluster 3.16.1 pcluster/resources/supported-regions",
        "2026-11-20",
    ),
    "hyperpod": Service(
        "SageMaker HyperPod",
        _except("""
            af-south-1 ap-east-1 ap-east-2 ap-northeast-3 ap-southeast-5 ap-southeast-6
            ap-southeast-7 ca-west-1 eu-central-2 eu-south-1 eu-west-3 il-central-1 me-central-1
            me-south-1 mx-central-1 cn-north-1 cn-northwest-1 us-gov-east-1 us-gov-west-1
        """),
        _CFN + "AWS::SageMaker::Cluster",
        "2026-10-20",
    ),
    "eks": Service(
        "Amazon EKS managed node groups",
        _except("me-south-1"),
        _CFN + "AWS::EKS::Nodegroup",
        "2026-10-20",
    ),
    "fsx": Service(
        "Amazon FSx",
        _except("ap-southeast-6 me-south-1"),
        _CFN + "AWS::FSx::FileSystem",
        "2026-10-20",
    ),
}


def available(service: str, region: str) -> bool | None:
    """Whether the service is available in ``region``; None for an unknown region.

    :raises KeyError: for a service that is not in :data:`SERVICES`.
    """
    found = SERVICES[service]
    return region in found.regions if region in REGIONS else None
