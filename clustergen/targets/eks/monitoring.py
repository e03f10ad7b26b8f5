"""Metrics for Amazon Managed Service for Prometheus, and alerts of a Prometheus in the cluster."""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.base.yaml_text import yaml_text
from clustergen.plan.model import Id, Plan, Ref
from clustergen.services.aws import cfn, iam
from clustergen.services.aws import prometheus as workspaces
from clustergen.services.aws.members import filled
from clustergen.services.eks import control_plane, roles
from clustergen.services.kubernetes import prometheus, scraping
from clustergen.services.monitoring import names


def resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    """What collects metrics for a workspace, and what lets Alertmanager publish alerts."""
    if plan.monitoring.workspace is not None:
        yield "PrometheusScraper", _scraper(plan, plan.monitoring.workspace)
    if prometheus.is_on(plan) and plan.monitoring.alerts.wanted:
        yield from _alert_sender(plan)


def _scraper(plan: Plan, workspace: Id) -> Json:
    """A scraper that AWS runs.

    The service creates the access entry for the scraper's role; EKS rejects others for it.
    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html
    """
    blob = {"Fn::Base64": yaml_text(scraping.configuration(plan))}
    # In two zones, like the control plane.
    cluster = {
        "ClusterArn": control_plane.ARN,
        "SubnetIds": [cfn.value(subnet.id) for subnet in plan.network.control_plane],
        "SecurityGroupIds": [control_plane.SECURITY_GROUP],
    }
    properties = {
        "Alias": plan.name,
        "ScrapeConfiguration": {"ConfigurationBlob": blob},
        "Source": {"EksConfiguration": cluster},
        "Destination": {"AmpConfiguration": {"WorkspaceArn": workspaces.arn(workspace)}},
        **filled(Tags=cfn.tags(plan.tags)),
    }
    return cfn.resource("AWS::APS::Scraper", properties)


def _alert_sender(plan: Plan) -> Iterator[tuple[str, Json]]:
    topic = cfn.value(plan.monitoring.alerts.topic or Ref(names.TOPIC_OUTPUT))
    statement = iam.allow("Alerts", ["sns:Publish"], [topic])
    yield "AlertsRole", roles.pod_role(plan, statements=[statement])
    yield (
        "AlertsIdentity",
        roles.pod_identity(
            plan, control_plane.NAME, prometheus.NAMESPACE, prometheus.ALERTMANAGER, "AlertsRole"
        ),
    )
