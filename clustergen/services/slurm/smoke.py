"""Smoke tests of a Slurm cluster as batch jobs."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Bundle, Json
from clustergen.facts.catalog import neuron
from clustergen.plan.model import NodeGroup, Plan, Queue
from clustergen.services.nodes import nccl
from clustergen.services.slurm import jobs as jobs_of
from clustergen.services.slurm.jobs import Cluster

FOLDER = "smoke"
# In Enroot's notation, with a separate registry.
IMAGE = "docker://" + nccl.IMAGE.replace("/", "#", 1)


def files(plan: Plan, cluster: Cluster) -> Bundle:
    """Batch jobs for every node group with a queue, and a script that runs all of them."""
    jobs = [
        job for group, queue in jobs_of.reached(plan) for job in _jobs(plan, group, queue, cluster)
    ]
    if not jobs:
        return ()
    run = Artifact(f"{FOLDER}/run.sh", shell.render("slurm/smoke/run.sh.j2"), executable=True)
    return (*jobs, run)


def _jobs(plan: Plan, group: NodeGroup, queue: Queue, cluster: Cluster) -> Iterator[Artifact]:
    kind, count = group.accelerators
    values = {
        **jobs_of.allocation(group, queue, cluster),
        "nodes": nccl.tested(group),
        "kind": kind if count else "",
        "accelerators": count,
        "efa": group.efa_interfaces,
        "nvlink": cluster.shares_nvlink(group),
        "tasks": 1,
        "minutes": 15,
    }
    yield _job("nodes", "Every node answers, with all its accelerators.", values)
    if group.efa:
        yield _job("efa", "Every node has all its EFA devices.", values)
    if cluster.imex and group.type.nvlink_domain:
        yield _job("imex", "The nodes of a job share an NVLink domain.", values)
    if group.type.gpus and not group.mig:
        yield from _all_reduce(plan, group, values, cluster)
    if kind == "neuron":
        cores = neuron.cores(group.type) or group.type.neuron_devices
        what = "One all-reduce over all accelerators; the table of results is only printed."
        yield _job("nccom", what, {**values, "minutes": 60, "cores": cores})
    if places := jobs_of.shared(plan):
        what = "Every shared file system is the same on all nodes."
        yield _job("file-systems", what, {**values, "places": places})


def _all_reduce(plan: Plan, group: NodeGroup, values: Json, cluster: Cluster) -> Iterator[Artifact]:
    sized = {
        **values,
        "tasks": group.type.gpus,
        "minutes": 60,
        "largest": f"{nccl.largest_gib(group)}G",
        "reference": nccl.reference(group.type),
        "image": IMAGE,
    }
    contained = plan.software.containers == "pyxis" and nccl.image_runs(group)
    if cluster.nccl_tests or not contained:
        yield _job(
            "all-reduce", "One all-reduce over all GPUs, with the programs of the image.", sized
        )
    if contained:
        yield _job("all-reduce-container", "One all-reduce over all GPUs, in a container.", sized)


def _job(test: str, what: str, values: Mapping[str, Any]) -> Artifact:
    text = shell.render(f"slurm/smoke/{test}.sbatch.j2", test=test, what=what, **values)
    return Artifact(f"{FOLDER}/{test}-{values['group']}.sbatch", text)
