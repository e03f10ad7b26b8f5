"""The root of the language, version 1."""

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from clustergen.spec import patterns
from clustergen.spec.base import PolicyArn, Section, TagKey, TagValue
from clustergen.spec.network import Network
from clustergen.spec.nodes import HeadNode, Login, NodeGroup, Queue
from clustergen.spec.orchestration import Kubernetes, Monitoring, Resilience, Slurm
from clustergen.spec.software import Software, User
from clustergen.spec.storage import Storage


class Target(Section):
    """Options of one target; :mod:`tools.spec.build` adds those that it declares."""

    overlay: dict[str, Any] = Field(
        {},
        description="Merged into the document rendered for the target, which is then checked "
        "again.",
    )


class Targets(Section):
    """Targets to render for, each with its options, if any."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The section of a target; the compiled schema has the fields."""


class Spec(Section):
    """A cluster for distributed training."""

    version: Literal[1] = Field(description="Version of the language.")
    name: str = Field(
        pattern=patterns.CLUSTER_NAME.regex,
        description="Name of the cluster; prefix of the names of its resources.",
    )
    foundation: str | None = Field(
        None,
        pattern=patterns.CLUSTER_NAME.regex,
        description="Name of the cluster whose network, file systems and roles this one shares; "
        "default: its own.",
    )
    region: str = Field(description="AWS region, e.g. us-east-1.")
    tags: dict[TagKey, TagValue] = Field(
        {}, max_length=40, description="Tags for every resource created."
    )
    permissions_boundary: PolicyArn | None = Field(
        None, description="IAM permissions boundary of every role created."
    )
    network: Network = Field(Network.absent(), description="VPC, subnets and zone.")
    head_node: HeadNode = Field(
        HeadNode.absent(), description="ParallelCluster head node, HyperPod controller."
    )
    login: Login | None = Field(None, description="Login nodes; none by default.")
    node_groups: list[NodeGroup] = Field(min_length=1, description="Nodes that run jobs.")
    queues: list[Queue] = Field([], description="Default: one queue per node group.")
    storage: list[Storage] = Field([], description="File systems.")
    software: Software = Field(Software.absent(), description="Operating system and software.")
    users: list[User] = Field([], description="Users who can log in.")
    slurm: Slurm = Field(Slurm.absent(), description="Settings for targets that run Slurm.")
    kubernetes: Kubernetes = Field(
        Kubernetes.absent(), description="Settings for targets that run Kubernetes."
    )
    monitoring: Monitoring = Field(Monitoring.absent(), description="Metrics, dashboards, logs.")
    resilience: Resilience = Field(
        Resilience.absent(), description="What happens when hardware fails."
    )
    targets: Targets = Field(Targets.absent(), description="Targets to render for.")
