"""Options of ParallelCluster: ``targets.parallelcluster``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from clustergen.plan.model import Existing
from clustergen.services.aws.options import Instances
from clustergen.spec.options import option

if TYPE_CHECKING:
    from clustergen.spec.base import (
        BucketName,
        DirectoryDomain,
        ElasticIpId,
        GraceMinutes,
        HostedZone,
        IamPrefix,
        Name,
        PolicyArn,
        Proxy,
        Seconds,
        Secret,
        Source,
        Text,
    )
    from clustergen.spec.model import Spec


@dataclass(frozen=True, slots=True)
class Dcv:
    """Amazon DCV: desktops on head or login nodes."""

    port: int = option(8443, "TCP port.", ge=1, le=65535)
    allowed_from: Source | None = option(
        None, "CIDR block or prefix list that can connect; default: 0.0.0.0/0, everyone."
    )


@dataclass(frozen=True, slots=True)
class Directory:
    """An Active Directory or LDAP server whose users can log in."""

    domain: DirectoryDomain = option(
        ..., "Domain name, corp.example.com or dc=corp,dc=example,dc=com."
    )
    address: str = option(..., "Address of its servers, ldaps://corp.example.com.")
    secret: Secret = option(..., "ARN of the secret that has the password of read_only_user.")
    read_only_user: str = option(..., "Distinguished name of the user who searches it.")
    ca_certificate: str | None = option(None, "Path of the CA certificates on the nodes.")
    require_certificate: Literal["never", "allow", "try", "demand", "hard"] = option(
        "hard", "What to do if the certificate of a server is not valid."
    )
    access_filter: str | None = option(None, "LDAP filter of users who may log in.")
    ssh_keys: bool = option(True, "Create SSH keys for users at the first login.")
    sssd: Mapping[str, Text | bool] = option({}, "Further settings of SSSD.")


@dataclass(frozen=True, slots=True)
class Dns:
    """Names of nodes."""

    managed: bool = option(True, "Keep records of all nodes in Route 53.")
    ec2_hostnames: bool = option(False, "Use EC2's host names.")
    hosted_zone: HostedZone | None = option(None, "Existing hosted zone of Route 53.")


@dataclass(frozen=True, slots=True)
class LoginPool:
    """The pool of login nodes: its name, grace time and desktops."""

    name: Name = option("login", "Its name.")
    grace_time: GraceMinutes = option(
        10,
        "Time between the notice to users and the end of a node, 3m to 2h; a number without a unit "
        "means minutes.",
    )
    dcv: Dcv | None = option(None, "Amazon DCV on these nodes; default: off.", of=Dcv)


@dataclass(frozen=True, slots=True)
class FurtherLoginPool(LoginPool):
    """A further pool of login nodes, besides that of login."""

    EXTENDS: ClassVar = "LoginNodes"

    name: Name = option(..., "Its name.")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long ParallelCluster waits for nodes."""

    head_node: Seconds | None = option(
        None, "How long until the head node is set up, scripts included; default: 35m."
    )
    nodes: Seconds | None = option(None, "How long until a compute node is set up; default: 35m.")


@dataclass(frozen=True, slots=True)
class DefaultUser:
    """The user of the image, such as ubuntu."""

    sudo: bool = option(True, "Whether the user may become root.")
    home: Literal["shared", "local"] = option(
        "shared", "Whether all nodes share the home directory, or each has its own."
    )


