"""What Karpenter needs of AWS: a role for itself, one for its nodes, and news of interruptions.

https://karpenter.sh/docs/reference/cloudformation/ (1.14)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from clustergen.eks import roles
from clustergen.eks.control_plane import ControlPlane
from clustergen.plan.model import Plan

Json = dict[str, Any]

NAMESPACE = "kube-system"
SERVICE_ACCOUNT = "karpenter"

# Id, source and detail type of the events that tell of nodes going away.
_EVENTS = (
    ("Rebalance", "aws.ec2", "EC2 Instance Rebalance Recommendation"),
    ("SpotInterruption", "aws.ec2", "EC2 Spot Instance Interruption Warning"),
    ("StateChange", "aws.ec2", "EC2 Instance State-change Notification"),
    ("ReservationInterruption", "aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
    ("Health", "aws.health", "AWS Health Event"),
)


class Karpenter(Construct):
    """Roles, queue and rules of Karpenter; its chart and its node pools are in the bundle."""

    role: iam.Role
    """Of the controller."""
    node_role: iam.Role
    """Of the nodes that it starts. Not that of managed node groups, whose access entry is EKS's."""
    queue: sqs.CfnQueue
    rules: tuple[events.CfnRule, ...]

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        plan: Plan,
        control_plane: ControlPlane,
        node_statements: Iterable[Json] = (),
    ) -> None:
        super().__init__(scope, id)
        self.queue = _queue(self)
        self.node_role = roles.of_nodes(self, "NodeRole", node_statements)
        eks.CfnAccessEntry(
            self,
            "NodeAccess",
            cluster_name=control_plane.name,
            principal_arn=self.node_role.role_arn,
            type="EC2_LINUX",
        )
        self.role = roles.of_pods(
            self,
            "Role",
            statements=_controller(
                plan, control_plane.cluster.attr_arn, self.queue.attr_arn, self.node_role.role_arn
            ),
        )
        eks.CfnPodIdentityAssociation(
            self,
            "Identity",
            cluster_name=control_plane.name,
            namespace=NAMESPACE,
            service_account=SERVICE_ACCOUNT,
            role_arn=self.role.role_arn,
        )
        self.rules = tuple(_rule(self, self.queue, *event) for event in _EVENTS)


def _queue(scope: Construct) -> sqs.CfnQueue:
    queue = sqs.CfnQueue(
        scope, "Queue", message_retention_period=300, sqs_managed_sse_enabled=True
    )
    services = ("events.amazonaws.com", "sqs.amazonaws.com")
    sqs.CfnQueuePolicy(
        scope,
        "QueuePolicy",
        queues=[queue.ref],
        policy_document={
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Sid": "Events",
                    "Effect": "Allow",
                    "Principal": {"Service": list(services)},
                    "Action": "sqs:SendMessage",
                    "Resource": queue.attr_arn,
                },
                {
                    "Sid": "TlsOnly",
                    "Effect": "Deny",
                    "Principal": "*",
                    "Action": "sqs:*",
                    "Resource": queue.attr_arn,
                    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                },
            ],
        },
    )
    return queue


def _rule(
    scope: Construct, queue: sqs.CfnQueue, id: str, source: str, detail: str
) -> events.CfnRule:
    return events.CfnRule(
        scope,
        id,
        event_pattern={"source": [source], "detail-type": [detail]},
        targets=[events.CfnRule.TargetProperty(arn=queue.attr_arn, id="Karpenter")],
    )


def _controller(plan: Plan, cluster_arn: str, queue_arn: str, node_role_arn: str) -> list[Json]:
    """What the controller does: start, tag and end its own instances, and read about all."""
    ec2 = f"arn:{cdk.Aws.PARTITION}:ec2:{cdk.Aws.REGION}"
    owned = {f"aws:RequestTag/kubernetes.io/cluster/{plan.name}": "owned"}
    own = {f"aws:ResourceTag/kubernetes.io/cluster/{plan.name}": "owned"}
    made = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
    used = ("image", "snapshot", "security-group", "subnet", "capacity-reservation", "placement-group")
    here = {"StringEquals": {"aws:RequestedRegion": cdk.Aws.REGION}}
    return [
        _allow(
            "Use",
            ["ec2:RunInstances", "ec2:CreateFleet"],
            [f"{ec2}:*:{kind}/*" if kind != "image" and kind != "snapshot" else f"{ec2}::{kind}/*" for kind in used],
        ),
        _allow(
            "UseOwnTemplates",
            ["ec2:RunInstances", "ec2:CreateFleet"],
            [f"{ec2}:*:launch-template/*"],
            {"StringEquals": own},
        ),
        _allow(
            "Make",
            ["ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"],
            [f"{ec2}:*:{kind}/*" for kind in made],
            {"StringEquals": owned},
        ),
        _allow(
            "TagWhatIsMade",
            ["ec2:CreateTags"],
            [f"{ec2}:*:{kind}/*" for kind in made],
            {
                "StringEquals": {
                    **owned,
                    "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"],
                }
            },
        ),
        _allow("TagInstances", ["ec2:CreateTags"], [f"{ec2}:*:instance/*"], {"StringEquals": own}),
        _allow(
            "End",
            ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            [f"{ec2}:*:instance/*", f"{ec2}:*:launch-template/*"],
            {"StringEquals": own},
        ),
        _allow("Read", [f"ec2:Describe{what}" for what in _DESCRIBED], ["*"], here),
        _allow(
            "ReadImages",
            ["ssm:GetParameter"],
            [f"arn:{cdk.Aws.PARTITION}:ssm:{cdk.Aws.REGION}::parameter/aws/service/*"],
        ),
        _allow("ReadPrices", ["pricing:GetProducts"], ["*"]),
        _allow(
            "Interruptions",
            ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"],
            [queue_arn],
        ),
        _allow(
            "PassNodeRole",
            ["iam:PassRole"],
            [node_role_arn],
            {"StringEquals": {"iam:PassedToService": f"ec2.{cdk.Aws.URL_SUFFIX}"}},
        ),
        *_instance_profiles(plan),
        _allow("Cluster", ["eks:DescribeCluster"], [cluster_arn]),
    ]


_DESCRIBED = (
    *("CapacityReservations", "Images", "Instances", "InstanceStatus", "InstanceTypeOfferings"),
    *("InstanceTypes", "LaunchTemplates", "PlacementGroups", "SecurityGroups", "SpotPriceHistory"),
    "Subnets",
)


def _instance_profiles(plan: Plan) -> list[Json]:
    """Karpenter makes the instance profile of each node class itself."""
    arns = [f"arn:{cdk.Aws.PARTITION}:iam::{cdk.Aws.ACCOUNT_ID}:instance-profile/*"]
    cluster = f"kubernetes.io/cluster/{plan.name}"
    made = {f"aws:RequestTag/{cluster}": "owned"}
    own = {f"aws:ResourceTag/{cluster}": "owned"}
    return [
        _allow(
            "MakeProfiles",
            ["iam:CreateInstanceProfile", "iam:TagInstanceProfile"],
            arns,
            {"StringEquals": made},
        ),
        _allow(
            "OwnProfiles",
            [
                *("iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile"),
                "iam:DeleteInstanceProfile",
            ],
            arns,
            {"StringEquals": own},
        ),
        _allow("ReadProfiles", ["iam:GetInstanceProfile"], arns),
        _allow("ListProfiles", ["iam:ListInstanceProfiles"], ["*"]),
    ]


def _allow(sid: str, actions: list[str], resources: list[str], condition: Json | None = None) -> Json:
    statement: Json = {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resources}
    return {**statement, "Condition": condition} if condition else statement
