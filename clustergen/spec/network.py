"""``network``: where the nodes are, and who may reach them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from clustergen.spec import validators
from clustergen.spec.base import Block, Cidr, Section, SecurityGroupId, SubnetId, VpcId


class ExistingSubnet(Section):
    """A subnet that exists, with what only its owner knows offline."""

    id: SubnetId = Field(description="The id of the subnet.")
    zone: str | None = Field(None, description="Its zone; default: network.zone.")
    cidr: Block | None = Field(None, description="Its block; given, the addresses are counted.")


Subnet = Annotated[
    ExistingSubnet,
    BeforeValidator(validators.subnet, json_schema_input_type=SubnetId | ExistingSubnet),
]


class Network(Section):
    """The VPC of the cluster, new or existing."""

    zone: str | None = Field(
        None,
        description="Zone id (use1-az6) or zone name (us-east-1a): the one zone of tightly coupled "
        "nodes and of FSx for Lustre.",
    )
    vpc: Literal["new"] | VpcId = Field("new", description="`new`, or the id of an existing VPC.")
    cidr: Block | None = Field(
        None,
        description="Block of the VPC; default for a new one: 10.42.0.0/16.",
    )
    private_subnets: list[Subnet] = Field(
        [], description="Existing subnets for nodes, by preference."
    )
    public_subnets: list[Subnet] = Field(
        [], description="Existing subnets for login and head nodes."
    )
    control_plane_subnets: list[Subnet] = Field(
        [],
        description="Existing subnets of two zones for the interfaces of the EKS control plane; "
        "default: private_subnets.",
    )
    security_groups: list[SecurityGroupId] = Field(
        [], max_length=5, description="Existing security groups of every node."
    )
    ssh_from: list[Cidr] = Field(
        [],
        description="Who may open SSH to login and head nodes; default: nobody, SSM always works.",
    )
