"""AWS resources of Karpenter: its role, a role for its nodes, and a queue of interruption events.

https://karpenter.sh/docs/reference/cloudformation/ (1.14)
"""

from __future__ import annotations

from collections.abc import Iterable

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from clustergen.artifacts import Json
from clustergen.aws.iam import actions, allow, deny_without_tls, document, equal
from clustergen.eks import roles
from clustergen.eks.control_plane import ControlPlane
from clustergen.plan.model import Plan
from clustergen.words import words

NAMESPACE = "kube-system"
SERVICE_ACCOUNT = "karpenter"

# Id, source and detail type of events about interrupted nodes.
_EVENTS = (
    ("Rebalance", "aws.ec2", "EC2 Instance Rebalance Recommendation"),
    ("SpotInterruption", "aws.ec2", "EC2 Spot Instance Interruption Warning"),
    ("StateChange", "aws.ec2", "EC2 Instance State-change Notification"),
    (
        "ReservationInterruption",
        "aws.ec2",
        "EC2 Capacity Reservation Instance Interruption Warning",
    ),
    ("Health", "aws.health", "AWS Health Event"),
)


class Karpenter(Construct):
    """Roles, queue and event rules of Karpenter; its chart and node pools are in the bundle."""

    role: iam.Role
    """Role of the controller."""
    node_role: iam.Role
    """Role of its nodes. Managed node groups have another one, whose access entry EKS creates."""
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
        self.node_role = roles.node_role(self, "NodeRole", node_statements)
        eks.CfnAccessEntry(
            self,
            "NodeAccess",
            cluster_name=control_plane.name,
            principal_arn=self.node_role.role_arn,
            type="EC2_LINUX",
        )
        self.role = roles.pod_role(
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
    queue = sqs.CfnQueue(scope, "Queue", message_retention_period=300, sqs_managed_sse_enabled=True)
    services = ("events.amazonaws.com", "sqs.amazonaws.com")
    sqs.CfnQueuePolicy(
        scope,
        "QueuePolicy",
        queues=[queue.ref],
        policy_document=document(
            [
                {
                    "Sid": "Events",
                    "Effect": "Allow",
                    "Principal": {"Service": list(services)},
                    "Action": "sqs:SendMessage",
                    "Resource": queue.attr_arn,
                },
                deny_without_tls("sqs", queue.attr_arn),
            ]
        ),
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


_STARTS = ["ec2:RunInstances", "ec2:CreateFleet"]
_MADE = words("""
    fleet instance volume network-interface launch-template
    spot-instances-request
""")
_USED = ("security-group", "subnet", "capacity-reservation", "placement-group")
_PUBLIC = ("image", "snapshot")


def _controller(plan: Plan, cluster_arn: str, queue_arn: str, node_role_arn: str) -> list[Json]:
    """Permissions of the controller: start, tag and terminate its instances, and describe all."""
    tag = f"kubernetes.io/cluster/{plan.name}"
    made = {f"aws:RequestTag/{tag}": "owned"}
    own = {f"aws:ResourceTag/{tag}": "owned"}
    passed = {"iam:PassedToService": f"ec2.{cdk.Aws.URL_SUFFIX}"}
    queue = ("DeleteMessage", "GetQueueUrl", "ReceiveMessage")
    return [
        *_instances(made, own),
        *_reading(),
        allow("Interruptions", actions("sqs", *queue), [queue_arn]),
        allow("PassNodeRole", ["iam:PassRole"], [node_role_arn], equal(passed)),
        *_instance_profiles(made, own),
        allow("Cluster", ["eks:DescribeCluster"], [cluster_arn]),
    ]


def _instances(made: Json, own: Json) -> list[Json]:
    """``made`` and ``own`` are conditions on tags of requested and of existing resources."""
    creations = ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]
    ended = ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"]
    own_kinds = [_ec2("instance"), _ec2("launch-template")]
    every = [_ec2(kind) for kind in _MADE]
    used = [*(_ec2(kind) for kind in _USED), *(_ec2(kind, account="") for kind in _PUBLIC)]
    return [
        allow("Use", _STARTS, used),
        allow("UseOwnTemplates", _STARTS, [_ec2("launch-template")], equal(own)),
        allow("Make", [*_STARTS, "ec2:CreateLaunchTemplate"], every, equal(made)),
        allow("TagNew", ["ec2:CreateTags"], every, equal({**made, "ec2:CreateAction": creations})),
        allow("TagInstances", ["ec2:CreateTags"], [_ec2("instance")], equal(own)),
        allow("End", ended, own_kinds, equal(own)),
    ]


def _reading() -> list[Json]:
    region = cdk.Aws.REGION
    images = f"arn:{cdk.Aws.PARTITION}:ssm:{region}::parameter/aws/service/*"
    described = [f"ec2:Describe{what}" for what in _DESCRIBED]
    return [
        allow("Read", described, ["*"], equal({"aws:RequestedRegion": region})),
        allow("ReadImages", ["ssm:GetParameter"], [images]),
        allow("ReadPrices", ["pricing:GetProducts"], ["*"]),
    ]


_DESCRIBED = words("""
    CapacityReservations Images Instances InstanceStatus InstanceTypeOfferings
    InstanceTypes LaunchTemplates PlacementGroups SecurityGroups SpotPriceHistory
    Subnets
""")


def _instance_profiles(made: Json, own: Json) -> list[Json]:
    """Permissions for instance profiles, which Karpenter creates for node classes."""
    arns = [f"arn:{cdk.Aws.PARTITION}:iam::{cdk.Aws.ACCOUNT_ID}:instance-profile/*"]
    making = ("CreateInstanceProfile", "TagInstanceProfile")
    keeping = ("AddRoleToInstanceProfile", "RemoveRoleFromInstanceProfile", "DeleteInstanceProfile")
    return [
        allow("MakeProfiles", actions("iam", *making), arns, equal(made)),
        allow("OwnProfiles", actions("iam", *keeping), arns, equal(own)),
        allow("ReadProfiles", ["iam:GetInstanceProfile"], arns),
        allow("ListProfiles", ["iam:ListInstanceProfiles"], ["*"]),
    ]


def _ec2(kind: str, account: str = "*") -> str:
    return f"arn:{cdk.Aws.PARTITION}:ec2:{cdk.Aws.REGION}:{account}:{kind}/*"
