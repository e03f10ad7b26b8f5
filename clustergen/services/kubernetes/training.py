"""Job templates for training: torchrun on all nodes of a group, with the devices of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clustergen.base.artifacts import Artifact, Json
from clustergen.base.yaml_text import Lines
from clustergen.plan.images import pulled
from clustergen.plan.model import Bucket, Lustre, NodeGroup, Plan
from clustergen.services.kubernetes import (
    capacity,
    namespaces,
    nvlink,
    pods,
    torchrun,
    train_job,
    volumes,
)
from clustergen.services.kubernetes.manifest import annotated, file, kubernetes_object
from clustergen.services.kubernetes.names import VOLCANO_MEMBERS
from clustergen.services.kubernetes.pods import (
    SHARED_MEMORY,
    SHARED_MEMORY_MOUNT,
    Placed,
    PodResources,
)
from clustergen.services.nodes import torchrun as processes

FOLDER = "jobs"
RETRIES = 3
"""How often a job starts again, from its last checkpoint, before it fails."""
PROGRAM = "/workspace/train.py"


@dataclass(frozen=True, slots=True)
class Training:
    """The sizes of a job."""

    name: str
    nodes: int
    processes: int
    """On each node."""
    pod: Json
    """Members of its pods, whose only container starts the program."""

    @property
    def path(self) -> str:
        return f"{FOLDER}/{self.name}.yaml"


def groups(plan: Plan) -> tuple[NodeGroup, ...]:
    """The groups with a job template: those with nodes that have accelerators."""
    return tuple(group for group in plan.node_groups if group.max and group.accelerators[1])


def of_group(plan: Plan, group: NodeGroup, placed: Placed = pods.placed) -> Training:
    """The job of a group: all of its nodes, or one partition of a GPU."""
    name = f"{group.object_name}-torchrun"
    nodes = 1 if group.mig else group.max
    pod = _pod(plan, group, name, placed)
    return Training(name, nodes, processes.processes(group), pod)


def files(plan: Plan) -> Iterator[Artifact]:
    """A job for each group: a TrainJob if Kubeflow Trainer is there, otherwise an Indexed Job."""
    trainer = plan.kubernetes.jobs == "kubeflow-trainer"
    for group in groups(plan):
        job = of_group(plan, group)
        namespace = namespaces.group_namespace(plan, group)
        made = _train_job(plan, group, job) if trainer else _indexed_job(plan, group, job)
        numbers = "`numNodes`" if trainer else "`completions`, `parallelism` and `--nnodes`"
        label = f"jobset.sigs.k8s.io/jobset-name={job.name}" if trainer else f"job-name={job.name}"
        text = comment(plan, group, job, Commands(namespace, label, numbers))
        joins = nvlink.nodes(plan, group)
        domain = [nvlink.domain(job.name, namespace, job.nodes)] if joins else []
        yield file(job.path, text, [*domain, *made])


@dataclass(frozen=True, slots=True)
class Commands:
    """What differs in the instructions for each kind of job."""

    namespace: str
    label: str
    """The label of its pods."""
    numbers: str
    """Where the number of nodes is."""


def comment(plan: Plan, group: NodeGroup, job: Training, how: Commands) -> Iterator[str]:
    """What the job is, what to change, and how to run it."""
    yield f"{_summary(group, job)} Copy this file, then"
    yield "- replace `image`: yours needs PyTorch and the program, and is in a registry that nodes"
    yield f"  can pull from{_needs(group)}"
    yield f"- replace {PROGRAM}, and add the arguments of the program below it"
    if not group.mig:
        yield f"- for fewer nodes, lower {how.numbers}"
    if checkpoints(plan, job.name):
        yield "The program writes checkpoints to $CHECKPOINTS, and begins with the last one that is"
        yield f"there: a job starts again up to {RETRIES} times."
    at = f"--namespace {how.namespace}"
    yield f"  kubectl apply -f {job.path}"
    yield f"  kubectl logs {at} --selector {how.label} --follow --prefix \\"
    yield f"    --max-log-requests {job.nodes}"
    yield f"  kubectl delete -f {job.path}"


def _summary(group: NodeGroup, job: Training) -> str:
    if group.mig:
        return f"PyTorch on one partition of a GPU in {group.name}: NCCL does not join partitions."
    each = f"{job.processes} process{'es' if job.processes > 1 else ''} on each"
    return f"PyTorch on {job.nodes} x {group.type.name}, {each}."


def _needs(group: NodeGroup) -> str:
    if group.type.gpus and group.efa_interfaces and not group.mig:
        return ". For EFA it also needs libfabric and aws-ofi-nccl"
    return ". It needs the Neuron SDK of the driver" if group.type.neuron_devices else ""


def checkpoints(plan: Plan, name: str) -> str:
    """The folder for checkpoints: on Lustre if possible; empty without shared storage."""
    items = [item for item in volumes.mountable(plan) if not volumes.read_only(item)]
    files = [item for item in items if not isinstance(item, Bucket)]
    fast = [item for item in files if isinstance(item, Lustre)]
    found = next(iter((*fast, *files, *items)), None)
    return f"{found.mount.rstrip('/')}/checkpoints/{name}" if found else ""


def _pod(plan: Plan, group: NodeGroup, name: str, placed: Placed) -> Json:
    items = volumes.mountable(plan)
    taken = _taken(plan, group)
    if nvlink.nodes(plan, group):
        taken = nvlink.join(taken, name)
    container: Json = {
        "name": "node",
        "image": pulled(plan, processes.image(group)),
        "args": [PROGRAM],
        "env": [{"name": n, "value": v} for n, v in _environment(plan, group, name).items()],
        **taken.container,
        **_locked(group),
        "volumeMounts": [SHARED_MEMORY_MOUNT, *volumes.pod_mounts(plan, items)],
    }
    return {
        **placed(plan, group),
        **taken.pod,
        "containers": [container],
        "volumes": [SHARED_MEMORY, *volumes.pod_volumes(plan, items)],
    }


def _taken(plan: Plan, group: NodeGroup) -> PodResources:
    """All devices of a node and most of its memory, or one partition with its part."""
    memory = capacity.node_capacity(plan, group)[capacity.MEMORY] * 3 // 4
    if not group.mig:
        # Without huge pages: torchrun's processes turn them off for libfabric, because they fork.
        return pods.resources(plan, group, pods.devices(group), memory=f"{memory}Mi")
    profile = next(iter(group.mig))
    parts = sum(capacity.accelerators(group).values())
    devices = {capacity.partition(profile): 1}
    return pods.resources(plan, group, devices, memory=f"{memory // parts}Mi")


def _locked(group: NodeGroup) -> Json:
    """EFA and Neuron lock the memory of their buffers."""
    if not group.efa_interfaces or group.mig:
        return {}
    return {"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}


def _environment(plan: Plan, group: NodeGroup, name: str) -> dict[str, str]:
    folder = checkpoints(plan, name)
    variables = processes.environment(group)
    if group.mig:  # A pod with one partition has no use for the network.
        variables = {"OMP_NUM_THREADS": variables["OMP_NUM_THREADS"]}
    return {
        **variables,
        # It fails rather than to go through another network.
        **({"NCCL_MNNVL_ENABLE": "1"} if nvlink.nodes(plan, group) else {}),
        **({"CHECKPOINTS": folder} if folder else {}),
    }


def started(job: Training, command: Sequence[str]) -> Json:
    """The members of a pod whose container runs ``command`` with the program."""
    [container] = job.pod["containers"]
    name, image = container["name"], container["image"]
    rest = {key: value for key, value in container.items() if key not in ("name", "image")}
    runs = {"name": name, "image": image, "command": list(command), **rest}
    return {**job.pod, "containers": [runs]}


def _indexed_job(plan: Plan, group: NodeGroup, job: Training) -> Iterator[Json]:
    """A Job that no operator runs, and the names of its pods."""
    namespace = namespaces.group_namespace(plan, group)
    script = torchrun.script(job.name, job.nodes, job.processes, f'--max-restarts={RETRIES} "$@"')
    pod = {
        "restartPolicy": "Never",
        "subdomain": job.name,
        **started(job, ["bash", "-ec", Lines(script), "torchrun"]),
    }
    spec: Json = {
        "completions": job.nodes,
        "parallelism": job.nodes,
        "completionMode": "Indexed",
        # All pods fail with one of them, and each counts.
        "backoffLimit": RETRIES * job.nodes,
        "template": pods.template(plan, group, pod),
    }
    volcano = plan.kubernetes.scheduler == "volcano"
    yield torchrun.service(job.name, namespace)
    labels = pods.queue_labels(plan, group)
    made = kubernetes_object(
        "batch/v1", "Job", job.name, namespace=namespace, labels=labels, spec=spec
    )
    yield annotated(made, {VOLCANO_MEMBERS: str(job.nodes)} if volcano else {})


def _train_job(plan: Plan, group: NodeGroup, job: Training) -> Iterator[Json]:
    """A TrainJob, and its runtime with the pods."""
    [container] = job.pod["containers"]
    plain = {key: value for key, value in container.items() if key != "args"}
    pod = {**job.pod, "containers": [plain]}
    template = {
        "replicatedJobs": [
            train_job.replicated(
                "node",
                {"backoffLimit": 0, "template": pods.template(plan, group, pod)},
                labels=train_job.TRAINER_STEP,
            )
        ],
        "failurePolicy": {"maxRestarts": RETRIES},
    }
    trainer = {
        "numNodes": job.nodes,
        "numProcPerNode": job.processes,
        "command": ["torchrun"],
        "args": container["args"],
    }
    policy = {"numNodes": job.nodes, "torch": {}}
    yield train_job.runtime(plan, group, job.name, policy, template)
    yield train_job.train_job(plan, group, job.name, trainer)
