"""Addresses of a workspace of Amazon Managed Service for Prometheus.

https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-onboard-query-APIs.html
"""

from clustergen.base.artifacts import Json
from clustergen.plan.model import Id
from clustergen.services.aws import cfn

ENDPOINT = "https://aps-workspaces.${AWS::Region}.${AWS::URLSuffix}/workspaces/${Workspace}"
"""For ``Fn::Sub``, the address of a workspace; paths of Prometheus's API follow."""

ARN = "arn:${AWS::Partition}:aps:${AWS::Region}:${AWS::AccountId}:workspace/${Workspace}"
"""For ``Fn::Sub``, the ARN of a workspace of this account."""


def arn(workspace: Id) -> Json:
    """The ARN of a workspace, in a template that has its id as a parameter."""
    return cfn.sub(ARN, Workspace=cfn.value(workspace))
