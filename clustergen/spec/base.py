"""The base class of sections, and types of fields."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from clustergen.spec import patterns, validators


class Section(BaseModel):
    """A section: strictly typed and immutable; unknown keys are errors."""

    # Validators of sections are built once, as parts of the root's validator.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    @classmethod
    def absent(cls, **values: Any) -> Self:
        """The section if the spec omits it, without validation, which would build a validator."""
        return super().model_construct(set(), **values)


def shaped(pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": [example]})


NODE_TYPE, SERVICE_NODE_TYPE = "node-type", "service-node-type"
"""Formats that :mod:`tools.spec.build` replaces by a reference to the names in the catalog."""

_AS_TYPED = BeforeValidator(validators.as_typed, json_schema_input_type=str | int | float)

Text = Annotated[str, _AS_TYPED]
"""A string; a bare number becomes its original text."""

_TAG = Annotated[str, Field(max_length=256)]
TagKey = Annotated[str, Field(min_length=1, max_length=128)]
TagValue = Annotated[
    _TAG, BeforeValidator(validators.as_typed, json_schema_input_type=_TAG | int | float)
]
SlurmVersion = Annotated[str, Field(pattern=patterns.SLURM_VERSION.regex), _AS_TYPED]
BatchSize = Annotated[str, Field(pattern=patterns.BATCH.regex), _AS_TYPED]
"""A number of nodes, or a percentage."""

AlarmName = Annotated[str, Field(max_length=255, pattern=patterns.ALARM.regex), _AS_TYPED]
NodeNumbers = Annotated[str, Field(pattern=patterns.NODE_NUMBERS.regex), _AS_TYPED]
"""Some of a group's nodes: 1-8, or several such parts."""

KubernetesVersion = Annotated[str, Field(pattern=patterns.KUBERNETES_VERSION.regex), _AS_TYPED]

GiB = Annotated[int, BeforeValidator(validators.size), shaped(r"^[0-9.]+(GiB|TiB|PiB)$", "500GiB")]
"""A size, stored in GiB."""

_DURATION = r"^([0-9]+[dhms])+$|^([0-9]+-)?[0-9]+:[0-9]{2}:[0-9]{2}$"
DurationText = Annotated[str, shaped(_DURATION, "10m")]
LongSeconds = Annotated[int, BeforeValidator(validators.duration), shaped(_DURATION, "7d")]
"""A duration of days, stored in seconds."""

Seconds = Annotated[int, BeforeValidator(validators.duration), shaped(_DURATION, "10m")]
"""A duration, stored in seconds."""

_GRACE = Annotated[int, Field(ge=3, le=120)]
GraceMinutes = Annotated[
    _GRACE, BeforeValidator(validators.minutes, json_schema_input_type=_GRACE | DurationText)
]
"""A duration, stored in minutes; a bare number counts minutes."""

Moment = Annotated[
    str,
    BeforeValidator(validators.moment),
    shaped(
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"
        r"(Z|[+-][0-9]{2}:?[0-9]{2})$",
        "2026-12-10T11:30:00Z",
    ),
]
"""A date and time with an offset, stored in UTC."""

Cidr = Annotated[
    str, BeforeValidator(validators.network), shaped(r"^[0-9a-f.:]+(/[0-9]+)?$", "203.0.113.0/24")
]
"""An IPv4 or IPv6 block; a single address is a block of one."""

SshSource = Annotated[
    str,
    Field(pattern=patterns.SSH_SOURCE.regex),
    BeforeValidator(validators.source),
    shaped(r"^([0-9a-f.:]+(/[0-9]+)?|pl-[0-9a-f]+)$", "203.0.113.0/24"),
]
"""A block, or a prefix list."""

Block = Annotated[
    str,
    BeforeValidator(validators.network),
    BeforeValidator(validators.ipv4),
    shaped(r"^[0-9.]+/[0-9]+$", "10.42.0.0/16"),
]
"""A block of IPv4 addresses, of a VPC or subnet."""


