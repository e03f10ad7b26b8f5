"""What each target needs of the foundation.

The foundation of a spec serves all of its targets, so the plan for one target has the needs of the
others. They stand here and not in the packages of the targets, which would all have to be loaded.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from clustergen.base.text_lists import words
from clustergen.facts.catalog import endpoints
from clustergen.facts.catalog.endpoints import Endpoints
from clustergen.plan.model import Plan
from clustergen.plan.model.foundation import Needs, Served

_ECR: Final = words("ecr.api ecr.dkr")
_SECRETS: Final = ("secretsmanager",)
_DRIVERS: Final = {endpoints.LUSTRE_DRIVER: ("fsx",), endpoints.EFS_DRIVER: ("elasticfilesystem",)}
_CLOUDWATCH: Final = {endpoints.CLOUDWATCH: words("monitoring logs")}
_PROMETHEUS: Final = {endpoints.PROMETHEUS: ("aps-workspaces",)}
_METRICS: Final = {**_CLOUDWATCH, **_PROMETHEUS}

NEEDS: Final[Mapping[str, Needs]] = {
    "parallelcluster": Needs(
        frozenset({"login-group", "node-metrics", "node-policies"}),
        # https://docs.aws.amazon.com/parallelcluster/latest/ug/aws-parallelcluster-in-a-single-public-subnet-no-internet-v3.html
        Endpoints(
            words("s3 dynamodb ec2 cloudformation logs"),
            {
                endpoints.LOGIN: words("elasticloadbalancing autoscaling"),
                endpoints.PASSWORDS: _SECRETS,
                endpoints.CONTAINERS: _ECR,
                **_METRICS,
            },
        ),
    ),
    "pcs": Needs(
        frozenset({"login-group", "node-metrics", "pcs-roles", "scheduler-access"}),
        # https://docs.aws.amazon.com/pcs/latest/userguide/vpc-interface-endpoints.html
        Endpoints(
            words("pcs s3"),
            {endpoints.NODE_LOGS: ("logs",), endpoints.CONTAINERS: _ECR, **_METRICS},
        ),
    ),
    "hyperpod-slurm": Needs(
        frozenset({"hyperpod-machines", "hyperpod-roles", "node-metrics"}),
        # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html
        Endpoints(
            ("s3",),
            {
                endpoints.CAUTION: words("ec2 sts logs monitoring"),
                endpoints.PASSWORDS: _SECRETS,
                endpoints.CONTAINERS: _ECR,
                **_METRICS,
            },
        ),
    ),
    "hyperpod-eks": Needs(
        frozenset({"eks-network", "hyperpod-cluster-role", "hyperpod-roles"}),
        # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-ebs.html
        # (volumes of pods), and a closed network in
        # https://github.com/awslabs/awsome-distributed-ai (7.sagemaker-hyperpod-eks)
        Endpoints(
            words("s3 ec2 ecr.api ecr.dkr sts eks-auth logs monitoring eks sagemaker.api"),
            {**_PROMETHEUS, **_DRIVERS},
        ),
    ),
    "eks": Needs(
        frozenset({"eks-network"}),
        # https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html
        Endpoints(
            words("s3 ec2 ecr.api ecr.dkr sts eks-auth"),
            {endpoints.KARPENTER: words("eks sqs ssm"), **_CLOUDWATCH, **_DRIVERS},
        ),
    ),
    "batch": Needs(
        # https://docs.aws.amazon.com/AmazonECS/latest/developerguide/vpc-endpoints.html
        endpoints=Endpoints(words("s3 ecs ecs-agent ecs-telemetry ecr.api ecr.dkr logs")),
    ),
}
"""By target. The services are as of 2026-11-21."""


def served(names: Iterable[str]) -> Served:
    """What a foundation for these targets has to have; for none, what any target may need."""
    named = frozenset(names)
    return Served(named, {name: NEEDS.get(name, Needs()) for name in sorted(named) or NEEDS})


def serving(plan: Plan, names: Iterable[str]) -> Plan:
    """The plan, if the foundation served these targets."""
    return replace(plan, shared=plan.shared._replace(served=served(names)))
