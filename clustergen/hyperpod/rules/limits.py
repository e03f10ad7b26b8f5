"""Names, numbers and what one of the two writers cannot say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.hyperpod import cloudformation
from clustergen.hyperpod import limits as service
from clustergen.plan.model import Plan

NAME = Rule(
    code="LIM300",
    title="Name that HyperPod refuses",
    why="Names of clusters, groups and partitions end in a letter or digit.",
    source=service.CREATE_CLUSTER,
    target="hyperpod-slurm",
    bad="name: example-",
    good="name: example",
)
QUOTA = Rule(
    code="LIM301",
    title="More instances than the default quota",
    why="Unless raised, a cluster has 20 instances and an account 30, beside the quotas of each "
    "instance type for cluster usage.",
    source=service.QUOTAS,
    severity=Severity.WARNING,
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, count: 20}]",
    good="node_groups: [{name: h200, count: 16}]",
)
GROUP_COUNT = Rule(
    code="LIM302",
    title="More instances than a group holds",
    why="An instance group has 6,758 instances at the most.",
    source=service.INSTANCE_GROUP,
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, instance_type: c6i.large, count: 6759}]\n"
    "network: {cidr: 10.0.0.0/16}",
    good="node_groups: [{name: h200, instance_type: c6i.large, count: 6758}]\n"
    "network: {cidr: 10.0.0.0/16}",
)
API_ONLY = Rule(
    code="LIM303",
    title="What CloudFormation cannot say",
    why="AWS::SageMaker::Cluster lacks some members of the CreateCluster API. create-cluster.json, "
    "which deploy.sh uses, has them; cluster.template.json has not.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sagemaker-cluster.html",
    severity=Severity.WARNING,
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, health_checks: [multi-node]}]",
    good="node_groups: [{name: h200, health_checks: [instance-stress]}]",
)
RULES = (NAME, QUOTA, GROUP_COUNT, API_ONLY)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for path, name in _names(plan):
        if not re.fullmatch(service.NAME, name):
            yield NAME.at(path, f"{name!r} ends in -", help=f"write {name.rstrip('-')}")
    yield from _numbers(plan)
    for path, what in _api_only(plan):
        yield API_ONLY.at(
            path,
            f"cluster.template.json is without {what}",
            help="deploy with deploy.sh, which calls the API",
        )


def _names(plan: Plan) -> Iterator[tuple[Path, str]]:
    yield ("name",), plan.name
    for group in plan.node_groups:
        yield group.at("name"), group.name
    for queue in plan.queues:
        # A queue of the group's own has been said with the group.
        if plan.wrote("queues"):
            yield queue.at("name"), queue.name


def _numbers(plan: Plan) -> Iterator[Finding]:
    people = sum(machine.count for machine in (plan.head, plan.login) if machine)
    total = plan.max_nodes + people
    if total > service.INSTANCES_PER_CLUSTER:
        largest = max(plan.node_groups, key=lambda group: group.max)
        yield QUOTA.at(
            largest.at("count"),
            f"{total} instances; by default a cluster has {service.INSTANCES_PER_CLUSTER}, an "
            f"account {service.INSTANCES_PER_ACCOUNT}",
            help="ask for more under Service Quotas, Amazon SageMaker, before you deploy",
        )
    for group in plan.node_groups:
        if group.max > service.MAX_COUNT:
            yield GROUP_COUNT.at(
                group.at("count"),
                f"{group.max:,} instances in {group.name}",
                help=f"write {service.MAX_COUNT} or less, and a second group",
            )


def _api_only(plan: Plan) -> Iterator[tuple[Path, str]]:
    for group in plan.node_groups:
        for index, check in enumerate(group.health_checks):
            name = service.HEALTH_CHECKS.get(check, "")
            if name in cloudformation.API_ONLY_VALUES:
                yield group.at("health_checks", index), cloudformation.API_ONLY_VALUES[name]
    overlay: Path = ("targets", plan.target, "overlay")
    for path, what in cloudformation.lacking(plan.overlay):
        yield (*overlay, *path), what
