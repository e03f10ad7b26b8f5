"""Job templates for training: PyTorchJobs of the operator that HyperPod's chart installs.

HyperPod resumes only these, of versions 1.7 and 1.8:
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-run-jobs-kubectl.html
"""

from collections.abc import Iterator

from clustergen.base.artifacts import Artifact, Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import pods, training
from clustergen.services.kubernetes.manifest import annotated, file, kubernetes_object
from clustergen.services.kubernetes.training import Commands, Training
from clustergen.targets.hyperpod_eks import governance, limits
from clustergen.targets.hyperpod_eks.smoke import placed, with_the_chart

API = "kubeflow.org/v1"
_CONTAINER = "pytorch"
"""The operator finds its container by this name."""


def files(plan: Plan) -> Iterator[Artifact]:
    """A PyTorchJob for each group with accelerators."""
    for group in training.groups(plan):
        job = training.of_group(with_the_chart(plan), group, placed)
        label = f"training.kubeflow.org/job-name={job.name}"
        numbers = "`replicas`, `minReplicas`, `maxReplicas` and `--nnodes`"
        how = Commands(governance.namespace_of(plan, group), label, numbers)
        yield file(
            job.path, training.comment(plan, group, job, how), [_pytorch_job(plan, group, job)]
        )


def _pytorch_job(plan: Plan, group: NodeGroup, job: Training) -> Json:
    command = ["torchrun", f"--nnodes={job.nodes}", f"--nproc-per-node={job.processes}"]
    pod = training.started(job, command)
    [container] = pod["containers"]
    namespace = governance.namespace_of(plan, group)
    labels = governance.pod_labels(namespace)
    named = {**pod, "containers": [{**container, "name": _CONTAINER}]}
    # Where torchrun's processes meet is in variables that the operator sets from these.
    elastic = {
        "rdzvBackend": "c10d",
        "minReplicas": job.nodes,
        "maxReplicas": job.nodes,
        "maxRestarts": training.RETRIES,
    }
    workers = {
        "replicas": job.nodes,
        "restartPolicy": "OnFailure",
        "template": _labelled(pods.template(with_the_chart(plan), group, named), labels),
    }
    made = kubernetes_object(
        API,
        "PyTorchJob",
        job.name,
        namespace=namespace,
        labels=governance.queue_labels(plan, group),
        spec={
            "nprocPerNode": str(job.processes),
            "elasticPolicy": elastic,
            "pytorchReplicaSpecs": {"Worker": workers},
        },
    )
    return annotated(made, _resumed(plan))


def _labelled(template: Json, labels: Json) -> Json:
    if not labels:
        return template
    metadata = template.get("metadata", {})
    merged = {**metadata, "labels": {**metadata.get("labels", {}), **labels}}
    return {"metadata": merged, "spec": template["spec"]}


def _resumed(plan: Plan) -> dict[str, str]:
    if not plan.resilience.auto_resume:
        return {}
    return {limits.RESUME_ANNOTATION: "true", limits.RETRY_ANNOTATION: str(training.RETRIES)}
