"""``head_node``, ``login``, ``node_groups`` and ``queues``."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from clustergen.spec import base, patterns, validators

Auto = Literal["auto"]


class RootVolume(base.Section):
    """The boot volume."""

    size: base.GiB | None = Field(
        None, description="Size with unit; default: chosen by the target."
    )
    type: Literal["gp3", "gp2", "io1", "io2"] = Field("gp3", description="EBS volume type.")
    iops: int | None = Field(
        None, ge=1, description="Provisioned IOPS; default: that of the volume type."
    )
    throughput: int | None = Field(None, ge=1, description="gp3 throughput in MiB/s.")
    encrypted: bool = Field(True, description="Encrypt the data.")
    kms_key: base.KmsKey | None = Field(
        None, description="ARN of a KMS key; default: that of the service."
    )
    on_delete: Literal["delete", "retain"] = Field(
        "delete", description="What happens to the volume when its node ends."
    )


class S3Grant(base.Section):
    """Access to a bucket or a part of it."""

    uri: base.S3Uri = Field(description="s3://bucket, or s3://bucket/prefix*.")
    write: bool = Field(False, description="Allow writing, too.")


class LoginIam(base.Section):
    """What login nodes may do in AWS, besides what clustergen gives them."""

    policies: list[base.PolicyArn] = Field([], description="ARNs of managed policies.")
    role: base.Role | None = Field(
        None, description="ARN of an existing role in place of a new one."
    )
    instance_profile: base.InstanceProfile | None = Field(
        None, description="ARN of an existing instance profile in place of a new one."
    )


class Iam(LoginIam):
    """What nodes may do in AWS, besides what clustergen gives them."""

    s3: list[
        Annotated[
            S3Grant, BeforeValidator(validators.grant, json_schema_input_type=base.S3Uri | S3Grant)
        ]
    ] = Field([], description="Buckets that nodes may read, or {uri, write: true}.")


class HeadNode(base.Section):
    """ParallelCluster's head node or HyperPod's controller; other services run it themselves."""

    instance_type: base.ServiceNodeType = Field("m7i.4xlarge", description="EC2 instance type.")
    image: base.AmiId | None = Field(None, description="AMI; default: chosen by the target.")
    root_volume: RootVolume = Field(RootVolume.absent(), description="The boot volume.")
    threads_per_core: Literal[1, 2] | None = Field(
        None, description="1 disables simultaneous multithreading (SMT)."
    )
    subnet: base.SubnetId | None = Field(
        None,
        description="Subnet; default: a public one if network.ssh_from has public addresses, else "
        "a private one.",
    )
    security_groups: list[base.SecurityGroupId] = Field(
        [], description="Existing security groups, besides those of every node."
    )
    ssh_from: base.Source | None = Field(
        None,
        description="Block or prefix list allowed to use SSH; default: network.ssh_from, or nobody "
        "with login nodes.",
    )
    iam: Iam = Field(Iam.absent(), description="Policies, S3 access, or an existing role.")


class LoginNodes(base.Section):
    """Login nodes of one kind."""

    instance_type: base.ServiceNodeType = Field("m7i.xlarge", description="EC2 instance type.")
    count: int = Field(1, ge=0, description="Number of nodes.")
    image: base.AmiId | None = Field(None, description="AMI; default: chosen by the target.")
    subnets: list[base.SubnetId] = Field([], description="Subnets; default: that of the head node.")
    security_groups: list[base.SecurityGroupId] = Field(
        [], description="Existing security groups, besides those of every node."
    )
    ssh_from: base.Source | None = Field(
        None, description="Block or prefix list allowed to use SSH; default: network.ssh_from."
    )
    iam: LoginIam = Field(LoginIam.absent(), description="Policies, or an existing role.")


class Login(LoginNodes):
    """Login nodes."""

    root_volume: RootVolume = Field(RootVolume.absent(), description="The boot volume.")
    threads_per_core: Literal[1, 2] | None = Field(
        None, description="1 disables simultaneous multithreading (SMT)."
    )


class Count(base.Section):
    """Number of nodes: ``min`` always run; more start for jobs, up to ``max``."""

    min: int = Field(0, ge=0, description="Nodes that always run.")
    max: int = Field(ge=0, description="Maximum number of nodes.")
    desired: int | None = Field(
        None, ge=0, description="Number of nodes to ask EKS for; default: min."
    )


class Capacity(base.Section):
    """A reservation of capacity: exactly one kind, and when it starts and ends."""

    on_demand: SkipJsonSchema[Literal[True] | None] = None
    spot: SkipJsonSchema[Literal[True] | None] = None
    reservation: base.ReservationId | None = Field(
        None, description="Id of an On-Demand Capacity Reservation (cr-...)."
    )
    reservation_group: base.ReservationGroup | None = Field(
        None, description="ARN of a resource group of reservations."
    )
    capacity_block: base.ReservationId | None = Field(
        None, description="Id of a Capacity Block for ML (cr-...)."
    )
    interruptible_reservation: base.ReservationId | None = Field(
        None, description="Id of an interruptible Capacity Reservation (cr-...)."
    )
    training_plan: base.TrainingPlan | None = Field(
        None,
        description="ARN of a SageMaker training plan (HyperPod), which "
        "`aws sagemaker list-training-plans` shows.",
    )
    starts: base.Moment | None = Field(
        None, description="When it starts, with an offset: 2026-12-10T11:30:00Z."
    )
    ends: base.Moment | None = Field(
        None, description="When it ends: nodes are drained and stopped before."
    )


class Taint(base.Section):
    """A Kubernetes taint."""

    key: base.Text = Field(description="Taint key.")
    value: base.Text = Field("", description="Taint value.")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = Field(
        "NoSchedule", description="Effect on pods that do not tolerate it."
    )


class ExistingPlacement(base.Section):
    """An existing placement group."""

    group: str = Field(description="Name of the placement group.", pattern=patterns.PRINTABLE.regex)


class NodeGroup(base.Section):
    """A group of identical nodes that are purchased and started together."""

    name: base.Name = Field(description="Unique name.")
    instance_type: base.NodeType | None = Field(None, description="EC2 instance type.")
    instance_types: list[base.NodeType] = Field(
        [], description="Several instance types, in order of preference."
    )
    count: Annotated[
        Count, BeforeValidator(validators.count, json_schema_input_type=int | Count)
    ] = Field(description="Number of nodes: a number, or {min, max}.")
    capacity: Annotated[
        Capacity,
        BeforeValidator(
            validators.capacity, json_schema_input_type=Literal["on-demand", "spot"] | Capacity
        ),
    ] = Field(
        Capacity.absent(on_demand=True),
        description="Purchase option: on-demand, spot, or a reservation.",
        json_schema_extra={"default": "on-demand"},
    )
    efa: Auto | bool = Field(
        "auto",
        description="Elastic Fabric Adapter; auto: enabled if the instance type supports it.",
    )
    efa_layout: Literal["auto", "efa", "efa-only"] = Field(
        "auto",
        description="Interface type on all network cards but the first; auto: chosen by the "
        "target.",
    )
    placement: Literal["auto", "cluster", "none"] | ExistingPlacement = Field(
        "auto",
        description="auto: a cluster placement group with EFA, none with a reservation or "
        "Capacity Block.",
    )
    threads_per_core: Literal[1, 2] | None = Field(
        None, description="1 disables simultaneous multithreading (SMT)."
    )
    image: base.AmiId | None = Field(None, description="AMI; default: chosen by the target.")
    root_volume: RootVolume = Field(RootVolume.absent(), description="The boot volume.")
    scratch: base.MountPath | None = Field(None, description="Mount point of the local NVMe disks.")
    mig: dict[str, Annotated[int, Field(ge=1)]] = Field(
        {}, description="MIG partitions per GPU, {1g.18gb: 7}."
    )
    health_checks: list[
        Literal["gpu", "instance-stress", "instance-connectivity", "multi-node"]
    ] = Field([], description="Hardware checks before nodes accept jobs.")
    labels: dict[str, base.Text] = Field(
        {}, description="Node labels (Kubernetes) or features (Slurm)."
    )
    taints: list[Taint] = Field([], description="Kubernetes taints.")
    accelerator_taint: bool | None = Field(
        None,
        description="Whether Kubernetes keeps other pods away from accelerators by a taint; "
        "default: yes.",
    )
    slurm: base.Settings = Field({}, description="Node parameters of slurm.conf, e.g. Weight.")
    subnets: list[base.SubnetId] = Field(
        [], description="Existing subnets of these nodes; default: network.private_subnets."
    )
    zone: str | None = Field(
        None,
        description="Zone of these nodes, in place of subnets: a new VPC gets a subnet there, an "
        "existing one has it in network.private_subnets; default: network.zone.",
    )
    security_groups: list[base.SecurityGroupId] = Field(
        [], description="Existing security groups, besides those of every node."
    )
    iam: Iam = Field(Iam.absent(), description="Policies, S3 access, or an existing role.")
    allocation: (
        Literal[
            "lowest-price",
            "capacity-optimized",
            "price-capacity-optimized",
            "prioritized",
            "capacity-optimized-prioritized",
        ]
        | None
    ) = Field(
        None, description="How EC2 chooses among several types and subnets; default: by the target."
    )
    service_name: base.Name | None = Field(
        None,
        description="Name in ParallelCluster; groups in different queues may share one; default: "
        "name.",
    )
    tags: dict[base.TagKey, base.TagValue] = Field(
        {}, description="Tags of its nodes, besides those of the cluster."
    )

    _one_kind_of_type = model_validator(mode="after")(validators.one_kind_of_type)


class Queue(base.Section):
    """A Slurm partition, or a Kubernetes local queue."""

    name: base.Name = Field(description="Unique name.")
    node_groups: list[str] = Field(
        min_length=1, description="Names of node groups, in order of preference."
    )
    nodes: dict[str, base.NodeNumbers] = Field(
        {}, description="Node numbers of a group, if the queue uses only some: {h200: 1-8}."
    )
    default: bool = Field(False, description="Queue for jobs that name none.")
    time_limit: base.LongSeconds | None = Field(
        None, description="Maximum run time of a job, e.g. 7d."
    )
    priority: int | None = Field(
        None,
        ge=0,
        le=65533,
        description="Jobs in queues with a higher priority are scheduled first.",
    )
    exclusive: bool = Field(False, description="Jobs get whole nodes.")
    slurm: base.Settings = Field({}, description="Partition parameters of slurm.conf.")