NodeType = Annotated[str, WithJsonSchema({"type": "string", "format": NODE_TYPE})]
"""An EC2 instance type of nodes that every target has: the catalog has to know it."""

ServiceNodeType = Annotated[str, WithJsonSchema({"type": "string", "format": SERVICE_NODE_TYPE})]
"""An EC2 instance type of nodes that some services run themselves, and then ignore."""

Printable = Annotated[str, Field(pattern=patterns.PRINTABLE.regex)]
HostedZone = Annotated[str, Field(pattern=patterns.HOSTED_ZONE.regex)]
Proxy = Annotated[str, Field(pattern=patterns.PROXY.regex)]
BucketName = Annotated[str, Field(pattern=patterns.BUCKET_NAME.regex)]
VpcId = Annotated[str, Field(pattern=patterns.VPC.regex)]
SubnetId = Annotated[str, Field(pattern=patterns.SUBNET.regex)]
ElasticIpId = Annotated[str, Field(pattern=patterns.ELASTIC_IP.regex)]
SecurityGroupId = Annotated[str, Field(pattern=patterns.SECURITY_GROUP.regex)]
EksClusterName = Annotated[str, Field(pattern=patterns.EKS_CLUSTER.regex)]
StackName = Annotated[str, Field(pattern=patterns.STACK.regex)]
PcsClusterId = Annotated[str, Field(pattern=patterns.PCS_CLUSTER.regex)]
AmiId = Annotated[str, Field(pattern=patterns.AMI.regex)]
FileSystemId = Annotated[str, Field(pattern=patterns.FILE_SYSTEM.regex)]
EbsVolumeId = Annotated[str, Field(pattern=patterns.EBS_VOLUME.regex)]
FsxVolumeId = Annotated[str, Field(pattern=patterns.FSX_VOLUME.regex)]
ReservationId = Annotated[str, Field(pattern=patterns.RESERVATION.regex)]
KmsKey = Annotated[str, Field(pattern=patterns.KMS_KEY.regex)]
TrainingPlan = Annotated[str, Field(pattern=patterns.TRAINING_PLAN.regex)]
ReservationGroup = Annotated[str, Field(pattern=patterns.RESERVATION_GROUP.regex)]
EksClusterArn = Annotated[str, Field(pattern=patterns.EKS_CLUSTER_ARN.regex)]
DirectoryDomain = Annotated[str, Field(pattern=patterns.DIRECTORY_DOMAIN.regex)]
IamPrefix = Annotated[str, Field(pattern=patterns.IAM_PREFIX.regex)]
Secret = Annotated[str, Field(pattern=patterns.SECRET.regex)]
Topic = Annotated[str, Field(pattern=patterns.TOPIC.regex)]
Role = Annotated[str, Field(pattern=patterns.ROLE.regex)]
InstanceProfile = Annotated[str, Field(pattern=patterns.INSTANCE_PROFILE.regex)]
Principal = Annotated[str, Field(pattern=patterns.PRINCIPAL.regex)]
Source = Annotated[str, Field(pattern=patterns.SOURCE.regex)]
PolicyArn = Annotated[str, Field(pattern=patterns.POLICY.regex)]
S3Uri = Annotated[str, Field(pattern=patterns.BUCKET.regex)]
Name = Annotated[str, Field(pattern=patterns.NAME.regex)]
"""A name that all services accept, except for services with shorter limits."""

InstanceGroup = Annotated[str, Field(pattern=patterns.INSTANCE_GROUP.regex)]
"""The name of a cluster or of an instance group of HyperPod."""

BatchQueue = Annotated[str, Field(pattern=patterns.BATCH_QUEUE.regex)]
"""The name of a job queue of AWS Batch."""

MountPath = Annotated[str, Field(pattern=patterns.MOUNT.regex, max_length=200)]

Setting = Annotated[
    str, BeforeValidator(validators.setting, json_schema_input_type=str | int | float | bool)
]
"""A value of slurm.conf: any scalar, as text; a YAML boolean becomes Slurm's YES or NO."""

Settings = dict[str, Setting]
