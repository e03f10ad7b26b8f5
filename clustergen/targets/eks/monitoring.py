"""Metrics in Amazon Managed Service for Prometheus: a workspace and a managed scraper."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_aps as aps
from constructs import Construct

from clustergen.cdk.inputs import Inputs
from clustergen.eks.control_plane import ControlPlane
from clustergen.plan.model import Plan
from clustergen.targets.eks import scraping
from clustergen.yaml_text import yaml_text


class ManagedPrometheus(Construct):
    """A workspace for the metrics of the cluster, and their scraper.

    The service creates the access entry for the scraper's role; EKS rejects others for it.
    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html
    """

    workspace: aps.CfnWorkspace
    scraper: aps.CfnScraper

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        plan: Plan,
        inputs: Inputs,
        control_plane: ControlPlane,
    ) -> None:
        super().__init__(scope, id)
        self.workspace = aps.CfnWorkspace(self, "Workspace", alias=plan.name)
        # Metrics outlive the cluster and its monitoring setting.
        self.workspace.cfn_options.deletion_policy = cdk.CfnDeletionPolicy.RETAIN_EXCEPT_ON_CREATE
        self.workspace.cfn_options.update_replace_policy = cdk.CfnDeletionPolicy.RETAIN
        self.scraper = aps.CfnScraper(
            self,
            "Scraper",
            alias=plan.name,
            scrape_configuration=aps.CfnScraper.ScrapeConfigurationProperty(
                configuration_blob=cdk.Fn.base64(yaml_text(scraping.configuration()))
            ),
            source=_source(plan, inputs, control_plane),
            destination=aps.CfnScraper.DestinationProperty(
                amp_configuration=aps.CfnScraper.AmpConfigurationProperty(
                    workspace_arn=self.workspace.attr_arn
                )
            ),
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
