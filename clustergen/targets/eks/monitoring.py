"""Metrics for Amazon Managed Service for Prometheus: a scraper that AWS runs."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_aps as aps
from aws_cdk import aws_eks as eks
from constructs import Construct

from clustergen.aws import iam as statements
from clustergen.cdk.inputs import Inputs
from clustergen.eks import roles
from clustergen.eks.control_plane import ControlPlane
from clustergen.kubernetes import prometheus, scraping
from clustergen.plan.model import Id, Plan
from clustergen.yaml_text import yaml_text


class ManagedPrometheus(Construct):
    """What collects the metrics of the cluster for the workspace of the foundation.

    The service creates the access entry for the scraper's role; EKS rejects others for it.
    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html
    """

    scraper: aps.CfnScraper

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        plan: Plan,
        inputs: Inputs,
        workspace: Id,
        control_plane: ControlPlane,
    ) -> None:
        super().__init__(scope, id)
        workspace_id = inputs.value(workspace)
        account = f"{cdk.Aws.REGION}:{cdk.Aws.ACCOUNT_ID}"
        arn = f"arn:{cdk.Aws.PARTITION}:aps:{account}:workspace/{workspace_id}"
        scraped = scraping.configuration(plan)
        self.scraper = aps.CfnScraper(
            self,
            "Scraper",
            alias=plan.name,
            scrape_configuration=aps.CfnScraper.ScrapeConfigurationProperty(
                configuration_blob=cdk.Fn.base64(yaml_text(scraped))
            ),
            source=_source(plan, inputs, control_plane),
            destination=aps.CfnScraper.DestinationProperty(
                amp_configuration=aps.CfnScraper.AmpConfigurationProperty(workspace_arn=arn)
            ),
        )


class AlertSender(Construct):
    """What lets Alertmanager in the cluster publish to the topic of alerts."""

    def __init__(
        self, scope: Construct, id: str, *, topic: str, control_plane: ControlPlane
    ) -> None:
        super().__init__(scope, id)
        role = roles.pod_role(
            self, "Role", statements=[statements.allow("Alerts", ["sns:Publish"], [topic])]
        )
        eks.CfnPodIdentityAssociation(
            self,
            "Identity",
            cluster_name=control_plane.name,
            namespace=prometheus.NAMESPACE,
            service_account=prometheus.ALERTMANAGER,
            role_arn=role.role_arn,
        )


def _source(
    plan: Plan, inputs: Inputs, control_plane: ControlPlane
) -> aps.CfnScraper.SourceProperty:
    """The cluster as a source, with subnets in two zones like its control plane."""
    return aps.CfnScraper.SourceProperty(
        eks_configuration=aps.CfnScraper.EksConfigurationProperty(
            cluster_arn=control_plane.cluster.attr_arn,
            subnet_ids=[inputs.value(subnet.id) for subnet in plan.network.control_plane],
            security_group_ids=[control_plane.security_group],
        )
    )
