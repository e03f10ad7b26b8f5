"""A plan as a CreateCluster request: the part that both orchestrators share.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateCluster.html
"""

from collections.abc import Iterable, Mapping
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.services.aws.members import present
from clustergen.services.hyperpod.options import Options

_ADDED = ("ClusterName", "InstanceGroups", "VpcConfig", "Orchestrator", "NodeProvisioningMode")


def request(
    plan: Plan,
    groups: Iterable[Json],
    *,
    vpc: Json,
    tags: Mapping[str, str],
    orchestrator: Json | None,
    **members: Any,
) -> Json:
    """The request; ``members`` are members for one orchestrator, as in the API.

    For a plan with errors, the service would reject the request; there is no exception. An existing
    cluster keeps what is its own: only what rules about instance groups need is in its request.
    """
    whole = present(
        ClusterName=plan.cluster_name,
        InstanceGroups=list(groups),
        VpcConfig=vpc,
        Tags=cfn.tags(tags) or None,
        Orchestrator=orchestrator,
        NodeRecovery=_recovery(plan),
        **members,
    )
    return whole if plan.creates_cluster else {key: whole[key] for key in whole if key in _ADDED}


def _recovery(plan: Plan) -> str | None:
    """Whether HyperPod replaces failed nodes: the text None means no, an absent value nothing."""
    if plan.options_as(Options).leaves_out("node-recovery"):
        return None
    return "Automatic" if plan.resilience.replace_failed_nodes else "None"
