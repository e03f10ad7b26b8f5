"""The bundle of a HyperPod cluster with EKS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clustergen import foundation
from clustergen.artifacts import Bundle, json_artifact
from clustergen.hyperpod import api, cloudformation, deploy
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import (
    charts,
    cluster,
    karpenter,
    lifecycle,
    limits,
    manifests,
    smoke,
)

REQUEST = "create-cluster.json"
TEMPLATE = "cluster.template.json"


def document(plan: Plan) -> dict[str, Any]:
    """The CreateCluster request, with placeholders for what the foundation gives."""
    return api.document(cluster.request(plan))


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files of the cluster; ``document`` is its request, with the user's overlay."""
    scripts = lifecycle.files(plan)
    return (
        json_artifact(REQUEST, document),
        json_artifact(TEMPLATE, cloudformation.template(document, foundation.OUTPUTS(plan))),
        *scripts,
        *deploy.files(plan, document, scripts),
        charts.values(plan),
        *manifests.files(plan),
        *smoke.files(plan),
    )


def steps(plan: Plan) -> list[str]:
    """What to do with the bundle, in order."""
    name = plan.options.eks_cluster.rpartition("/")[2]
    return [
        f"`aws eks update-kubeconfig --region {plan.region} --name {name}` lets `kubectl` and "
        "`helm` reach the EKS cluster",
        f"before the nodes come, install HyperPod's chart: `{charts.INSTALL_COMMAND}`; "
        f"`{charts.PATH}` says what of it, and why",
        "`./deploy.sh --dry-run` prints every command, `./deploy.sh` runs them: it makes or "
        "updates the cluster from `create-cluster.json` and waits until it is in service",
        "`cluster.template.json` is the same cluster for those who deploy with CloudFormation, "
        "once the foundation is there and `lifecycle/` is copied to the folder in S3 that "
        "SourceS3Uri names; take one of the two, not both",
        f"`kubectl get nodes -L {limits.GROUP_LABEL},{limits.HEALTH_LABEL}` lists the nodes",
        *_after(plan),
        "`./deploy.sh --destroy` deletes the cluster; the EKS cluster, network and data stay",
    ]


def _after(plan: Plan) -> Iterator[str]:
    if karpenter.on(plan):
        yield f"`kubectl apply -f {manifests.KARPENTER}` tells Karpenter what it may start"
    if tests := [file.path for file in smoke.files(plan)]:
        yield (
            f"`kubectl apply -f {tests[0]}` runs a test, and so on, one after the other: the first "
            f"lines of each file say what to expect; of {smoke.FOLDER}/ there are {len(tests)}"
        )
    if plan.kubernetes.admission == "kueue":
        yield (
            "for queues of teams, add HyperPod task governance, which brings Kueue: `aws eks "
            f"create-addon --region {plan.region} --cluster-name "
            f"{plan.options.eks_cluster.rpartition('/')[2]} --addon-name "
            "amazon-sagemaker-hyperpod-taskgovernance`"
        )
    if plan.monitoring.metrics == "managed-prometheus":
        yield (
            "for metrics, add `amazon-sagemaker-hyperpod-observability` in the same way, with the "
            "endpoint of a workspace of Amazon Managed Service for Prometheus"
        )
    if plan.resilience.auto_resume:
        yield (
            "jobs that are to resume by themselves need the annotation "
            f'`{limits.RESUME_ANNOTATION}: "true"`'
        )
    if plan.options.tiered_checkpoints:
        yield (
            f"{plan.options.tiered_checkpoints} % of the memory of each node is kept for "
            "checkpoints, which jobs write to it with SageMakerTieredStorageWriter"
        )
    if plan.storage:
        mounts = ", ".join(item.mount for item in plan.storage)
        yield f"for pods to use {mounts}, add the CSI driver of each, and volumes"
