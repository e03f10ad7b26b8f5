"""The patterns that text fields match, each with a description for messages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression, and a description of matching text."""

    regex: str
    description: str


def _id(prefix: str, what: str) -> Pattern:
    # Ids from before 2018 have eight digits.
    return Pattern(
        rf"^{prefix}-([0-9a-f]{{8}}|[0-9a-f]{{17}})$", f"{what} such as {prefix}-0a1b2c3d4e5f67890"
    )


def _iam(kind: str, what: str, example: str, account: str = "[0-9]{12}") -> Pattern:
    """An ARN of IAM, with a path; ``*`` and ``?`` in it would mean several in a policy.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    """
    return Pattern(
        rf"^arn:aws[a-z-]*:iam::{account}:{kind}/([!-)+->@-~]{{1,510}}/)?[A-Za-z0-9_+=,.@-]{{1,128}}$",
        f"the ARN of {what}, arn:aws:iam::111122223333:{kind.strip('()').split('|')[0]}/{example}",
    )


def _arn(service: str, resource: str, what: str, example: str) -> Pattern:
    return Pattern(
        rf"^arn:aws[a-z-]*:{service}:[a-z0-9-]+:[0-9]{{12}}:{resource}$",
        f"the ARN of {what}, arn:aws:{service}:us-east-1:111122223333:{example}",
    )


