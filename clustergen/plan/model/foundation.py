"""What a plan knows of its foundation, which the targets of a spec share."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from clustergen.facts.catalog.endpoints import Endpoints
from clustergen.plan.model.nodes import Iam

Need = Literal[
    "eks-network",
    "hyperpod-cluster-role",
    "hyperpod-machines",
    "hyperpod-roles",
    "login-group",
    "node-metrics",
    "node-policies",
    "pcs-roles",
    "scheduler-access",
]
"""A part of the foundation that only some targets need.

- eks-network: subnets of control planes and system nodes, and tags by which Kubernetes finds them
- hyperpod-roles: the roles of HyperPod's node groups; hyperpod-machines: of its head and login
  nodes; hyperpod-cluster-role: what HyperPod needs for pods and for Karpenter
- login-group: the security group of nodes to which users log in
- node-metrics: what nodes need that send metrics themselves
- node-policies: policies for roles of nodes that the service creates
- pcs-roles: the roles of nodes of PCS
- scheduler-access: traffic to the scheduler of a cluster that exists
"""


class Needs(NamedTuple):
    """What one target needs of a foundation."""

    parts: frozenset[Need] = frozenset()
    endpoints: Endpoints = Endpoints(())
    """The services that its nodes call, where no way leads to the internet."""


class Served(NamedTuple):
    """The targets that a foundation serves."""

    names: frozenset[str] = frozenset()
    """Empty if the spec is declared for none, and so may be for any."""
    needs: Mapping[str, Needs] = {}
    """By target; those of all targets if the spec names none."""
    alone: type[Any] | None = None
    """Type of the options of the only target, whose user may do without parts of the foundation."""

    def needing(self, part: Need) -> tuple[str, ...]:
        return tuple(name for name, needs in self.needs.items() if part in needs.parts)


class Foundation(NamedTuple):
    """What is the same for all targets of a spec, because their foundation is."""

    served: Served = Served()
    unused: frozenset[str] = frozenset()
    """Parts that the user's ``leave_out`` makes useless: ``security-groups``, ``scripts``,
    ``sessions``, ``pcs-sessions``, ``controller-role``."""
    lifecycle_sources: tuple[str, ...] = ()
    """Folders in S3 with the user's lifecycle scripts, of all HyperPod targets of the spec."""
    slurm_machines: tuple[tuple[str, Iam], ...] = ()
    """Section and permissions of the spec's head and login nodes, which not every target has."""
