"""Whose an EKS cluster is that a stack of the bundle makes, and who else has nodes in it."""

import json
from typing import Final

from clustergen.deployment import cloudformation
from clustergen.deployment.cluster import stop_if_shared
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.model import Stack
from clustergen.deployment.references import clusters
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop

_NODES: Final = {
    "eks:ListNodegroups": ("nodegroups", "AWS::EKS::Nodegroup", "node group"),
    "eks:ListFargateProfiles": (
        "fargateProfileNames",
        "AWS::EKS::FargateProfile",
        "Fargate profile",
    ),
}


def check(run: Run, stack: Stack, api: Kubernetes) -> None:
    """An EKS cluster of this name that the stack did not create belongs to someone else."""
    if api.describe() is None:
        return
    there = cloudformation.resources(run.world, stack.name)
    made = (each for each in there if each["ResourceType"] == "AWS::EKS::Cluster")
    if all(each.get("ResourceStatus") == "CREATE_FAILED" for each in made):
        raise Stop(
            f"there is an EKS cluster {api.cluster}, and the stack {stack.name} did not create it. "
            "Nothing was changed. Give the cluster another name in the spec, and render it again."
        )


def check_alone(run: Run, stack: Stack, api: Kubernetes, hyperpod: str = "") -> None:
    """Stop if others have nodes in the cluster, before it is deleted.

    EKS does not know of those of HyperPod; ``hyperpod`` is the cluster of this bundle.
    """
    found = []
    for call, (member, type, what) in _NODES.items():
        made = cloudformation.made(run.world, stack.name, type)
        there = run.world.ask_all(call, member, clusterName=api.cluster) or []
        found += [f"the {what} {each}" for each in there if each not in made]
    doubts: list[str] = []
    arn = (api.describe() or {}).get("arn")
    # With the end of the ARN: other names may begin with this one.
    users = clusters(run, [json.dumps(arn)], doubts) if arn else ()
    found += [f"HyperPod cluster {name}" for name in users if name != hyperpod]
    if doubts and not run.consents("replaces-resource"):
        raise Stop(
            f"whether HyperPod clusters have their nodes in {api.cluster} cannot be known: "
            f"{'; '.join(doubts)}. Nothing was deleted. Run this with permission to ask; or, if "
            "there are none, add --allow-replacement."
        )
    stop_if_shared(
        found, "Let their owners delete it, with deploy.sh --destroy of their own bundles."
    )
