"""``HeadNode`` and ``LoginNodes``."""

from __future__ import annotations

from typing import Any

from clustergen.aws import references
from clustergen.aws.members import filled
from clustergen.plan.model import Machine, Plan
from clustergen.slurm import collecting
from clustergen.targets.parallelcluster import actions, nodes
from clustergen.targets.parallelcluster.options import Options

LOGIN_POOL = "login"
SCRIPTS_POLICY = {"Policy": "${ScriptsPolicyArn}"}
SESSION_POLICY = {"Policy": "${SessionPolicyArn}"}
"""For access with Session Manager, which needs neither an open port nor a key."""


def head_node(plan: Plan, head: Machine) -> dict[str, Any]:
    """The head node, which accepts SSH only without login nodes."""
    return filled(
        InstanceType=head.type.name,
        Image=nodes.image(head.image, nodes.common_image(plan)),
        Networking=_networking(plan),
        Ssh=filled(
            KeyName=plan.options_as(Options).key_name,
            AllowedIps=nodes.NOBODY if plan.login else nodes.allowed_ips(plan.network),
        ),
        LocalStorage={"RootVolume": nodes.root_volume(head.volume)},
        CustomActions=actions.long_lived(plan, "head"),
        # Only root and services of the head node may read its credentials.
        Imds={"Secured": True},
        Iam=filled(
            S3Access=actions.head_access(plan),
            AdditionalIamPolicies=[SESSION_POLICY, *metrics_policies(plan)],
        ),
    )


def metrics_policies(plan: Plan) -> list[dict[str, str]]:
    """What lets a node send metrics."""
    return [{"Policy": "${MetricsPolicyArn}"}] if collecting.wanted(plan) else []


def _networking(plan: Plan) -> dict[str, Any]:
    """Networking; subnet and address cannot change, so they do not depend on ``login``.

    Access can change: with login nodes, the head node is not reachable from outside.
    """
    network = plan.network
    subnet = nodes.entry_subnet(network)
    groups = nodes.node_groups(network) if plan.login else nodes.entry_groups(network)
    return filled(
        SubnetId=references.text(subnet.id),
        # An address that stays when the head node is stopped and started.
        ElasticIp=True if subnet in network.public else None,
        AdditionalSecurityGroups=groups,
    )


def login_nodes(plan: Plan, login: Machine) -> dict[str, Any]:
    """``LoginNodes`` with one pool, behind a network load balancer of ParallelCluster."""
    network = plan.network
    # Login nodes do not support S3Access: the foundation has a policy for their scripts.
    policies = [SESSION_POLICY, SCRIPTS_POLICY]
    pool = filled(
        Name=LOGIN_POOL,
        InstanceType=login.type.name,
        Count=login.count,
        Image=nodes.image(login.image, nodes.common_image(plan)),
        Networking={
            "SubnetIds": [references.text(nodes.entry_subnet(network).id)],
            "AdditionalSecurityGroups": nodes.entry_groups(network),
        },
        Ssh={"AllowedIps": nodes.allowed_ips(network)},
        CustomActions=actions.long_lived(plan, "login"),
        Iam={"AdditionalIamPolicies": policies},
    )
    return {"Pools": [pool]}
