"""The test of EFA between Trainium nodes: a reduction over the Neuron cores of several nodes.

AWS tests EKS so, too: https://github.com/aws/aws-k8s-tester test/cases/neuron and
test/images/neuron/tests (2026-11).
"""

from clustergen.base.artifacts import Artifact, Json
from clustergen.base.yaml_text import Lines
from clustergen.facts.catalog import neuron
from clustergen.plan.images import pulled
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import jobs, namespaces, nccl, pods, torchrun
from clustergen.services.kubernetes.pods import Placed
from clustergen.services.nodes import torchrun as processes
from clustergen.services.nodes.neuron_reduce import PROGRAM


def nodes(group: NodeGroup) -> int:
    """Nodes of the test; 0 for a single node, and for nodes without Neuron cores or EFA."""
    crosses = neuron.cores(group.type) and group.efa_interfaces
    count = nccl.nodes(group) if crosses else 0
    return count if count > 1 else 0


def test(plan: Plan, group: NodeGroup, placed: Placed) -> Artifact:
    """The job, and addresses by which its pods find the first of them."""
    count, cores = nodes(group), neuron.cores(group.type)
    name = f"{group.object_name}-all-reduce"
    says = f"All-reduce over {count} x {cores} NeuronCores through EFA."
    pod = _pod(plan, group, name, placed)
    service = torchrun.service(name, namespaces.group_namespace(plan, group))
    return jobs.job(plan, group, jobs.Test(name, count, says), pod, beside=[service])


def _pod(plan: Plan, group: NodeGroup, name: str, placed: Placed) -> Json:
    taken = pods.resources(plan, group, pods.devices(group))
    script = torchrun.with_program(name, nodes(group), neuron.cores(group.type), PROGRAM)
    variables = {**processes.environment(group), "CCOM_SOCKET_IFNAME": "eth0"}
    container = {
        "name": "all-reduce",
        "image": pulled(plan, processes.NEURON_IMAGE),
        "command": ["bash", "-ec", Lines(script)],
        "env": [{"name": key, "value": value} for key, value in variables.items()],
        "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
    }
    return pods.with_shared_memory({**placed(plan, group), "subdomain": name}, taken, container)
