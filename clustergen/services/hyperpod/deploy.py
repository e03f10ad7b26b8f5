"""``deploy.sh`` of a HyperPod bundle, and the UpdateCluster request."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Bundle, json_artifact
from clustergen.base.text_lists import words
from clustergen.deployment.kinds import HyperPod
from clustergen.plan import timetable
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.aws import marks
from clustergen.services.foundation import hyperpod as roles
from clustergen.services.hyperpod import (
    cloudformation,
    cluster,
    fixed_members,
    joining,
    scripts,
    verify,
)
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.options import Options

CREATE = "create-cluster.json"
UPDATE = "update-cluster.json"
SCALE = "scale-cluster.json"

_COUNTS = ("InstanceGroupName", "InstanceCount", "MinInstanceCount")
_KEPT = words("LifeCycleConfig InstanceStorageConfigs OverrideVpcConfig ExecutionRole")
"""What ``--pause`` and ``--resume`` send as the cluster has it; the last one, no group lacks."""
_KEPT_QUERY = f"""InstanceGroups[].[InstanceGroupName, to_string({{{
    ", ".join(f"{name}: {name}" for name in _KEPT)
}}})]"""

# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html; 2026-11-20.
# It cannot change VpcConfig and Tags.
UPDATABLE = words("""
    ClusterName
    InstanceGroups
    RestrictedInstanceGroups
    RestrictedInstanceGroupsConfig
    Orchestrator NodeRecovery TieredStorageConfig NodeProvisioningMode
    ClusterRole AutoScaling
""")


_ADDED = ("ClusterName", "InstanceGroups")
"""What is sent to an existing cluster: an update leaves other groups and members as they are."""


def update(plan: Plan, document: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a CreateCluster request that UpdateCluster accepts."""
    members = UPDATABLE if cluster.is_new(plan) else _ADDED
    return {name: document[name] for name in members if name in document}


def requests(plan: Plan, document: Mapping[str, Any], outputs: Mapping[str, str]) -> Bundle:
    """The CreateCluster request, and its template; neither for an existing cluster.

    CloudFormation cannot add instance groups to a cluster that it did not create.
    """
    if not cluster.is_new(plan):
        return ()
    template = cloudformation.template(document, outputs)
    whole = marks.artifact(cloudformation.TEMPLATE, template, plan)
    return json_artifact(CREATE, document), whole


def files(
    plan: Plan,
    document: Mapping[str, Any],
    lifecycle: Bundle,
    **more: Any,
) -> Bundle:
    """``deploy.sh``, ``update-cluster.json``, ``verify.sh``; ``document`` includes the overlay.

    ``lifecycle`` is the set of scripts, empty if the cluster has none; ``more`` has values of the
    target.
    """
    groups = list(_groups(document))
    scaled = _scaled(plan, document)
    joined = {} if cluster.is_new(plan) else joining.values(plan, document)
    text = shell.render(
        "hyperpod/deploy-eks.sh.j2",
        **more,
        existing=joined,
        phases=timetable.words(timetable.phases(plan)),
        plans=list(_plans(document)),
        **foundation.frame(plan),
        uploads=[],
        prefix=scripts.prefix(lifecycle) if lifecycle else "",
        own=sorted(set(_own(document))),
        roles=list(_roles(document)),
        joins=(document.get("Orchestrator") or {}).get("Eks", {}).get("ClusterArn", ""),
        groups=groups or [plan.name],
        compute=[group.name for group in plan.node_groups if group.name not in scaled],
        kept_query=_KEPT_QUERY,
        scaled=scaled,
        most_nodes=list(_most_nodes(document, scaled)),
        continuous=document.get("NodeProvisioningMode") == "Continuous",
        fixed=fixed_members.values(document),
    )
    return (
        Artifact("deploy.sh", text, executable=True),
        *updates(plan, document, lifecycle),
    )


def updates(plan: Plan, document: Mapping[str, Any], lifecycle: Bundle) -> Bundle:
    """``update-cluster.json``, the request of a pause, and ``verify.sh``."""
    return (
        *_scaling(plan, document, _scaled(plan, document)),
        json_artifact(UPDATE, update(plan, document)),
        Artifact(
            "verify.sh",
            verify.text(plan, kubernetes=_on_eks(document), copied=bool(lifecycle)),
            executable=True,
        ),
    )


