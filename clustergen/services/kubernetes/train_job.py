"""TrainJobs of Kubeflow Trainer, each with a runtime that has its pods.

https://www.kubeflow.org/docs/components/trainer/operator-guides/runtime/ (2.4)
"""

from collections.abc import Mapping

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import namespaces, pods
from clustergen.services.kubernetes.manifest import kubernetes_object

API = "trainer.kubeflow.org/v1alpha1"
TRAINER_STEP = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
"""Labels of the pods that run the command of a TrainJob, in a container called node."""


def replicated(name: str, spec: Json, labels: Mapping[str, str] | None = None) -> Json:
    """A job among those of a runtime."""
    metadata = {"metadata": {"labels": dict(labels)}} if labels else {}
    return {"name": name, "template": {**metadata, "spec": spec}}


def runtime(plan: Plan, group: NodeGroup, name: str, policy: Json, template: Json) -> Json:
    """The runtime of one TrainJob; ``template`` is for its JobSet."""
    spec = {"mlPolicy": policy, **_pod_group(plan), "template": {"spec": template}}
    namespace = namespaces.group_namespace(plan, group)
    return kubernetes_object(API, "TrainingRuntime", name, namespace=namespace, spec=spec)


def _pod_group(plan: Plan) -> Json:
    """The PodGroup settings: without them, Volcano starts each pod separately.

    https://www.kubeflow.org/docs/components/trainer/operator-guides/job-scheduling/volcano/
    """
    return {"podGroupPolicy": {"volcano": {}}} if plan.kubernetes.scheduler == "volcano" else {}


def train_job(plan: Plan, group: NodeGroup, name: str, trainer: Json) -> Json:
    """The TrainJob that uses the runtime of its name, in the queue of a group."""
    reference = {"apiGroup": API.partition("/")[0], "kind": "TrainingRuntime", "name": name}
    return kubernetes_object(
        API,
        "TrainJob",
        name,
        namespace=namespaces.group_namespace(plan, group),
        labels=pods.queue_labels(plan, group),
        spec={"runtimeRef": reference, "trainer": trainer},
    )
