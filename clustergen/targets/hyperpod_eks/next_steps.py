"""The next steps for the README of the bundle."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import mirror, placeholders
from clustergen.eks import control_plane
from clustergen.hyperpod import cluster, runbook
from clustergen.kubernetes import bundle, training
from clustergen.kubernetes.manifest import FOLDER
from clustergen.monitoring import stack
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import (
    addons,
    charts,
    eks_cluster,
    governance,
    jobs,
    karpenter,
    lifecycle,
    limits,
    manifests,
    smoke,
)
from clustergen.targets.hyperpod_eks.options import Options


def steps(plan: Plan) -> list[str]:
    """The next steps, in order."""
    return [*_before(plan), *_cluster_steps(plan), *_after(plan), _last(plan)]


def _before(plan: Plan) -> Iterator[str]:
    yield from mirror.steps(plan, " and HyperPod's chart")
    programs = "`kubectl` and `helm`" if plan.software.registry else "`kubectl`, `helm` and `git`"
    if eks_cluster.is_new(plan):
        yield f"`deploy.sh` needs `aws`, {programs}"
        if not plan.kubernetes.public_endpoint_from:
            yield (
                "the API of the new EKS cluster is reachable only from the VPC: "
                f"{control_plane.way_in(plan)}"
            )
        return
    yield (
        f"`aws eks update-kubeconfig --region {plan.region} --name {eks_cluster.name(plan)}` lets "
        "`kubectl` and `helm` reach the EKS cluster"
    )
    if not cluster.is_new(plan):
        yield from _chart(plan)
        return
    yield (
        f"before nodes are created, `./{charts.INSTALL}` installs HyperPod's chart, with "
        f"{programs}; `{charts.PATH}` lists its parts, with reasons. It leaves out device "
        "plugins and operators that the EKS cluster has, and stops where it has the chart already: "
        "its owner then adds what it lacks of these values"
    )


def _chart(plan: Plan) -> Iterator[str]:
    """What HyperPod's chart, which the owner of the cluster has installed, has to know."""
    yield f"HyperPod's chart is in the EKS cluster already{_unknown_types(plan)}"


def _unknown_types(plan: Plan) -> str:
    """The lists of its device plugins that may lack an instance type."""
    lists = {
        "the node affinity of `nvidia-device-plugin`": charts.gpu_types(plan),
        "`supportedInstanceLabels` of `aws-efa-k8s-device-plugin`": charts.efa_types(plan),
    }
    lacking = [f"{', '.join(types)} to {where}" for where, types in lists.items() if types]
    if not lacking:
        return ""
    return (
        ". Its device plugins run on the instance types of its values only: have its owner add "
        f"{' and '.join(lacking)} where they lack it, and tolerations for taints of the added nodes"
    )


def _cluster_steps(plan: Plan) -> Iterator[str]:
    if eks_cluster.is_new(plan):
        yield (
            "`./deploy.sh --dry-run` prints every command, `./deploy.sh` runs them, and may be run "
            "again at any time: the stack of the EKS cluster, HyperPod's chart (`install.sh`), the "
            "cluster from `create-cluster.json`, and once it is in service the add-ons and quotas"
        )
        yield (
            "to deploy with CloudFormation, use `foundation.template.json` and "
            f"`eks.template.json`, then `install.sh`, {_copy(plan)}"
            f"then `cluster.template.json`, `{addons.TEMPLATE}` and "
            f"`{governance.SCRIPT}`, and {_applied(plan)}{stack.deployed_last(plan)}; "
            f"use one of the two ways, not both{_counts(plan)}"
        )
        yield (
            f"`aws eks update-kubeconfig --region {plan.region} --name {plan.name}` lets `kubectl` "
            "reach the EKS cluster; `kubernetes.admins` and `kubernetes.access` list who else can"
        )
    elif not cluster.is_new(plan):
        yield from runbook.joined(plan)
    else:
        yield (
            "`./deploy.sh --dry-run` prints every command, `./deploy.sh` runs them: it creates "
            "or updates the cluster from `create-cluster.json` and waits until it is in service"
        )
        yield (
            "`cluster.template.json` is the same cluster for a deployment with CloudFormation, "
            f"once the foundation exists{_copied(plan)}{stack.deployed_last(plan)}; use one of the "
            f"two, not both{_counts(plan)}"
        )
    yield f"`kubectl get nodes -L {limits.GROUP_LABEL},{limits.HEALTH_LABEL}` lists the nodes"


