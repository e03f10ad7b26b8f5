"""What a deployment of a HyperPod bundle sends and knows."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Artifact, Bundle, json_artifact
from clustergen.base.text_lists import words
from clustergen.deployment.kinds import HyperPod, NodesInEks
from clustergen.plan.model import Plan
from clustergen.services.aws import marks
from clustergen.services.foundation import hyperpod as roles
from clustergen.services.hyperpod import cloudformation, scripts, verify
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.limits import PARAMETERS_FILE
from clustergen.services.hyperpod.options import Options

CREATE = "create-cluster.json"
UPDATE = "update-cluster.json"
SCALE = "scale-cluster.json"

_COUNTS = ("InstanceGroupName", "InstanceCount", "MinInstanceCount")
_KEPT = words("LifeCycleConfig InstanceStorageConfigs OverrideVpcConfig ExecutionRole")
"""What ``--pause`` and ``--resume`` send as the cluster has it; the last one, no group lacks."""

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
    members = UPDATABLE if plan.creates_cluster else _ADDED
    return {name: document[name] for name in members if name in document}


def requests(plan: Plan, document: Mapping[str, Any], outputs: Mapping[str, str]) -> Bundle:
    """The CreateCluster request, and its template; neither for an existing cluster.

    CloudFormation cannot add instance groups to a cluster that it did not create.
    """
    if not plan.creates_cluster:
        return ()
    template = cloudformation.template(document, outputs)
    whole = marks.artifact(cloudformation.TEMPLATE, template, plan)
    return json_artifact(CREATE, document), whole


def updates(plan: Plan, document: Mapping[str, Any], lifecycle: Bundle) -> Bundle:
    """``update-cluster.json``, the request of a pause, and ``verify.sh``."""
    request = Document(dict(document))
    text = verify.text(plan, kubernetes=request.is_eks, copied=bool(lifecycle))
    return (
        *_scaling(plan, request),
        json_artifact(UPDATE, update(plan, document)),
        Artifact("verify.sh", text, executable=True),
    )


def service(
    plan: Plan,
    document: Mapping[str, Any],
    lifecycle: Bundle,
    eks_cluster: str = "",
    eks: NodesInEks | None = None,
) -> HyperPod:
    """What ``bundle.json`` says of a cluster; nothing of an EKS cluster where it runs Slurm."""
    request = Document(dict(document))
    scaled = _scaled(plan, request)
    controller = "" if eks else plan.options_as(Options).controller
    running = controller if any(group.name == controller for group in request.groups) else ""
    return HyperPod(
        name=plan.cluster_name,
        joins=not plan.creates_cluster,
        prefix=scripts.prefix(lifecycle) if lifecycle else "",
        entry=lifecycle[0].path.rpartition("/")[2] if lifecycle else "",
        filled=tuple(file.path for file in lifecycle if file.path.endswith(".json")),
        compute=tuple(g.name for g in plan.node_groups if g.name not in scaled),
        controller=running,
        login="" if eks or not plan.login else plan.options_as(Options).login,
        own_controller_role=bool(running and roles.reads_secret_alone(plan)),
        continuous=request.is_continuous,
        scaled=tuple(scaled),
        eks_cluster=eks_cluster,
        eks=eks,
        **({} if eks or plan.creates_cluster else _joining(plan, request)),
    )


def _joining(plan: Plan, request: Document) -> dict[str, Any]:
    """What ``deploy.sh`` has to know to add instance groups to a cluster with Slurm."""
    by_scripts = "Orchestrator" not in request
    options = plan.options_as(Options)
    own = [group.part("LifeCycleConfig") for group in request.groups]
    # The file with partitions is next to the scripts of each group.
    folders = (str(each["SourceS3Uri"]) for each in own if each.get("SourceS3Uri"))
    parameters = (f"{folder.rstrip('/')}/{PARAMETERS_FILE}" for folder in folders)
    # Scripts of the bundle that start Slurm look for the controller by the name of its group.
    starts = options.lifecycle is None and any("OnCreate" in each for each in own)
    return {
        "by_scripts": by_scripts,
        "parameters": next(parameters, "") if by_scripts else PARAMETERS_FILE,
        "controller_group": options.controller if starts else "",
    }


def _scaling(plan: Plan, request: Document) -> Iterator[Artifact]:
    """The compute groups with zero nodes, for ``deploy.sh --pause``.

    An update does not change groups that it does not name. ``--resume`` relies on the name
    preceding the count to find the count to restore.
    """
    names = {group.name for group in plan.node_groups} - {*_scaled(plan, request)}
    groups = [
        {
            "InstanceGroupName": group.name,
            "InstanceCount": 0,
            **{name: group.data[name] for name in group.data if name not in {*_COUNTS, *_KEPT}},
        }
        for group in request.groups
        if group.name in names
    ]
    if groups:
        name = request.data.get("ClusterName")
        yield json_artifact(SCALE, {"ClusterName": name, "InstanceGroups": groups})


def _scaled(plan: Plan, request: Document) -> list[str]:
    """The groups that Karpenter sizes; the request has no nodes for them."""
    empty = {group.name for group in plan.node_groups if group.static}
    groups = request.groups if request.is_autoscaled else []
    return [g.name for g in groups if not g.data.get("InstanceCount") and g.name not in empty]
