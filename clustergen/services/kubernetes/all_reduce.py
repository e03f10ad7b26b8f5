"""NCCL's all_reduce test over nodes, as a job of the cluster's operator."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.deployment.model import EXPECTED
from clustergen.plan.images import pulled
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import capacity, mpi_operator, namespaces, nccl, pods, train_job
from clustergen.services.kubernetes.manifest import annotated, kubernetes_object
from clustergen.services.kubernetes.pods import Placed
from clustergen.services.nodes.nccl import IMAGE, reference

_KEYS = "/root/.ssh"
_MEMORY_MIB = 32000
"""Memory of a worker, as in AWS's examples; less on small nodes."""


def objects(plan: Plan, group: NodeGroup, name: str, placed: Placed) -> Iterator[Json]:
    """An MPIJob, or a TrainJob with its runtime."""
    if plan.kubernetes.jobs == "kubeflow-trainer":
        yield _runtime(plan, group, name, placed)
        yield _expecting(group, _train_job(plan, group, name))
    else:
        yield _expecting(group, _mpi_job(plan, group, name, placed))


def comment(plan: Plan, group: NodeGroup, name: str, folder: str) -> Iterator[str]:
    """How to run the job, and its expected output."""
    at = f"--namespace {namespaces.group_namespace(plan, group)}"
    trainer = plan.kubernetes.jobs == "kubeflow-trainer"
    nodes = nccl.nodes(group)
    yield f"NCCL all_reduce over {nodes} x {group.type.gpus} GPUs. Run it while the nodes are idle:"
    yield f"  kubectl apply -f {folder}/{name}.yaml"
    yield f"  kubectl logs {at} --follow --selector {_launcher_label(name, trainer)}"
    yield f"  kubectl delete {at} {'trainjob' if trainer else 'mpijob'}/{name}"
    yield f'The output must have "{_CORRECT}"'
    if interfaces := group.efa_interfaces:
        yield f'and from NET/OFI "{_OVER_EFA}" with {interfaces} nics.'
    if published := reference(group.type):
        yield published


_CORRECT, _OVER_EFA = "# Out of bounds values : 0 OK", "Selected provider is efa"


def _expecting(group: NodeGroup, made: Json) -> Json:
    lines = [_CORRECT, *([_OVER_EFA] if group.efa_interfaces else [])]
    return annotated(made, {EXPECTED: "\n".join(lines)})


def _launcher_label(name: str, trainer: bool) -> str:
    if trainer:
        return (
            f"jobset.sigs.k8s.io/jobset-name={name},jobset.sigs.k8s.io/replicatedjob-name=launcher"
        )
    return f"training.kubeflow.org/job-role=launcher,training.kubeflow.org/job-name={name}"


def _mpi_job(plan: Plan, group: NodeGroup, name: str, placed: Placed) -> Json:
    def replicas(count: int, restart: str, pod: Json) -> Json:
        template = pods.template(plan, group, pod)
        return {"replicas": count, "restartPolicy": restart, "template": template}

    run: Json = {
        # The launcher fails until the workers have pulled their image.
        "cleanPodPolicy": "Running",
        "backoffLimit": 20,
        **_together(plan, group),
    }
    spec = {
        "slotsPerWorker": group.type.gpus,
        "runPolicy": run,
        "mpiReplicaSpecs": {
            "Launcher": replicas(1, "OnFailure", _launcher(plan, group, placed)),
            "Worker": replicas(nccl.nodes(group), "Never", _worker(plan, group, placed)),
        },
    }
    labels = pods.queue_labels(plan, group)
    namespace = namespaces.group_namespace(plan, group)
    return kubernetes_object(
        mpi_operator.API, "MPIJob", name, namespace=namespace, labels=labels, spec=spec
    )


def _together(plan: Plan, group: NodeGroup) -> Json:
    """The gang scheduling of a job with Volcano: its operator needs the number of pods."""
    queue = namespaces.queue_of(plan, group)
    if plan.kubernetes.scheduler != "volcano" or queue is None:
        return {}
    return {"schedulingPolicy": {"queue": queue.name, "minAvailable": nccl.nodes(group) + 1}}


def _runtime(plan: Plan, group: NodeGroup, name: str, placed: Placed) -> Json:
    def replicated(name: str, pod: Json, labels: Mapping[str, str] | None = None) -> Json:
        spec = {"template": pods.template(plan, group, _named_node(pod))}
        return train_job.replicated(name, spec, labels)

    launcher = replicated("launcher", _launcher(plan, group, placed), train_job.TRAINER_STEP)
    jobs = [
        replicated("node", _worker(plan, group, placed)),
        {**launcher, "dependsOn": [{"name": "node", "status": "Ready"}]},
    ]
    template = {
        "network": {"publishNotReadyAddresses": True},
        "successPolicy": {"operator": "All", "targetReplicatedJobs": ["launcher"]},
        "replicatedJobs": jobs,
    }
    mpi = {
        "numProcPerNode": group.type.gpus,
        "mpiImplementation": "OpenMPI",
        "sshAuthMountPath": _KEYS,
        "runLauncherAsNode": False,
    }
    policy = {"numNodes": nccl.nodes(group), "mpi": mpi}
    return train_job.runtime(plan, group, name, policy, template)


def _named_node(pod: Json) -> Json:
    """The trainer finds its container by this name."""
    [container] = pod["containers"]
    return {**pod, "containers": [{**container, "name": "node"}]}


def _train_job(plan: Plan, group: NodeGroup, name: str) -> Json:
    trainer = {
        "numNodes": nccl.nodes(group),
        "numProcPerNode": group.type.gpus,
        "command": nccl.command(group),
    }
    return train_job.train_job(plan, group, name, trainer)


def _launcher(plan: Plan, group: NodeGroup, placed: Placed) -> Json:
    """The launcher pod, on a node of the group, which already has the image."""
    container = {
        "name": "launcher",
        "image": pulled(plan, IMAGE),
        "command": nccl.command(group),
        "resources": pods.amounts({"cpu": "1", "memory": "2Gi"}),
    }
    return {**placed(plan, group), "containers": [container]}


def _worker(plan: Plan, group: NodeGroup, placed: Placed) -> Json:
    half = capacity.node_capacity(plan, group)[capacity.MEMORY] // 2
    taken = pods.whole_node(plan, group, min(_MEMORY_MIB, half))
    container: dict[str, Any] = {
        "name": "worker",
        "image": pulled(plan, IMAGE),
        "command": ["/usr/sbin/sshd", "-De"],
        "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
    }
    return pods.with_shared_memory(placed(plan, group), taken, container)
