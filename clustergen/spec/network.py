"""``network``: location of nodes, and access to them."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from clustergen.spec import validators
from clustergen.spec.base import Block, Section, SecurityGroupId, SshSource, SubnetId, VpcId


class ExistingSubnet(Section):
    """An existing subnet, with facts that cannot be looked up offline."""

    id: SubnetId = Field(description="Subnet id.")
    zone: str | None = Field(None, description="Its zone; default: network.zone.")
    cidr: Block | None = Field(
        None,
        description="Its CIDR block; if given, clustergen checks that it has enough addresses.",
    )


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
        None, description="CIDR block of the VPC; default for a new one: 10.42.0.0/16."
    )
    internet: Literal["nat", "none"] = Field(
        "nat",
        description="How nodes reach the internet. `nat`: through a NAT gateway. `none`: not at "
        "all; a new VPC has endpoints of the services that nodes call, an existing one must have "
        "them.",
    )
    private_subnets: list[Subnet] = Field(
        [], description="Existing subnets for nodes, in order of preference."
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
        [], max_length=5, description="Existing security groups for every node."
    )
    ssh_from: list[SshSource] = Field(
        [],
        description="CIDR blocks and prefix lists (pl-...) allowed to use SSH on login and head "
        "nodes; default: none. Session Manager works without SSH, unless leave_out has "
        "session-manager.",
    )
