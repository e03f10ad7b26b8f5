"""The test of an UltraServer: a reduction over the GPUs of several nodes, through NVLink alone.

Pods reach the GPUs of other nodes as members of a ComputeDomain.
https://docs.aws.amazon.com/eks/latest/userguide/device-management-nvidia.html (2026-11)
"""

from clustergen.base.artifacts import Artifact, Json
from clustergen.base.resources import template
from clustergen.base.yaml_text import Lines
from clustergen.facts.catalog import ultraservers
from clustergen.plan.images import pulled
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import (
    capacity,
    collectives,
    jobs,
    names,
    namespaces,
    pods,
    torchrun,
)
from clustergen.services.kubernetes.manifest import kubernetes_object
from clustergen.services.kubernetes.pods import Placed, PodResources
from clustergen.services.nodes.nccl import largest_gib, tested

API = "resource.nvidia.com/v1beta1"
_CHANNEL = "channel"


def nodes(plan: Plan, group: NodeGroup) -> int:
    """Nodes of the test: those of an UltraServer, of as many as there are; 0 without any.

    HyperPod's chart has no driver of ComputeDomains.
    """
    gpus = group.type.gpus and not plan.sagemaker
    servers = ultraservers.containing(group.type.name) if gpus else ()
    most = max((server.instances for server in servers), default=0)
    return min(tested(group), most) if min(tested(group), most) > 1 else 0


def test(plan: Plan, group: NodeGroup, placed: Placed) -> Artifact:
    """The domain, addresses by which the pods find the first of them, and the job."""
    count = nodes(plan, group)
    name = f"{group.name}-nvlink"
    says = f"Reduction over {count} x {group.type.gpus} GPUs through NVLink, with a ComputeDomain."
    made = jobs.Test(name, count, says, alone=False)
    namespace = namespaces.group_namespace(plan, group)
    beside = [domain(name, namespace, count), torchrun.service(name, namespace)]
    return jobs.job(plan, group, made, _pod(plan, group, name, placed), beside)


def domain(name: str, namespace: str, nodes: int) -> Json:
    """The ComputeDomain of a job; its pods :func:`join` it."""
    channel = {"resourceClaimTemplate": {"name": f"{name}-{_CHANNEL}"}}
    spec = {"numNodes": nodes, "channel": channel}
    return kubernetes_object(API, "ComputeDomain", name, namespace=namespace, spec=spec)


def join(taken: PodResources, name: str) -> PodResources:
    """The resources of a pod, with the channel of the domain of a job."""
    resources = taken.container.get("resources", {})
    claims = [*resources.get("claims", ()), {"name": _CHANNEL}]
    channel = {"name": _CHANNEL, "resourceClaimTemplateName": f"{name}-{_CHANNEL}"}
    return PodResources(
        {"resources": {**resources, "claims": claims}},
        {"resourceClaims": [*taken.pod.get("resourceClaims", ()), channel]},
    )


def _pod(plan: Plan, group: NodeGroup, name: str, placed: Placed) -> Json:
    taken = join(pods.resources(plan, group, capacity.accelerators(group)), name)
    container = {
        "name": "nvlink",
        "image": pulled(plan, collectives.NVIDIA_IMAGE),
        "command": ["bash", "-ec", Lines(_script(plan, group, name))],
        # It fails rather than to go through another network.
        "env": [
            {"name": "NCCL_MNNVL_ENABLE", "value": "1"},
            {"name": "NCCL_DEBUG", "value": "INFO"},
        ],
    }
    members = {**placed(plan, group), "subdomain": name, "affinity": _near(name)}
    return pods.with_shared_memory(members, taken, container)


def _near(name: str) -> Json:
    """In one UltraServer if possible: the driver labels nodes with the domain of their GPUs."""
    term = {
        "topologyKey": names.CLIQUE_LABEL,
        "labelSelector": {"matchLabels": {"batch.kubernetes.io/job-name": name}},
    }
    preferred = [{"weight": 100, "podAffinityTerm": term}]
    return {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}


def _script(plan: Plan, group: NodeGroup, name: str) -> str:
    """Each node starts a process for each of its GPUs; the first pod is where they meet."""
    size = str(largest_gib(group))
    program = template("kubernetes/nvlink.py")
    return torchrun.with_program(name, nodes(plan, group), group.type.gpus, program, size)