def _copy(plan: Plan) -> str:
    """The step for the scripts of the bundle, if it has any."""
    if not lifecycle.files(plan):
        return ""
    return "copy `lifecycle/` to the folder in S3 that SourceS3Uri names, "


def _copied(plan: Plan) -> str:
    if not lifecycle.files(plan):
        return ""
    return " and `lifecycle/` is copied to the folder in S3 that SourceS3Uri names"


def _applied(plan: Plan) -> str:
    """What creates the objects in the EKS cluster, without ``deploy.sh``."""
    fills = any(placeholders.names(file.text) for file in manifests.files(plan))
    options = " --outputs FILE`, with the outputs of the stacks," if fills else "`"
    return f"`./{bundle.APPLY}{options} for `{FOLDER}/`"


def _counts(plan: Plan) -> str:
    if not any(karpenter.scales(plan, group) for group in plan.node_groups):
        return ""
    return (
        ". For each group that Karpenter scales, `cluster.template.json` has a parameter: 0 for a "
        "new cluster, and with every update the number of nodes that the group has by then"
    )


def _after(plan: Plan) -> Iterator[str]:
    if not eks_cluster.is_new(plan):
        yield from _objects(plan)
    if tests := [file.path for file in smoke.files(plan)]:
        yield (
            f"`kubectl apply -f {tests[0]}` runs the first of the {len(tests)} tests in "
            f"{smoke.FOLDER}/; run one at a time: its first lines say what to expect"
        )
    if jobs.groups(plan):
        yield training.STEP
    yield from _addons(plan)
    if percent := plan.options_as(Options).tiered_checkpoints:
        yield (
            f"{percent} % of the memory of each node is kept for "
            "checkpoints, which jobs write to it with SageMakerTieredStorageWriter"
        )
    if plan.resilience.auto_resume:
        yield (
            "jobs that HyperPod resumes automatically need the annotation "
            f'`{limits.RESUME_ANNOTATION}: "true"`, as those in `{training.FOLDER}/` have'
        )
    yield from _volumes(plan)


def _objects(plan: Plan) -> Iterator[str]:
    """What ``deploy.sh`` creates in an EKS cluster of others."""
    made = [file.path for file in manifests.files(plan) if file.path.startswith(FOLDER)]
    if not made:
        return
    mounts = ", ".join(item.mount for item in plan.storage)
    if mounts:
        yield (
            f"pods get {mounts} by the claims in `{bundle.VOLUMES}`, once the EKS cluster has "
            "the CSI drivers: `kubectl get csidrivers` lists them"
        )
    yield (
        f"`./{bundle.APPLY}` creates the objects of {', '.join(f'`{path}`' for path in made)} in "
        "the EKS cluster, with names that others do not have; `deploy.sh` runs it, and deletes "
        "objects that left the spec"
    )


def _volumes(plan: Plan) -> Iterator[str]:
    mounts = ", ".join(item.mount for item in plan.storage)
    if mounts and eks_cluster.is_new(plan):
        yield f"pods get {mounts} by the claims in `{bundle.VOLUMES}`"


def _addons(plan: Plan) -> Iterator[str]:
    if governance.wanted(plan):
        team = plan.queues[0].name
        yield (
            f"a queue is a team with a quota (`{governance.FOLDER}/`): its jobs are in the "
            f"namespace `hyperpod-ns-{team}`, with the label `kueue.x-k8s.io/queue-name: "
            f"hyperpod-ns-{team}-localqueue`, and so on for each queue"
        )
    if eks_cluster.is_new(plan) or not cluster.is_new(plan):
        return
    name = eks_cluster.name(plan)
    if governance.wanted(plan):
        yield (
            "quotas need HyperPod task governance, which installs Kueue for all of the EKS cluster "
            f"{name}. If it is missing, agree on that with the owner of {name}: `aws eks "
            f"create-addon --region {plan.region} --cluster-name {name} --addon-name "
            f"{governance.TASK_GOVERNANCE}`; then `./{governance.SCRIPT}` makes the quotas"
        )
    if plan.monitoring.metrics == "managed-prometheus":
        yield (
            f"metrics need the add-on `{addons.OBSERVABILITY}`, with the endpoint of a workspace "
            "of Amazon Managed Service for Prometheus. It measures all of the EKS cluster, so "
            f"leave it to the owner of {name}"
        )


def _last(plan: Plan) -> str:
    if eks_cluster.is_new(plan):
        return (
            "`./deploy.sh --destroy` deletes quotas, add-ons, the cluster and the EKS cluster; "
            "network and data stay"
        )
    return runbook.destroy(plan, "the EKS cluster, network and data stay")
