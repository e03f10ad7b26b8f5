"""The forms of text that fields take: each as a pattern for machines and in words for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern, and what a text that matches it is."""

    pattern: str
    words: str


def _id(prefix: str, what: str) -> Shape:
    # Ids made before 2018 have eight digits.
    return Shape(
        rf"^{prefix}-([0-9a-f]{{8}}|[0-9a-f]{{17}})$", f"{what} such as {prefix}-0a1b2c3d4e5f67890"
    )


CLUSTER_NAME = Shape(
    r"^[a-z][a-z0-9-]{2,39}$",
    "a name of 3 to 40 lower-case letters, digits and -, the first a letter, such as llm-pretrain",
)
NAME = Shape(
    r"^[a-z][a-z0-9-]{0,39}$",
    "a name of up to 40 lower-case letters, digits and -, the first one a letter, such as h200",
)
LOGIN_NAME = Shape(
    r"^[a-z_][a-z0-9_-]{0,31}$",
    "a name of up to 32 lower-case letters, digits, - and _, the first one a letter, such as alice",
)
VPC = _id("vpc", "a VPC id")
SUBNET = _id("subnet", "a subnet id")
SECURITY_GROUP = _id("sg", "a security group id")
AMI = _id("ami", "an AMI id")
FILE_SYSTEM = Shape(
    r"^(fs|fc)-[0-9a-f]{8,40}$", "a file system or cache id such as fs-0a1b2c3d4e5f67890"
)
VOLUME = Shape(
    r"^(fsvol|vol)-([0-9a-f]{8}|[0-9a-f]{17})$", "a volume id such as vol-0a1b2c3d4e5f67890"
)
RESERVATION = Shape(
    r"^cr-[0-9a-f]{8,17}$", "the id of a reservation or Capacity Block such as cr-0a1b2c3d4e5f67890"
)
ARN = Shape(
    r"^arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:[0-9]*:.+$",
    "an ARN, arn:aws:service:region:account:resource",
)
PRINCIPAL = Shape(
    r"^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/.+$",
    "the ARN of an IAM role or user, arn:aws:iam::111122223333:role/admin",
)
BUCKET = Shape(
    r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$", "a place in S3, s3://bucket/prefix"
)
SCRIPT = Shape(
    r"^(s3|https)://[^\s]+$", "a URL that nodes can read: s3://bucket/setup.sh or https://..."
)
MOUNT = Shape(r"^/[A-Za-z0-9._/-]*$", "an absolute path such as /fsx")
MOUNT_NAME = Shape(r"^[A-Za-z0-9_-]{1,8}$", "the MountName that FSx gives, up to 8 characters")
SHA256 = Shape(r"^[0-9a-f]{64}$", "a checksum of 64 lower-case hexadecimal digits")
SSH_KEY = Shape(
    r"^(ssh-|ecdsa-|sk-)[^\r\n]+$", "a public key in one line, such as ssh-ed25519 AAAA..."
)
HOST = Shape(
    r"^[A-Za-z0-9.-]+$", "a host name such as slurm.cluster-abc.us-east-1.rds.amazonaws.com"
)
DATABASE = Shape(r"^[0-9a-z_]{1,64}$", "a name of up to 64 lower-case letters, digits and _")
SLURM_VERSION = Shape(r"^[0-9]{2}\.[0-9]{2}$", 'a version, year and month, such as "25.11"')
BATCH = Shape(
    r"^([1-9][0-9]{0,3}|[1-9][0-9]?%|100%)$", 'a number of nodes or a part of the group: 2 or "10%"'
)
ALARM = Shape(r"^\S(.*\S)?$", "the name of an alarm, on one line")
KUBERNETES_VERSION = Shape(r"^1\.[0-9]{2}$", 'a minor version such as "1.35"')

_ALL = (
    CLUSTER_NAME,
    NAME,
    LOGIN_NAME,
    VPC,
    SUBNET,
    SECURITY_GROUP,
    AMI,
    FILE_SYSTEM,
    VOLUME,
    RESERVATION,
    ARN,
    PRINCIPAL,
    BUCKET,
    SCRIPT,
    MOUNT,
    MOUNT_NAME,
    SHA256,
    SSH_KEY,
    HOST,
    DATABASE,
    SLURM_VERSION,
    BATCH,
    ALARM,
    KUBERNETES_VERSION,
)

WORDS = {shape.pattern: shape.words for shape in _ALL}
"""Words by pattern."""
