"""The bundle of a HyperPod cluster with Slurm."""

from __future__ import annotations

from typing import Any

from clustergen import foundation
from clustergen.artifacts import Bundle, json_artifact
from clustergen.hyperpod import api, cloudformation, deploy, smoke
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm import cluster, lifecycle

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
        *smoke.slurm(plan),
    )


def steps(plan: Plan) -> list[str]:
    """What to do with the bundle, in order."""
    reach = "login" if plan.login else "controller"
    return [
        "`./deploy.sh --dry-run` prints every command, `./deploy.sh` runs them: it makes or "
        "updates the cluster from `create-cluster.json` and waits until it is in service",
        "`cluster.template.json` is the same cluster for those who deploy with CloudFormation; "
        "take one of the two, not both",
        f"`aws sagemaker list-cluster-nodes --cluster-name {plan.name} --region {plan.region}` "
        f"shows the nodes; Session Manager opens a shell on one of the group {reach}: `aws ssm "
        "start-session --target sagemaker-cluster:CLUSTER-ID_GROUP-INSTANCE-ID`",
        "`verify.sh`, run as root on a node, says what is not right there; `smoke/run.sh`, run "
        "where jobs are submitted, tests GPUs, EFA, NCCL and the file systems",
        "`./deploy.sh --destroy` deletes the cluster; network and data stay",
    ]
