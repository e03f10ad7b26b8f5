"""``targets``: options that only one target has, and ``overlay``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from clustergen.spec import patterns, validators
from clustergen.spec.base import (
    AlarmName,
    Arn,
    BatchQueue,
    BatchSize,
    EksClusterName,
    ElasticIpId,
    GraceMinutes,
    InstanceGroup,
    LongSeconds,
    Name,
    PcsClusterId,
    PolicyArn,
    S3Uri,
    Seconds,
    Section,
    SecurityGroupId,
    Source,
    Text,
)
from clustergen.spec.nodes import LoginNodes


class Target(Section):
    """Options of every target."""

    overlay: dict[str, Any] = Field(
        {},
        description="Merged into the document rendered for the target, which is then checked "
        "again.",
    )


class Instances(Target):
    """Options of targets whose nodes are EC2 instances in the account."""

    key_name: str | None = Field(
        None, pattern=patterns.PRINTABLE.regex, description="EC2 key pair of the nodes."
    )
    detailed_monitoring: bool = Field(
        False, description="Metrics of EC2 instances each minute rather than every 5."
    )
    imds: Literal["v1.0", "v2.0"] = Field(
        "v2.0", description="Oldest version of the instance metadata service that nodes offer."
    )


class LaunchTemplates(Instances):
    """Options of targets that start instances from launch templates of the bundle."""

    imds_hops: int | None = Field(
        None,
        ge=1,
        le=64,
        description="Network hops at which the metadata service responds: 1 for the node alone, 2 "
        "for its containers too; default: by the target.",
    )


_LEFT_OUT = (
    "What clustergen adds, and you leave out. security-groups: those of the foundation, on nodes "
    "that have their own; session-manager: shells on nodes without SSH"
)


class Dcv(Section):
    """Amazon DCV: desktops on head or login nodes."""

    port: int = Field(8443, ge=1, le=65535, description="TCP port.")
    allowed_from: Source | None = Field(
        None,
        description="CIDR block or prefix list that can connect; default: 0.0.0.0/0, everyone.",
    )


class Directory(Section):
    """An Active Directory or LDAP server whose users can log in."""

    domain: str = Field(description="Domain name, corp.example.com or dc=corp,dc=example,dc=com.")
    address: str = Field(description="Address of its servers, ldaps://corp.example.com.")
    secret: Arn = Field(description="ARN of the secret that has the password of read_only_user.")
    read_only_user: str = Field(description="Distinguished name of the user who searches it.")
    ca_certificate: str | None = Field(
        None, description="Path of the CA certificates on the nodes."
    )
    require_certificate: Literal["never", "allow", "try", "demand", "hard"] = Field(
        "hard", description="What to do if the certificate of a server is not valid."
    )
    access_filter: str | None = Field(None, description="LDAP filter of users who may log in.")
    ssh_keys: bool = Field(True, description="Create SSH keys for users at the first login.")
    sssd: dict[str, Text | bool] = Field({}, description="Further settings of SSSD.")


class Dns(Section):
    """Names of nodes."""

    managed: bool = Field(True, description="Keep records of all nodes in Route 53.")
    ec2_hostnames: bool = Field(False, description="Use EC2's host names.")
    hosted_zone: str | None = Field(
        None, pattern=patterns.HOSTED_ZONE.regex, description="Existing hosted zone of Route 53."
    )


class LoginPool(Section):
    """The pool of login nodes: its name, grace time and desktops."""

    name: Name = Field("login", description="Its name.")
    grace_time: GraceMinutes = Field(
        10,
        description="Time between the notice to users and the end of a node, 3m to 2h; a number "
        "without a unit means minutes.",
    )
    dcv: Dcv | None = Field(None, description="Amazon DCV on these nodes; default: off.")


class FurtherLoginPool(LoginNodes, LoginPool):
    """A further pool of login nodes, besides that of login."""

    name: Name = Field(description="Its name.")


class Timeouts(Section):
    """How long ParallelCluster waits for nodes."""

    head_node: Seconds | None = Field(
        None,
        description="How long until the head node is set up, scripts included; default: 35m.",
    )
    nodes: Seconds | None = Field(
        None, description="How long until a compute node is set up; default: 35m."
    )


class DefaultUser(Section):
    """The user of the image, such as ubuntu."""

    sudo: bool = Field(True, description="Whether the user may become root.")
    home: Literal["shared", "local"] = Field(
        "shared", description="Whether all nodes share the home directory, or each has its own."
    )


class ParallelCluster(Instances):
    """AWS ParallelCluster."""

    version: Literal["3.16.1"] = Field("3.16.1", description="ParallelCluster version.")
    scaling_strategy: Literal["all-or-nothing", "greedy-all-or-nothing", "best-effort"] = Field(
        "all-or-nothing", description="What to do when not all nodes of a job are available."
    )
    queue_update_strategy: Literal["drain", "compute-fleet-stop", "terminate"] = Field(
        "drain", description="How updates are applied to running nodes."
    )
    leave_out: list[
        Literal[
            "hook",
            "script-access",
            "security-groups",
            "session-manager",
            "default-queue",
            "efs-tls",
            "service-groups",
        ]
    ] = Field(
        [],
        description="What clustergen adds, and you leave out. hook: the script that runs changed "
        "scripts of head and login nodes again; script-access: permission to read scripts in S3; "
        "security-groups: those of the foundation; session-manager: shells on nodes without SSH; "
        "default-queue: Default=YES or NO of queues; efs-tls: encryption of EFS in transit; "
        "service-groups: the security groups of ParallelCluster, so that nodes have only yours.",
    )
    own_security_groups: list[str] = Field(
        [],
        description="Nodes with only their own `security_groups`, without those of ParallelCluster "
        "and of every node: head, login, or names of node groups.",
    )
    permissions_boundary: PolicyArn | None = Field(
        None, description="IAM permissions boundary of the roles that ParallelCluster creates."
    )
    resource_prefix: str | None = Field(
        None,
        pattern=patterns.PRINTABLE.regex,
        description="Path or prefix of the names of these roles, /teams/ml/ or ml-.",
    )
    timeouts: Timeouts = Field(Timeouts.absent(), description="How long to wait for nodes.")
    default_user: DefaultUser = Field(DefaultUser.absent(), description="The user of the image.")
    login_pool: LoginPool = Field(LoginPool.absent(), description="The pool of login nodes.")
    more_login_pools: list[FurtherLoginPool] = Field(
        [], description="Further pools of login nodes."
    )
    dcv: Dcv | None = Field(None, description="Amazon DCV on the head node; default: off.")
    elastic_ip: bool | ElasticIpId | None = Field(
        None,
        description="Elastic IP address of the head node: true for a new one, false for none, "
        "or the id of an existing one (eipalloc-...); default: a new one in a public subnet.",
    )
    directory: Directory | None = Field(
        None, description="Active Directory or LDAP server of the users who log in."
    )
    dns: Dns | None = Field(None, description="Names of nodes; default: those of ParallelCluster.")
    proxy: str | None = Field(
        None,
        pattern=patterns.PROXY.regex,
        description="HTTP proxy through which nodes reach AWS, http://10.42.0.10:3128.",
    )
    shared_folders: Literal["ebs", "efs"] = Field(
        "ebs",
        description="Where /opt/slurm and other folders that ParallelCluster shares are: on the "
        "head node's volume, or on EFS.",
    )
    bucket: str | None = Field(
        None, pattern=patterns.BUCKET_NAME.regex, description="Bucket for ParallelCluster's files."
    )
    memory_scheduling: bool = Field(False, description="Schedule jobs by memory, too.")
    imds_for_all: bool = Field(
        False, description="Let all users of the head node read its credentials, not only root."
    )


class Pcs(LaunchTemplates):
    """AWS Parallel Computing Service."""

    cluster: Literal["new"] | PcsClusterId = Field(
        "new",
        description="`new`, or the id of an existing cluster, to which node groups and queues are "
        "added.",
    )
    cluster_security_group: SecurityGroupId | None = Field(
        None,
        description="Security group of the existing cluster; traffic between it and the new "
        "security group of the nodes is allowed.",
    )
    size: Literal["auto", "small", "medium", "large"] = Field(
        "auto", description="Controller size; auto: the smallest that supports the number of nodes."
    )
    rest: bool = Field(False, description="Enable the Slurm REST API.")
    purge_accounting: LongSeconds | None = Field(
        None, description="Retention time of job records, in whole days."
    )
    leave_out: list[Literal["security-groups", "session-manager"]] = Field(
        [], description=f"{_LEFT_OUT}."
    )


class Lifecycle(Section):
    """Lifecycle scripts of your own, in place of those of the bundle."""

    source: S3Uri = Field(description="Folder in S3 that nodes download, s3://bucket/folder.")
    on_create: str | None = Field(
        None,
        max_length=128,
        pattern=patterns.PRINTABLE.regex,
        description="Script of the folder that sets nodes up; with Slurm, in place of HyperPod.",
    )
    on_init_complete: str | None = Field(
        None,
        max_length=128,
        pattern=patterns.PRINTABLE.regex,
        description="Script of the folder that runs after HyperPod has set Slurm up.",
    )

    _one_script = model_validator(mode="after")(validators.one_lifecycle_script)


class HyperPod(Target):
    """Options of HyperPod with Slurm and with EKS."""

    cluster: Literal["new"] | InstanceGroup = Field(
        "new",
        description="`new`, or the name of an existing cluster, to which instance groups are "
        "added.",
    )
    cluster_security_group: SecurityGroupId | None = Field(
        None,
        description="Security group of the nodes of the existing cluster; the added nodes get it, "
        "too.",
    )
    lifecycle: Lifecycle | None = Field(
        None, description="Your own lifecycle scripts; default: those of the bundle."
    )
    provisioning: Literal["continuous", "all-at-once"] = Field(
        "continuous", description="Node provisioning mode."
    )


_ADDITIONS = (
    "What clustergen adds, and you leave out. second-volume: the second EBS volume of nodes whose "
    "root_volume has no size; threads-per-core: the number for nodes that have none in the spec; "
    "node-recovery: the setting, so that the service decides; one-subnet: the choice of the first "
    "of private_subnets, so that HyperPod chooses; security-groups: those of the foundation, on "
    "groups that have their own"
)


class HyperPodSlurm(HyperPod):
    """SageMaker HyperPod with Slurm."""

    leave_out: list[
        Literal[
            "second-volume", "threads-per-core", "node-recovery", "one-subnet", "security-groups"
        ]
    ] = Field([], description=f"{_ADDITIONS}.")
    mode: Literal["api", "customer-managed", "legacy"] = Field(
        "api",
        description="What configures Slurm: the service (api), lifecycle scripts that you review "
        "(customer-managed), or provisioning_parameters.json (legacy).",
    )
    controllers: int = Field(
        1, ge=1, le=3, description="Number of controllers; several, for failover, need mode legacy."
    )
    controller_group: InstanceGroup = Field(
        "controller", description="Name of the instance group of the controller."
    )
    login_group: InstanceGroup = Field(
        "login", description="Name of the instance group of login nodes."
    )


_OF_EKS = (
    "control-plane-logs: logs of a new control plane in CloudWatch; secrets-key: a key in your "
    "account for the secrets of a new EKS cluster, which EKS encrypts anyway"
)
_ADDONS_OF_EKS = (
    "ebs-driver: the driver for volumes of pods; node-monitoring: EKS's agent that finds failed "
    "nodes to repair"
)


class AutoPatching(Section):
    """How HyperPod applies security patches to the nodes of every group."""

    strategy: Literal["when-idle", "when-all-idle", "drain-first"] = Field(
        description="When to patch: each node once it is idle, all nodes once all are idle, or "
        "batch "
        "by batch after evicting pods."
    )
    idle_wait: Seconds | None = Field(
        None, description="Maximum wait for nodes to become idle, up to 25d; default: 24h."
    )
    batch: BatchSize | None = Field(
        None,
        description="Nodes drained at a time: a number (2) or a percentage of the group (10%).",
    )
    pause: Seconds | None = Field(
        None, description="Pause between batches, up to 1h; default: that of the service."
    )
    drain_timeout: Seconds | None = Field(
        None, description="Maximum time to drain a node, up to 90m; default: 1h."
    )
    on_drain_timeout: Literal["skip", "force"] | None = Field(
        None, description="skip: leave the node unpatched; force: delete its pods; default: skip."
    )
    rollback_alarms: list[AlarmName] = Field(
        [], max_length=10, description="CloudWatch alarms that roll the patch back."
    )


class HyperPodEks(HyperPod):
    """SageMaker HyperPod with EKS."""

    leave_out: list[
        Literal[
            "second-volume",
            "threads-per-core",
            "node-recovery",
            "one-subnet",
            "security-groups",
            "operator-tag",
            "control-plane-logs",
            "secrets-key",
        ]
    ] = Field(
        [],
        description=f"{_ADDITIONS}; operator-tag: the tag that the training operator needs; "
        f"{_OF_EKS}.",
    )
    eks_cluster: Literal["new"] | Arn = Field(
        "new", description="`new`, or the ARN of an existing EKS cluster."
    )
    eks_security_group: SecurityGroupId | None = Field(
        None,
        description="Cluster security group of the existing EKS cluster; traffic between it and "
        "the new security group of the nodes is allowed. Nodes that join an existing HyperPod "
        "cluster get it.",
    )
    cluster_role: Arn | None = Field(
        None,
        description="ARN of an existing role with which HyperPod adds and removes nodes for "
        "Karpenter.",
    )
    tiered_checkpoints: int | None = Field(
        None,
        ge=1,
        le=100,
        description="Percentage of each node's memory for managed tiered checkpointing.",
    )
    auto_patching: AutoPatching | None = Field(
        None, description="Automatic security patches; default: manual."
    )
    update_schedule: str | None = Field(
        None, description="Schedule of image updates, in UTC: cron(0 3 ? * SUN *)."
    )


class Eks(LaunchTemplates):
    """Amazon EKS."""

    cluster: Literal["new"] | EksClusterName = Field(
        "new",
        description="`new`, or the name of an existing cluster, to which node groups and queues "
        "are added.",
    )
    cluster_security_group: SecurityGroupId | None = Field(
        None,
        description="Security group of the existing cluster that EKS created for it, and that "
        "all nodes get; default: deploy.sh looks it up.",
    )
    install: Literal["script", "stack", "none"] = Field(
        "script",
        description="What installs the software in the cluster: deploy.sh with install.sh "
        "(script), `cdk deploy` (stack), or you, by running install.sh (none).",
    )
    deletion_protection: bool = Field(False, description="Protect the cluster against deletion.")
    leave_out: list[
        Literal[
            "security-groups",
            "session-manager",
            "control-plane-logs",
            "secrets-key",
            "ebs-driver",
            "node-monitoring",
        ]
    ] = Field([], description=f"{_LEFT_OUT}; {_OF_EKS}; {_ADDONS_OF_EKS}.")


class Batch(LaunchTemplates):
    """AWS Batch."""

    image: str | None = Field(
        None,
        max_length=255,
        pattern=patterns.PRINTABLE.regex,
        description="Container image of the training jobs in jobs/; default: a public one.",
    )
    queue_names: dict[Name, BatchQueue] = Field(
        {},
        description="Names that queues have in Batch, by their names here; default: CLUSTER-QUEUE, "
        "as in research-train.",
    )
    leave_out: list[Literal["security-groups", "session-manager", "stuck-jobs"]] = Field(
        [],
        description=f"{_LEFT_OUT}; stuck-jobs: the limit after which queues cancel jobs that "
        "cannot start.",
    )


class Targets(Section):
    """Targets to render for, each with its options, if any."""

    parallelcluster: ParallelCluster | None = Field(None, description="AWS ParallelCluster.")
    pcs: Pcs | None = Field(None, description="AWS PCS.")
    hyperpod_slurm: HyperPodSlurm | None = Field(
        None, alias="hyperpod-slurm", description="HyperPod with Slurm."
    )
    hyperpod_eks: HyperPodEks | None = Field(
        None, alias="hyperpod-eks", description="HyperPod with EKS."
    )
    eks: Eks | None = Field(None, description="EKS.")
    batch: Batch | None = Field(None, description="AWS Batch.")
