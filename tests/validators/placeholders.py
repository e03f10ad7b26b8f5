"""Plausible values for the `${Name}` placeholders of a rendered document. Standard library only.

A rendered document refers to the foundation by output name. Before a validator reads it,
each placeholder gets a value of the right form, chosen by its name and the same in every run.
"""

import hashlib
import re
from collections.abc import Callable, Mapping

from tests.validators.partitions import dns_suffix_of, partition_of

ACCOUNT_ID = "123456789012"

_PLACEHOLDER = re.compile(r"\$\{([A-Za-z][A-Za-z0-9]*)\}")


def names_in(text: str) -> list[str]:
    """The placeholder names of `text`, each once, in order of appearance."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(text)))


def fill(text: str, outputs: Mapping[str, str] | None = None, region: str = "us-east-1") -> str:
    """`text` with every placeholder replaced, from `outputs` where it has the name.

    Raises `LookupError` for a name that says nothing of the kind of value it stands for.
    """
    given = outputs or {}
    return _PLACEHOLDER.sub(lambda m: given.get(m[1]) or value_for(m[1], region), text)


def value_for(name: str, region: str = "us-east-1") -> str:
    """A value of the form that `name` promises: `PrivateSubnetId` gives `subnet-0...`."""
    for pattern, make in _KINDS:
        if re.search(pattern, name):
            return make(name, region)
    raise LookupError(f"no kind of value is known for the placeholder ${{{name}}}")


def resource_id(prefix: str, seed: str) -> str:
    """An id such as `subnet-0` and 16 hexadecimal digits, made from `seed`."""
    return f"{prefix}-0{hashlib.sha256(seed.encode()).hexdigest()[:16]}"


_Make = Callable[[str, str], str]


def _id(prefix: str) -> _Make:
    return lambda name, region: resource_id(prefix, name)


def _arn(service: str, resource: str, regional: bool = False) -> _Make:
    def make(name: str, region: str) -> str:
        where = region if regional else ""
        return f"arn:{partition_of(region)}:{service}:{where}:{ACCOUNT_ID}:{resource.format(name)}"

    return make


def _dns_name(name: str, region: str) -> str:
    # The id is that of the sibling output, so that a document stays consistent with itself.
    file_system = value_for(re.sub(r"DnsName$", "Id", name), region)
    return f"{file_system}.fsx.{region}.{dns_suffix_of(region)}"


def _bucket(name: str, region: str) -> str:
    return f"{name.lower()}-{ACCOUNT_ID}-{region}"


def _mount_name(name: str, region: str) -> str:
    digits = hashlib.sha256(name.encode()).hexdigest()[:8]
    return digits.translate(str.maketrans("0123456789", "ghijklmnop"))


# First match wins: the more particular names stand first.
_KINDS: tuple[tuple[str, _Make], ...] = (
    (r"WorkspaceId$", lambda name, region: "ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"),
    (r"TopicArn$", _arn("sns", "{}", regional=True)),
    (r"^NodesOf", lambda _name, _region: "0"),
    (r"^EksClusterArn$", _arn("eks", "cluster/training", regional=True)),
    (r"^HyperPodClusterArn$", _arn("sagemaker", "cluster/0a1b2c3d4e5f", regional=True)),
    (r"ComputeEnvironment.*Arn$", _arn("batch", "compute-environment/{}", regional=True)),
    (r"^ClusterId$", lambda _name, _region: "pcs_0a1b2c3d4e"),
    (r"InstanceProfileArn$", _arn("iam", "instance-profile/AWSPCS-{}")),
    (r"Role[A-Za-z0-9]*Arn$", _arn("iam", "role/{}")),
    (r"PolicyArn$", _arn("iam", "policy/{}")),
    (r"SecretArn$", _arn("secretsmanager", "secret:{}-AbCdEf", regional=True)),
    (r"LogGroupArn$", _arn("logs", "log-group:/clusters/{}", regional=True)),
    (r"DnsName$", _dns_name),
    (r"^Storage.*Address$", lambda _name, _region: "10.0.1.20"),
    (r"MountName$", _mount_name),
    (
        r"BucketArn$",
        lambda name, region: f"arn:{partition_of(region)}:s3:::{_bucket(name, region)}",
    ),
    (r"Bucket(Name)?$", _bucket),
    (r"VolumeId$", _id("fsvol")),
    (r"SecurityGroup(Id)?$", _id("sg")),
    (r"Subnet.*Id$|SubnetId", _id("subnet")),
    (r"Vpc(Id)?$", _id("vpc")),
    (r"^Storage.*Id$", _id("fs")),
    (r"(Role|InstanceProfile|Key|LogGroup|Cluster)Name$", lambda name, region: name),
)
