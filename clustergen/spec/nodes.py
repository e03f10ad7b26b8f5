"""``head_node``, ``login``, ``node_groups`` and ``queues``: the machines and the way to them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from clustergen.spec import validators
from clustergen.spec.base import (
    AmiId,
    Arn,
    GiB,
    MountPath,
    Name,
    ReservationId,
    Seconds,
    Section,
    Settings,
    Text,
)

Auto = Literal["auto"]


class RootVolume(Section):
    """The boot volume; always encrypted."""

    size: GiB | None = Field(None, description="Size with unit; default: the target's own.")
    type: Literal["gp3", "gp2", "io1", "io2"] = Field("gp3", description="EBS volume type.")
    iops: int | None = Field(None, ge=1, description="Provisioned IOPS; default: the type's own.")
    throughput: int | None = Field(None, ge=1, description="gp3 throughput in MiB/s.")


class HeadNode(Section):
    """ParallelCluster's head node, HyperPod's controller; elsewhere the service runs it."""

    instance_type: str = Field("m7i.4xlarge", description="EC2 instance type.")
    image: AmiId | None = Field(None, description="AMI; default: the target's own.")
    root_volume: RootVolume = Field(RootVolume.absent(), description="The boot volume.")


class Login(Section):
    """Nodes that people log in to."""

    instance_type: str = Field("m7i.xlarge", description="EC2 instance type.")
    count: int = Field(1, ge=1, description="How many.")
    image: AmiId | None = Field(None, description="AMI; default: the target's own.")
    root_volume: RootVolume = Field(RootVolume.absent(), description="The boot volume.")


class Count(Section):
    """How many nodes: ``min`` always run, up to ``max`` are started for jobs."""

    min: int = Field(0, ge=0, description="Nodes that always run.")
    max: int = Field(ge=0, description="Nodes at the most.")


class Capacity(Section):
    """Where the instances come from: exactly one of the keys."""

    on_demand: SkipJsonSchema[Literal[True] | None] = None
    spot: SkipJsonSchema[Literal[True] | None] = None
    reservation: ReservationId | None = Field(
        None, description="An On-Demand Capacity Reservation."
    )
    reservation_group: Arn | None = Field(None, description="A resource group of reservations.")
    capacity_block: ReservationId | None = Field(None, description="A Capacity Block for ML.")
    interruptible_reservation: ReservationId | None = Field(
        None, description="An interruptible Capacity Reservation."
    )
    training_plan: Arn | None = Field(None, description="A SageMaker training plan (HyperPod).")


class Taint(Section):
    """A Kubernetes taint."""

    key: Text = Field(description="Taint key.")
    value: Text = Field("", description="Taint value.")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = Field(
        "NoSchedule", description="What it does to pods that do not tolerate it."
    )


class ExistingPlacement(Section):
    """A placement group that exists."""

    group: str = Field(description="Name of the placement group.", min_length=1, max_length=255)


class NodeGroup(Section):
    """Nodes of one kind, bought and started together."""

    name: Name = Field(description="Name; unique in the spec.")
    instance_type: str | None = Field(None, description="EC2 instance type.")
    instance_types: list[str] = Field([], description="Several, in order of preference.")
    count: Annotated[
        Count, BeforeValidator(validators.count, json_schema_input_type=int | Count)
    ] = Field(description="How many nodes: a number, or {min, max}.")
    capacity: Annotated[
        Capacity,
        BeforeValidator(
            validators.capacity, json_schema_input_type=Literal["on-demand", "spot"] | Capacity
        ),
    ] = Field(
        Capacity.absent(on_demand=True),
        description="on-demand, spot, or one kind of reservation.",
        json_schema_extra={"default": "on-demand"},
    )
    efa: Auto | bool = Field("auto", description="auto: on where the type has it.")
    efa_layout: Literal["auto", "efa", "efa-only"] = Field(
        "auto",
        description="What network cards beyond the first carry; auto: the target's proven form.",
    )
    placement: Literal["auto", "cluster", "none"] | ExistingPlacement = Field(
        "auto",
        description="auto: a cluster placement group with EFA, none with a reservation or block.",
    )
    threads_per_core: Literal[1, 2] | None = Field(None, description="1 switches SMT off.")
    image: AmiId | None = Field(None, description="AMI; default: the target's own.")
    root_volume: RootVolume = Field(RootVolume.absent(), description="The boot volume.")
    scratch: MountPath | None = Field(None, description="Where local NVMe is mounted.")
    mig: dict[str, Annotated[int, Field(ge=1)]] = Field({}, description="MIG partitions per GPU.")
    health_checks: list[
        Literal["gpu", "instance-stress", "instance-connectivity", "multi-node"]
    ] = Field([], description="Checks of the hardware before jobs get it.")
    labels: dict[str, Text] = Field({}, description="Node labels (Kubernetes), features (Slurm).")
    taints: list[Taint] = Field([], description="Kubernetes taints.")
    slurm: Settings = Field({}, description="Node settings of slurm.conf, e.g. Weight.")

    _one_kind_of_type = model_validator(mode="after")(validators.one_kind_of_type)


class Queue(Section):
    """A Slurm partition, or a Kubernetes local queue."""

    name: Name = Field(description="Name; unique in the spec.")
    node_groups: list[str] = Field(min_length=1, description="Names of node groups, by preference.")
    default: bool = Field(False, description="Jobs that name no queue come here.")
    time_limit: Seconds | None = Field(None, description="Longest run of a job, e.g. 7d.")
    priority: int | None = Field(None, ge=0, le=65533, description="Higher is scheduled first.")
    exclusive: bool = Field(False, description="A job gets whole nodes.")
    slurm: Settings = Field({}, description="Partition settings of slurm.conf.")