@dataclass(frozen=True, slots=True)
class Options(Instances):
    """AWS ParallelCluster."""

    SECTION: ClassVar = "ParallelCluster"

    version: Literal["3.16.1"] = option("3.16.1", "ParallelCluster version.")
    scaling_strategy: Literal["all-or-nothing", "greedy-all-or-nothing", "best-effort"] = option(
        "all-or-nothing", "What to do when not all nodes of a job are available."
    )
    queue_update_strategy: Literal["drain", "compute-fleet-stop", "terminate"] = option(
        "drain", "How updates are applied to running nodes."
    )
    leave_out: tuple[
        Literal[
            "hook",
            "script-access",
            "security-groups",
            "session-manager",
            "default-queue",
            "efs-tls",
            "service-groups",
        ],
        ...,
    ] = option(
        [],
        "What clustergen adds, and you leave out. hook: the script that runs changed scripts of "
        "head and login nodes again; script-access: permission to read scripts in S3; "
        "security-groups: those of the foundation; session-manager: shells on nodes without SSH; "
        "default-queue: Default=YES or NO of queues; efs-tls: encryption of EFS in transit; "
        "service-groups: the security groups of ParallelCluster, so that nodes have only yours.",
    )
    own_security_groups: tuple[str, ...] = option(
        [],
        "Nodes with only their own `security_groups`, without those of ParallelCluster and of "
        "every node: head, login, or names of node groups.",
    )
    permissions_boundary: PolicyArn | None = option(
        None,
        "IAM permissions boundary of the roles that ParallelCluster creates; default: that of the "
        "spec.",
    )
    resource_prefix: IamPrefix | None = option(
        None, "Path or prefix of the names of these roles, /teams/ml/ or ml-."
    )
    timeouts: Timeouts = option(Timeouts, "How long to wait for nodes.")
    default_user: DefaultUser = option(DefaultUser, "The user of the image.")
    login_pool: LoginPool = option(LoginPool, "The pool of login nodes.")
    more_login_pools: tuple[FurtherLoginPool, ...] = option(
        [], "Further pools of login nodes.", of=FurtherLoginPool
    )
    dcv: Dcv | None = option(None, "Amazon DCV on the head node; default: off.", of=Dcv)
    elastic_ip: bool | ElasticIpId | None = option(
        None,
        "Elastic IP address of the head node: true for a new one, false for none, or the id of an "
        "existing one (eipalloc-...); default: a new one in a public subnet.",
    )
    directory: Directory | None = option(
        None, "Active Directory or LDAP server of the users who log in.", of=Directory
    )
    dns: Dns | None = option(None, "Names of nodes; default: those of ParallelCluster.", of=Dns)
    proxy: Proxy | None = option(
        None, "HTTP proxy through which nodes reach AWS, http://10.42.0.10:3128."
    )
    shared_folders: Literal["ebs", "efs"] = option(
        "ebs",
        "Where /opt/slurm and other folders that ParallelCluster shares are: on the head node's "
        "volume, or on EFS.",
    )
    bucket: BucketName | None = option(None, "Bucket for ParallelCluster's files.")
    memory_scheduling: bool = option(False, "Schedule jobs by memory, too.")
    imds_for_all: bool = option(
        False, "Let all users of the head node read its credentials, not only root."
    )

    def unneeded(self, spec: Spec) -> frozenset[str]:
        """See :meth:`clustergen.plan.model.Options.unneeded`."""
        scripts = self.leaves_out("hook") and self.leaves_out("script-access")
        unneeded = {
            "security-groups": self.leaves_out("security-groups") and not _creates_storage(spec),
            "scripts": scripts and not _has_scripts(spec),
            "sessions": self.leaves_out("session-manager"),
        }
        return frozenset(name for name, nothing_uses_it in unneeded.items() if nothing_uses_it)

    @property
    def existing(self) -> Existing:
        """See :attr:`clustergen.plan.model.Options.existing`."""
        return self._existing(
            named={
                "key_name": self.key_name,
                "directory.secret": self.directory.secret if self.directory else None,
                "bucket": self.bucket,
                "permissions_boundary": self.permissions_boundary,
            }
        )


def _creates_storage(spec: Spec) -> bool:
    """Whether the foundation creates file systems, which admit its security groups."""
    return any(
        item.type in ("fsx-lustre", "fsx-openzfs", "efs")
        and item.existing is None
        and getattr(item, "created_by", "foundation") == "foundation"
        for item in spec.storage
    )


def _has_scripts(spec: Spec) -> bool:
    """Whether nodes run scripts of clustergen, from its bucket."""
    return bool(
        spec.users
        or spec.software.containers != "none"
        or any(script.sha256 for script in spec.software.scripts)
        or spec.slurm.accounting != "off"
        or spec.monitoring.metrics != "none"
        or any(getattr(item, "efa", False) for item in spec.storage)
    )
