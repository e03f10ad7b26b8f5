"""AWS resources of Karpenter: its role, a role for its nodes, and a queue of interruption events.

https://karpenter.sh/docs/reference/cloudformation/ (1.14)
"""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import words
from clustergen.plan import volumes
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.services.aws.iam import actions, allow, deny_without_tls, document, equal
from clustergen.services.aws.members import filled
from clustergen.services.eks import control_plane, roles
from clustergen.services.kubernetes.karpenter import NAMESPACE, SERVICE_ACCOUNT
from clustergen.targets.eks import node_roles

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


_RULES = "arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:rule/*"
QUEUE = "KarpenterQueue"
_ROLE = "KarpenterRole"


def resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    """Role, queue and event rules of Karpenter; its chart and node pools are in the bundle."""
    queue_arn = cfn.get_att(QUEUE, "Arn")
    yield from _queue(plan, queue_arn)
    yield _ROLE, roles.pod_role(plan, statements=_controller(plan, queue_arn))
    identity = roles.pod_identity(plan, control_plane.NAME, NAMESPACE, SERVICE_ACCOUNT, _ROLE)
    yield "KarpenterIdentity", identity
    for id, source, detail in _EVENTS:
        yield f"Karpenter{id}", _rule(plan, queue_arn, source, detail)


def _queue(plan: Plan, arn: Json) -> Iterator[tuple[str, Json]]:
    properties = {
        "MessageRetentionPeriod": 300,
        "SqsManagedSseEnabled": True,
        **filled(Tags=cfn.tags(plan.tags)),
    }
    yield QUEUE, cfn.resource("AWS::SQS::Queue", properties)
    events = {
        "Sid": "Events",
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": arn,
        # EventBridge asks for any account: a message can end nodes.
        # https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
        "Condition": {"ArnLike": {"aws:SourceArn": cfn.sub(_RULES)}},
    }
    policy = document([events, deny_without_tls("sqs", arn)])
    properties = {"PolicyDocument": policy, "Queues": [cfn.ref(QUEUE)]}
    yield "KarpenterQueuePolicy", cfn.resource("AWS::SQS::QueuePolicy", properties)


def _rule(plan: Plan, queue_arn: Json, source: str, detail: str) -> Json:
    properties = {
        "EventPattern": {"source": [source], "detail-type": [detail]},
        "Targets": [{"Arn": queue_arn, "Id": "Karpenter"}],
        **filled(Tags=cfn.tags(plan.tags)),
    }
    return cfn.resource("AWS::Events::Rule", properties)


_STARTS = ["ec2:RunInstances", "ec2:CreateFleet"]
_MADE = words("""
    fleet instance volume network-interface launch-template
    spot-instances-request
""")
_USED = ("security-group", "subnet", "capacity-reservation", "placement-group")
_PUBLIC = ("image", "snapshot")


def _controller(plan: Plan, queue_arn: Json) -> list[Json]:
    """Permissions of the controller: start, tag and terminate its instances, and describe all."""
    tag = f"kubernetes.io/cluster/{plan.name}"
    made = {f"aws:RequestTag/{tag}": "owned"}
    own = {f"aws:ResourceTag/{tag}": "owned"}
    passed = {"iam:PassedToService": cfn.sub("ec2.${AWS::URLSuffix}")}
    queue = ("DeleteMessage", "GetQueueUrl", "ReceiveMessage")
    return [
        *_instances(made, own),
        *_reading(),
        allow("Interruptions", actions("sqs", *queue), [queue_arn]),
        allow("PassNodeRole", ["iam:PassRole"], node_roles.passed(plan), equal(passed)),
        *_instance_profiles(made, own),
        allow("Cluster", ["eks:DescribeCluster"], [control_plane.ARN]),
        *_keys(plan),
    ]


def _keys(plan: Plan) -> list[Json]:
    """Permission to encrypt root volumes with the user's keys.

    https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption-requirements.html
    """
    keys = volumes.root_keys(plan)
    uses = ("Decrypt", "DescribeKey", "GenerateDataKeyWithoutPlaintext", "ReEncrypt*")
    for_volumes = {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    if not keys:
        return []
    return [
        allow("Keys", actions("kms", *uses), keys),
        allow("Grants", ["kms:CreateGrant"], keys, for_volumes),
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
    images = cfn.sub("arn:${AWS::Partition}:ssm:${AWS::Region}::parameter/aws/service/*")
    described = [f"ec2:Describe{what}" for what in _DESCRIBED]
    return [
        allow("Read", described, ["*"], equal({"aws:RequestedRegion": cfn.ref("AWS::Region")})),
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
    arns = [cfn.sub("arn:${AWS::Partition}:iam::${AWS::AccountId}:instance-profile/*")]
    making = ("CreateInstanceProfile", "TagInstanceProfile")
    keeping = ("AddRoleToInstanceProfile", "RemoveRoleFromInstanceProfile", "DeleteInstanceProfile")
    return [
        allow("MakeProfiles", actions("iam", *making), arns, equal(made)),
        allow("OwnProfiles", actions("iam", *keeping), arns, equal(own)),
        allow("ReadProfiles", ["iam:GetInstanceProfile"], arns),
        allow("ListProfiles", ["iam:ListInstanceProfiles"], ["*"]),
    ]


def _ec2(kind: str, account: str = "*") -> Json:
    return cfn.sub(f"arn:${{AWS::Partition}}:ec2:${{AWS::Region}}:{account}:{kind}/*")
