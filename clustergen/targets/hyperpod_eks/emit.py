"""The bundle of a HyperPod cluster with EKS."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Artifact, Bundle, Json
from clustergen.deployment.kinds import Service
from clustergen.deployment.model import OfTarget
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.aws import cfn, marks
from clustergen.services.eks import control_plane as eks_control_plane
from clustergen.services.hyperpod import cluster as hyperpod_cluster
from clustergen.services.hyperpod import deploy
from clustergen.services.kubernetes import access, bundle, pruning
from clustergen.spec import placeholders
from clustergen.targets.hyperpod_eks import (
    addons,
    charts,
    cluster,
    control_plane,
    eks_cluster,
    governance,
    jobs,
    karpenter,
    lifecycle,
    manifests,
    smoke,
)
from clustergen.targets.hyperpod_eks.readme import values

__all__ = ["deployment", "document", "emit", "values"]

EKS_TEMPLATE = "eks.template.json"


def document(plan: Plan) -> dict[str, Any]:
    """The CreateCluster request, with placeholders for outputs of the foundation."""
    return cluster.request(plan)


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files of the cluster; ``document`` is its request with the user's overlay."""
    scripts = lifecycle.files(plan)
    inside = (*smoke.files(plan), *jobs.files(plan))
    return (
        *deploy.requests(plan, document, _outputs(plan)),
        *scripts,
        *_deployment(plan, document, scripts),
        # The owner of an existing cluster has installed the chart, with values for all groups.
        *((charts.values(plan), charts.install(plan)) if hyperpod_cluster.is_new(plan) else ()),
        *inside,
        *charts.mirrored(plan, (*manifests.files(plan), *inside)),
    )


def deployment(plan: Plan, document: Json) -> OfTarget:  # noqa: ARG001
    """What ``bundle.json`` says of the target."""
    return OfTarget(
        Service("hyperpod-kubernetes", eks_cluster=eks_cluster.name(plan)), script=False
    )


def _outputs(plan: Plan) -> Mapping[str, str]:
    """Name -> description of the outputs of the stacks before the HyperPod cluster."""
    given = foundation.outputs(plan)
    return {**given, **eks_cluster.OUTPUTS} if eks_cluster.is_new(plan) else given


def _deployment(plan: Plan, document: dict[str, Any], scripts: Bundle) -> Bundle:
    """``deploy.sh``, and the files that it deploys besides the cluster."""
    own = (*_eks(plan), *governance.files(plan))
    objects = tuple(manifests.files(plan))
    has_eks = any(file.path == EKS_TEMPLATE for file in own)
    made = deploy.files(
        plan,
        document,
        scripts,
        eks=has_eks,
        eks_parameters=_parameters(own, EKS_TEMPLATE),
        log_groups=[
            name for template in _templates(own, EKS_TEMPLATE) for name in cfn.log_groups(template)
        ],
        admins=access.names(plan) if has_eks else [],
        entry_ids=eks_control_plane.entry_ids(plan),
        addons=_parameters(own, addons.TEMPLATE),
        governed=any(file.path == governance.SCRIPT for file in own),
        quotas=governance.wanted(plan),
        eks_cluster=eks_cluster.name(plan),
        addon=governance.TASK_GOVERNANCE,
        apply=bundle.APPLY,
        applies=len(objects) > 1,
        fills=[file.path for file in objects if placeholders.names(file.text)],
        label=f"{pruning.LABEL}={pruning.owner(plan)}",
        owner=pruning.owner(plan),
        owner_path=pruning.OWNER_PATH,
        pools=[pool.name for pool in karpenter.pools(plan)],
    )
    return (*made, *own, *objects)


def _parameters(files: Bundle, path: str) -> list[str]:
    """The parameters of a template of the bundle; empty where it is not in it."""
    return [name for made in _templates(files, path) for name in made.get("Parameters", {})]


def _templates(files: Bundle, path: str) -> list[dict[str, Any]]:
    return [json.loads(file.text) for file in files if file.path == path]


def _eks(plan: Plan) -> Iterator[Artifact]:
    """The stack of a new EKS cluster, the software in it, and HyperPod's add-ons."""
    if eks_cluster.is_new(plan):
        yield marks.artifact(EKS_TEMPLATE, control_plane.template(plan), plan)
        yield from addons.files(plan)
