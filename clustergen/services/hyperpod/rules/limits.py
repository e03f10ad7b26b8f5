"""Quotas, and what CloudFormation does not support."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import cloudformation
from clustergen.services.hyperpod import limits as service
from clustergen.services.hyperpod.options import Options
from clustergen.services.hyperpod.rules import warning


@warning(
    "LIM303",
    "Setting that CloudFormation does not support",
    why="AWS::SageMaker::Cluster lacks some members of the CreateCluster API. deploy.sh uses "
    "create-cluster.json, which has them; cluster.template.json does not.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sagemaker-cluster.html",
    bad="node_groups: [{name: h200, health_checks: [multi-node]}]",
    good="node_groups: [{name: h200, health_checks: [instance-stress]}]",
)
def api_only(plan: Plan) -> Iterator[Problem]:
    for path, what in (*_health_checks(plan), *_patching(plan), *_overlay(plan)):
        yield Problem(
            path,
            f"cluster.template.json omits {what}",
            help="deploy with deploy.sh, which calls the API",
        )


def _health_checks(plan: Plan) -> Iterator[tuple[Path, str]]:
    for group in plan.node_groups:
        for index, check in enumerate(group.health_checks):
            name = service.HEALTH_CHECKS.get(check, "")
            if name in cloudformation.API_ONLY_VALUES:
                yield group.at("health_checks", index), cloudformation.API_ONLY_VALUES[name]


def _patching(plan: Plan) -> Iterator[tuple[Path, str]]:
    """Only clusters with EKS have patching. Without the strategy, the template omits the rest."""
    patching = plan.options_as(Options).patching
    path: Path = ("targets", plan.target, "auto_patching")
    if patching and patching.strategy == "drain-first":
        yield (*path, "strategy"), cloudformation.API_ONLY_VALUES["DrainFirst"]
    elif patching and patching.idle_wait is not None:
        yield (*path, "idle_wait"), cloudformation.API_ONLY_MEMBERS["IdleWaitWindowInSeconds"]


def _overlay(plan: Plan) -> Iterator[tuple[Path, str]]:
    for path, what in cloudformation.lacking(plan.overlay):
        yield ("targets", plan.target, "overlay", *path), what