# What any target accepts; LIM001 holds a name to the form of each target.
CLUSTER_NAME = Pattern(
    r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$", "a name of letters, digits, - and _, such as llm-pretrain"
)
NAME = Pattern(
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$", "a name of letters, digits, -, _ and ., such as h200"
)
INSTANCE_GROUP = Pattern(
    r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$",
    "a name of up to 63 letters, digits and -, such as controller",
)
BATCH_QUEUE = Pattern(
    r"^[a-zA-Z0-9][a-zA-Z0-9_-]{0,127}$",
    "a name of up to 128 letters, digits, - and _, the first one a letter or digit",
)
LOGIN_NAME = Pattern(
    r"^[a-z_][a-z0-9_-]{0,31}$",
    "a name of up to 32 lower-case letters, digits, - and _, the first one a letter, such as alice",
)
SLURM_NAME = Pattern(
    r"^[a-z][a-z0-9_-]{0,39}$",
    "a name of up to 40 lower-case letters, digits, - and _, the first one a letter, such as "
    "vision",
)
VPC = _id("vpc", "a VPC id")
SUBNET = _id("subnet", "a subnet id")
ELASTIC_IP = _id("eipalloc", "the allocation id of an Elastic IP address")
SECURITY_GROUP = _id("sg", "a security group id")
# https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html
EKS_CLUSTER = Pattern(r"^[0-9A-Za-z][A-Za-z0-9\-_]{0,99}$", "the name of an EKS cluster")
STACK = Pattern(r"^[A-Za-z][A-Za-z0-9-]{0,127}$", "the name of a CloudFormation stack")
PCS_CLUSTER = Pattern(r"^pcs_[a-zA-Z0-9]{1,40}$", "the id of a PCS cluster such as pcs_0a1b2c3d4e")
AMI = _id("ami", "an AMI id")
FILE_SYSTEM = Pattern(
    r"^(fs|fc)-[0-9a-f]{8,40}$", "a file system or cache id such as fs-0a1b2c3d4e5f67890"
)
EBS_VOLUME = _id("vol", "an EBS volume id")
FSX_VOLUME = _id("fsvol", "the id of an FSx volume")
RESERVATION = Pattern(
    r"^cr-[0-9a-f]{8,17}$", "the id of a reservation or Capacity Block such as cr-0a1b2c3d4e5f67890"
)
ROLE = _iam("role", "an IAM role", "nodes")
INSTANCE_PROFILE = _iam("instance-profile", "an instance profile", "nodes")
PRINCIPAL = _iam("(role|user)", "an IAM role or user", "admin")
# https://docs.aws.amazon.com/efs/latest/ug/API_CreateFileSystem.html has the same form.
KMS_KEY = _arn(
    "kms",
    "(key/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})|alias/[a-zA-Z0-9/_-]+)",
    "a KMS key or its alias",
    "key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789",
)
# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingPlan.html
TRAINING_PLAN = _arn(
    "sagemaker",
    "training-plan/[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}",
    "a training plan",
    "training-plan/p5en-december",
)
# https://docs.aws.amazon.com/ARG/latest/APIReference/API_GetGroup.html
RESERVATION_GROUP = _arn(
    "resource-groups",
    "group/([a-zA-Z0-9_.-]{1,300}|[a-zA-Z0-9_.-]{1,150}/[a-z0-9]{26})",
    "a resource group",
    "group/reserved",
)
EKS_CLUSTER_ARN = _arn(
    "eks", r"cluster/[0-9A-Za-z][A-Za-z0-9\-_]{0,99}", "an EKS cluster", "cluster/platform"
)
# Names of secrets that services manage have a "!".
SECRET = Pattern(
    r"^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@!-]{1,520}$",
    "the ARN of a secret, arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3",
)
# https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html
TOPIC = _arn("sns", r"[A-Za-z0-9_-]{1,256}(\.fifo)?", "an SNS topic", "pages")
EMAIL = Pattern(
    r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+([.][A-Za-z0-9-]+)+$",
    "an e-mail address such as on-call@example.com",
)
WORKSPACE = Pattern(
    r"^(new|ws-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$",
    "new, or the id of a workspace such as ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789",
)
BUCKET_NAME = Pattern(r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", "the name of a bucket")
HOSTED_ZONE = Pattern(r"^[A-Z0-9]{4,32}$", "the id of a hosted zone, such as Z0123456789ABCDEFGHIJ")
BUCKET = Pattern(
    r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$", "a place in S3, s3://bucket/prefix"
)
# Keys of objects in S3 may have spaces; what downloads from other servers does not take them.
SCRIPT = Pattern(
    r"^(s3://[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?|https://[^\s]+)$",
    "a URL that nodes can read: s3://bucket/setup.sh or https://...",
)
SOURCE = Pattern(
    r"^([0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}|pl-([0-9a-f]{8}|[0-9a-f]{17}))$",
    "an IPv4 block or a prefix list, such as 203.0.113.0/24 or pl-0a1b2c3d4e5f67890",
)
SSH_SOURCE = Pattern(
    r"^([0-9a-f.:]+/[0-9]+|pl-([0-9a-f]{8}|[0-9a-f]{17}))$",
    "a block or a prefix list, such as 203.0.113.0/24 or pl-0a1b2c3d4e5f67890",
)
MOUNT = Pattern(r"^/[A-Za-z0-9._/-]*$", "an absolute path such as /fsx")
MOUNT_NAME = Pattern(r"^[A-Za-z0-9_-]{1,8}$", "the MountName that FSx gives, up to 8 characters")
SHA256 = Pattern(r"^[0-9a-f]{64}$", "a checksum of 64 lower-case hexadecimal digits")
SSH_KEY = Pattern(
    r"^(ssh-|ecdsa-|sk-)[^\r\n]+$",
    "a public key in one line, such as ssh-ed25519 AAAA... (paste the content of the file)",
)
REGISTRY = Pattern(
    r"^[a-z0-9-]+(\.[a-z0-9-]+)+(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$",
    "a registry without https://, such as 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror",
)
PROXY = Pattern(r"^https?://[^\s/]+:[0-9]{1,5}$", "an address such as http://10.42.0.10:3128")
POLICY = _iam("policy", "a managed policy", "team-data", "([0-9]{12}|aws)")
SNAPSHOT = _id("snap", "an EBS snapshot id")
STORAGE_NAME = Pattern(
    r"^[A-Za-z0-9_+=.:@/-]{1,30}$", "a name of up to 30 letters, digits and -, _, +, =, ., :, @, /"
)
HOST = Pattern(
    r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,253}[A-Za-z0-9])?$",
    "a host name such as slurm.cluster-abc.us-east-1.rds.amazonaws.com",
)
DATABASE_USER = Pattern(r"^[A-Za-z0-9._@$-]{1,80}$", "the name of a database user, such as slurm")
PRINTABLE = Pattern(
    r"^[!-~]([ -~]{0,253}[!-~])?$", "a name of up to 255 ASCII characters on one line"
)
DIRECTORY_DOMAIN = Pattern(
    r"^([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|(DC|dc)=[A-Za-z0-9_-]+(,(DC|dc)=[A-Za-z0-9_-]+)*)$",
    "a domain such as corp.example.com or dc=corp,dc=example,dc=com",
)
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Iam-v3.html#yaml-Iam-ResourcePrefix
IAM_PREFIX = Pattern(
    r"^(/[A-Za-z0-9_.,+@=/-]{1,510}/)?[A-Za-z0-9_.,+@=-]{0,30}$",
    "a path, a prefix of up to 30 characters, or both: /teams/ml/, ml- or /teams/ml/gpu-",
)
DATABASE = Pattern(r"^[0-9a-z_]{1,64}$", "a name of up to 64 lower-case letters, digits and _")
SLURM_VERSION = Pattern(r"^[0-9]{2}\.[0-9]{2}$", 'a version, year and month, such as "25.11"')
NODE_NUMBERS = Pattern(
    r"^[1-9][0-9]{0,5}(-[1-9][0-9]{0,5})?(,[1-9][0-9]{0,5}(-[1-9][0-9]{0,5})?)*$",
    'a list of node numbers, which begin at 1, such as 1-8 or "1-4,9"',
)
BATCH = Pattern(
    r"^([1-9][0-9]{0,3}|[1-9][0-9]?%|100%)$", 'a number of nodes or a part of the group: 2 or "10%"'
)
ALARM = Pattern(r"^\S(.*\S)?$", "the name of an alarm, on one line")
ADDON = Pattern(r"^[a-z0-9][a-z0-9_-]{0,99}$", "the name of an add-on, such as vpc-cni")
ADDON_VERSION = Pattern(
    r"^v?[0-9]\S{0,99}$", "the version of an add-on, such as v1.19.2-eksbuild.1"
)
KUBERNETES_VERSION = Pattern(r"^1\.[0-9]{2}$", 'a minor version such as "1.35"')

