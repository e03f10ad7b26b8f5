"""Quotas, and what CloudFormation does not support."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Path, Problem, Severity
from clustergen.hyperpod import cloudformation
from clustergen.hyperpod import limits as service
from clustergen.hyperpod.rules import rule
from clustergen.plan.model import Plan


@rule(
    "LIM301",
    "More instances than the default quota",
    why="Unless raised, the quotas are 20 instances for a cluster and 30 for an account, besides "
    "those of each instance type for cluster usage.",
    source=service.QUOTAS,
    severity=Severity.WARNING,
    bad="node_groups: [{name: h200, count: 20}]",
    good="node_groups: [{name: h200, count: 16}]",
)
def quota(plan: Plan) -> Iterator[Problem]:
    machines = sum(machine.count for machine in (plan.head, plan.login) if machine)
    total = plan.max_nodes + machines
    if total > service.INSTANCES_PER_CLUSTER:
        largest = max(plan.node_groups, key=lambda group: group.max)
        yield Problem(
            largest.at("count"),
            f"{total} instances; the default quotas are {service.INSTANCES_PER_CLUSTER} for a "
            f"cluster and {service.INSTANCES_PER_ACCOUNT} for an account",
            help="request more in Service Quotas, Amazon SageMaker, before you deploy",
        )


@rule(
    "LIM302",
    "Too many instances in a group",
    why="An instance group has at most 6,758 instances.",
    source=service.INSTANCE_GROUP,
    bad="node_groups: [{name: h200, instance_type: c6i.large, count: 6759}]\n"
    "network: {cidr: 10.0.0.0/16}",
    good="node_groups: [{name: h200, instance_type: c6i.large, count: 6758}]\n"
    "network: {cidr: 10.0.0.0/16}",
)
def group_size(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.max > service.MAX_COUNT:
            yield Problem(
                group.at("count"),
                f"{group.max:,} instances in {group.name}",
                help=f"write {service.MAX_COUNT} or less, and add a second group",
            )


@rule(
    "LIM303",
    "Setting that CloudFormation does not support",
    why="AWS::SageMaker::Cluster lacks some members of the CreateCluster API. deploy.sh uses "
    "create-cluster.json, which has them; cluster.template.json does not.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sagemaker-cluster.html",
    severity=Severity.WARNING,
    bad="node_groups: [{name: h200, health_checks: [multi-node]}]",
    good="node_groups: [{name: h200, health_checks: [instance-stress]}]",
)
def api_only(plan: Plan) -> Iterator[Problem]:
    for path, what in (*_health_checks(plan), *_patching(plan), *_overlay(plan)):
        yield Problem(
            path,
            f"cluster.template.json leaves out {what}",
            help="deploy with deploy.sh, which calls the API",
        )


def _health_checks(plan: Plan) -> Iterator[tuple[Path, str]]:
    for group in plan.node_groups:
        for index, check in enumerate(group.health_checks):
            name = service.HEALTH_CHECKS.get(check, "")
            if name in cloudformation.API_ONLY_VALUES:
                yield group.at("health_checks", index), cloudformation.API_ONLY_VALUES[name]


def _patching(plan: Plan) -> Iterator[tuple[Path, str]]:
    """Only clusters with EKS have it. Without the strategy, the template leaves out the rest."""
    patching = getattr(plan.options, "auto_patching", None)
    path: Path = ("targets", plan.target, "auto_patching")
    if patching and patching.strategy == "drain-first":
        yield (*path, "strategy"), cloudformation.API_ONLY_VALUES["DrainFirst"]
    elif patching and patching.idle_wait is not None:
        yield (*path, "idle_wait"), cloudformation.API_ONLY_MEMBERS["IdleWaitWindowInSeconds"]


def _overlay(plan: Plan) -> Iterator[tuple[Path, str]]:
    for path, what in cloudformation.lacking(plan.overlay):
        yield ("targets", plan.target, "overlay", *path), what