def service(plan: Plan, document: Mapping[str, Any], lifecycle: Bundle) -> HyperPod:
    """What ``bundle.json`` says of a cluster with Slurm."""
    groups, scaled = _groups(document), _scaled(plan, document)
    controller = plan.options_as(Options).controller
    running = controller if controller in groups else ""
    return HyperPod(
        name=cluster.name(plan),
        joins=not cluster.is_new(plan),
        prefix=scripts.prefix(lifecycle) if lifecycle else "",
        entry=lifecycle[0].path.rpartition("/")[2] if lifecycle else "",
        filled=tuple(file.path for file in lifecycle if file.path.endswith(".json")),
        compute=tuple(g.name for g in plan.node_groups if g.name not in scaled),
        controller=running,
        own_controller_role=bool(running and roles.reads_secret_alone(plan)),
        continuous=document.get("NodeProvisioningMode") == "Continuous",
        **({} if cluster.is_new(plan) else joining.members(plan, document)),
    )


def _most_nodes(document: Mapping[str, Any], scaled: Collection[str]) -> Iterator[str]:
    """Name and count of each group whose nodes only updates of the cluster change."""
    for group in Document(dict(document)).groups:
        count = group.data.get("InstanceCount")
        if group.name not in scaled and isinstance(count, int):
            yield from (group.name, str(count))


def _scaling(
    plan: Plan, document: Mapping[str, Any], scaled: Collection[str]
) -> Iterator[Artifact]:
    """The compute groups with zero nodes, for ``deploy.sh --pause``.

    An update does not change groups that it does not name. ``--resume`` relies on the name
    preceding the count to find the count to restore.
    """
    names = {group.name for group in plan.node_groups} - {*scaled}
    found = document.get("InstanceGroups") or []
    groups = [g for g in found if isinstance(g, dict) and g.get("InstanceGroupName") in names]
    if not groups:
        return
    request = {
        "ClusterName": document.get("ClusterName"),
        "InstanceGroups": [
            {
                "InstanceGroupName": group["InstanceGroupName"],
                "InstanceCount": 0,
                **{name: group[name] for name in group if name not in {*_COUNTS, *_KEPT}},
            }
            for group in groups
        ],
    }
    yield json_artifact(SCALE, request)


def _groups(document: Mapping[str, Any]) -> list[str]:
    found = document.get("InstanceGroups") or []
    return [str(group.get("InstanceGroupName", "")) for group in found if isinstance(group, dict)]


def _own(document: Mapping[str, Any]) -> Iterator[str]:
    """What of the foundation shows that a running cluster is the one requested.

    Others may use the groups and roles that a spec names.
    """
    vpc = document.get("VpcConfig")
    found = list(vpc.get("SecurityGroupIds") or ()) if isinstance(vpc, Mapping) else []
    for group in Document(dict(document)).groups:
        source = str(group.part("LifeCycleConfig").get("SourceS3Uri", ""))
        found += [group.data.get("ExecutionRole"), "/".join([*source.split("/")[:3], ""])]
    return (str(each) for each in found if "${" in str(each))


def _roles(document: Mapping[str, Any]) -> Iterator[str]:
    """A line for each instance group, with its role."""
    for group in Document(dict(document)).groups:
        yield f"{group.name}\t{group.data.get('ExecutionRole', '')}"


def _plans(document: Mapping[str, Any]) -> Iterator[str]:
    """Two words for each group with a training plan, as ``hyperpod/plans.sh.j2`` reads them."""
    for group in Document(dict(document)).groups:
        if plan := group.data.get("TrainingPlanArn"):
            yield from (group.name, str(plan).rpartition("/")[2])


def _scaled(plan: Plan, document: Mapping[str, Any]) -> list[str]:
    """The groups that Karpenter sizes; the request has no nodes for them."""
    request = Document(dict(document))
    empty = {group.name for group in plan.node_groups if group.static}
    groups = request.groups if request.is_autoscaled else []
    return [g.name for g in groups if not g.data.get("InstanceCount") and g.name not in empty]


def _on_eks(document: Mapping[str, Any]) -> bool:
    return "Eks" in (document.get("Orchestrator") or {})
