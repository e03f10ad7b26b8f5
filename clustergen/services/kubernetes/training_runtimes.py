"""Runtimes of Kubeflow Trainer for every namespace."""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.plan.images import pulled
from clustergen.plan.model import Plan
from clustergen.services.kubernetes import train_job
from clustergen.services.kubernetes.manifest import kubernetes_object

# https://github.com/kubeflow/trainer charts/kubeflow-trainer/files/runtimes (2026-08)
_PYTORCH = "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"


def objects(plan: Plan) -> Iterator[Json]:
    """The runtime of the trainer's examples: torchrun on each node of a TrainJob."""
    if plan.kubernetes.jobs != "kubeflow-trainer":
        return
    container = {"name": "node", "image": pulled(plan, _PYTORCH)}
    node = train_job.replicated(
        "node", {"template": {"spec": {"containers": [container]}}}, train_job.TRAINER_STEP
    )
    yield kubernetes_object(
        train_job.API,
        "ClusterTrainingRuntime",
        "torch-distributed",
        labels={"trainer.kubeflow.org/framework": "torch"},
        spec={
            "mlPolicy": {"numNodes": 1, "torch": {}},
            "template": {"spec": {"replicatedJobs": [node]}},
        },
    )
