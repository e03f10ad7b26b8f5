"""NCCL's all_reduce test over nodes, as a job of the cluster's operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clustergen.artifacts import Json
from clustergen.kubernetes import capacity, names, namespaces, nccl, pods
from clustergen.kubernetes.manifest import kubernetes_object
from clustergen.kubernetes.pods import Placed, PodResources
from clustergen.nccl import IMAGE, reference
from clustergen.plan.model import NodeGroup, Plan

TRAINER_API = "trainer.kubeflow.org/v1alpha1"
MPI_API = "kubeflow.org/v2beta1"
_KEYS = "/root/.ssh"
SHARED_MEMORY: Json = {"name": "shared-memory", "emptyDir": {"medium": "Memory"}}
SHARED_MEMORY_MOUNT: Json = {"name": "shared-memory", "mountPath": "/dev/shm"}  # noqa: S108 a mount, not a file
_MEMORY_MIB = 32000
"""Memory of a worker, as in AWS's examples; less on small nodes."""


def objects(plan: Plan, group: NodeGroup, name: str, placed: Placed) -> Iterator[Json]:
    """An MPIJob, or a TrainJob with its runtime."""
    if plan.kubernetes.jobs == "kubeflow-trainer":
        yield _runtime(plan, group, name, placed)
        yield _train_job(plan, group, name)
    else:
        yield _mpi_job(plan, group, name, placed)


def comment(plan: Plan, group: NodeGroup, name: str, folder: str) -> Iterator[str]:
    """How to run the job, and its expected output."""
    at = f"--namespace {namespaces.group_namespace(plan, group)}"
    trainer = plan.kubernetes.jobs == "kubeflow-trainer"
    nodes = nccl.nodes(group)
    yield f"NCCL all_reduce over {nodes} x {group.type.gpus} GPUs. Run it while the nodes are idle:"
    yield f"  kubectl apply -f {folder}/{name}.yaml"
    yield f"  kubectl logs {at} --follow --selector {_launcher_label(name, trainer)}"
    yield f"  kubectl delete {at} {'trainjob' if trainer else 'mpijob'}/{name}"
    yield 'The output must have "# Out of bounds values : 0 OK"'
    if interfaces := group.efa_interfaces:
        yield f'and from NET/OFI "Selected provider is efa" with {interfaces} nics.'
    if published := reference(group.type):
        yield published


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
    return kubernetes_object(MPI_API, "MPIJob", name, namespace=namespace, labels=labels, spec=spec)


def _together(plan: Plan, group: NodeGroup) -> Json:
    """The gang scheduling of a job with Volcano: its operator needs the number of pods."""
    queue = namespaces.queue_of(plan, group)
    if plan.kubernetes.scheduler != "volcano" or queue is None:
        return {}
    return {"schedulingPolicy": {"queue": queue.name, "minAvailable": nccl.nodes(group) + 1}}


def _runtime(plan: Plan, group: NodeGroup, name: str, placed: Placed) -> Json:
    """https://www.kubeflow.org/docs/components/trainer/operator-guides/runtime/ (2.4)"""
    ancestor = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    launcher, worker = _launcher(plan, group, placed), _worker(plan, group, placed)
    jobs = [
        _replicated(plan, group, "node", _named_node(worker)),
        {
            **_replicated(plan, group, "launcher", _named_node(launcher), labels=ancestor),
            "dependsOn": [{"name": "node", "status": "Ready"}],
        },
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
    spec = {"mlPolicy": policy, **_pod_group(plan), "template": {"spec": template}}
    namespace = namespaces.group_namespace(plan, group)
    return kubernetes_object(TRAINER_API, "TrainingRuntime", name, namespace=namespace, spec=spec)


def _pod_group(plan: Plan) -> Json:
    """The PodGroup settings: without them, Volcano starts each pod separately.

    https://www.kubeflow.org/docs/components/trainer/operator-guides/job-scheduling/volcano/
    """
    return {"podGroupPolicy": {"volcano": {}}} if plan.kubernetes.scheduler == "volcano" else {}


def _replicated(
    plan: Plan, group: NodeGroup, name: str, pod: Json, labels: dict[str, str] | None = None
) -> Json:
    job: Json = {"spec": {"template": pods.template(plan, group, pod)}}
    return {
        "name": name,
        "template": {**({"metadata": {"labels": labels}} if labels else {}), **job},
    }


def _named_node(pod: Json) -> Json:
    """The trainer finds its container by this name."""
    [container] = pod["containers"]
    return {**pod, "containers": [{**container, "name": "node"}]}


def _train_job(plan: Plan, group: NodeGroup, name: str) -> Json:
    spec = {
        "runtimeRef": {
            "apiGroup": TRAINER_API.partition("/")[0],
            "kind": "TrainingRuntime",
            "name": name,
        },
        "trainer": {
            "numNodes": nccl.nodes(group),
            "numProcPerNode": group.type.gpus,
            "command": nccl.command(group),
        },
    }
    labels = pods.queue_labels(plan, group)
    namespace = namespaces.group_namespace(plan, group)
    return kubernetes_object(
        TRAINER_API, "TrainJob", name, namespace=namespace, labels=labels, spec=spec
    )


def _launcher(plan: Plan, group: NodeGroup, placed: Placed) -> Json:
    """The launcher pod, on a node of the group, which already has the image."""
    container = {
        "name": "launcher",
        "image": IMAGE,
        "command": nccl.command(group),
        "resources": pods.amounts({"cpu": "1", "memory": "2Gi"}),
    }
    return {**placed(plan, group), "containers": [container]}


def _worker(plan: Plan, group: NodeGroup, placed: Placed) -> Json:
    taken = _all_of_a_node(plan, group)
    container: dict[str, Any] = {
        "name": "worker",
        "image": IMAGE,
        "command": ["/usr/sbin/sshd", "-De"],
        "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
        **taken.container,
        "volumeMounts": [SHARED_MEMORY_MOUNT],
    }
    return {
        **placed(plan, group),
        **taken.pod,
        "containers": [container],
        "volumes": [SHARED_MEMORY],
    }


def _all_of_a_node(plan: Plan, group: NodeGroup) -> PodResources:
    """All devices of a node, and huge pages for the buffers of libfabric."""
    pages = {names.HUGE_PAGES: f"{names.HUGE_PAGES_OF_A_POD_MIB}Mi"}
    huge = pages if capacity.huge_pages(plan, group) else {}
    memory = min(_MEMORY_MIB, capacity.node_capacity(plan, group)[capacity.MEMORY] // 2)
    return pods.resources(plan, group, pods.devices(group), memory=f"{memory}Mi", **huge)