ID_KINDS = ("vpc", "subnet", "sg", "ami", "fs", "vol", "fsvol", "cr")
"""What the ids in specs begin with."""
DESCRIPTIONS = {
    each.regex: each.description for each in tuple(globals().values()) if isinstance(each, Pattern)
}
"""Descriptions by regular expression."""

_ID = "0" * 17
EXAMPLES = {
    CLUSTER_NAME.regex: "unnamed",
    NAME.regex: "unnamed",
    LOGIN_NAME.regex: "unnamed",
    VPC.regex: f"vpc-{_ID}",
    SUBNET.regex: f"subnet-{_ID}",
    ELASTIC_IP.regex: f"eipalloc-{_ID}",
    SECURITY_GROUP.regex: f"sg-{_ID}",
    EKS_CLUSTER.regex: "platform",
    PCS_CLUSTER.regex: "pcs_0a1b2c3d4e",
    AMI.regex: f"ami-{_ID}",
    FILE_SYSTEM.regex: f"fs-{_ID}",
    EBS_VOLUME.regex: f"vol-{_ID}",
    FSX_VOLUME.regex: f"fsvol-{_ID}",
    RESERVATION.regex: f"cr-{_ID}",
    SECRET.regex: "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3",
    BUCKET.regex: "s3://bucket",
    SCRIPT.regex: "s3://bucket/script.sh",
    MOUNT.regex: "/unnamed",
    SSH_KEY.regex: "ssh-ed25519 AAAA",
    HOST.regex: "host.example.com",
    SLURM_VERSION.regex: "25.11",
    KUBERNETES_VERSION.regex: "1.35",
}
"""Matching texts by regular expression, for required keys and keys on which other places depend."""
