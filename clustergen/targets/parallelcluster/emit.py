"""The bundle: ``cluster.yaml``, ``deploy.sh`` and the scripts that nodes run."""

from __future__ import annotations

from typing import Any

from clustergen import foundation
from clustergen.artifacts import Artifact, Bundle
from clustergen.aws.members import filled
from clustergen.plan.model import Plan
from clustergen.shell import render
from clustergen.targets.parallelcluster import actions, nodes
from clustergen.targets.parallelcluster.head_node import head_node, login_nodes
from clustergen.targets.parallelcluster.limits import VERSION, retention_days
from clustergen.targets.parallelcluster.runbook import runbook
from clustergen.targets.parallelcluster.scheduling import scheduling
from clustergen.targets.parallelcluster.storage import shared_storage
from clustergen.yaml_text import yaml_text

__all__ = ["document", "emit", "runbook", "steps"]

CONFIGURATION = "cluster.yaml"


def document(plan: Plan) -> dict[str, Any]:
    """The cluster configuration, sections in the order of ParallelCluster's documentation."""
    return filled(
        Region=plan.region,
        Image=filled(Os=plan.software.os, CustomAmi=nodes.common_image(plan)),
        HeadNode=head_node(plan, plan.head) if plan.head else None,
        LoginNodes=login_nodes(plan, plan.login) if plan.login else None,
        Scheduling=scheduling(plan),
        SharedStorage=shared_storage(plan),
        Monitoring=_monitoring(plan),
        Tags=[{"Key": key, "Value": value} for key, value in plan.tags.items()],
        Imds={"ImdsSupport": "v2.0"},
    )


def _monitoring(plan: Plan) -> dict[str, Any]:
    days = retention_days(plan.monitoring.log_retention_days)
    return {
        "Logs": {"CloudWatch": {"RetentionInDays": days, "DeletionPolicy": "Retain"}},
        "Dashboards": {"CloudWatch": {"Enabled": plan.monitoring.dashboards == "cloudwatch"}},
    }


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files of a plan but the foundation and README.md; ``document`` has the overlay in it."""
    scripts = actions.own_scripts(plan)
    return (
        Artifact(CONFIGURATION, yaml_text(document)),
        Artifact("deploy.sh", _deploy(plan, scripts), executable=True),
        *(script.artifact for script in scripts),
    )


def _deploy(plan: Plan, scripts: tuple[actions.OwnScript, ...]) -> str:
    return render(
        "parallelcluster/deploy.sh.j2",
        plan=plan,
        version=VERSION,
        foundation=bool(foundation.outputs(plan)),
        subnets=[subnet.id for subnet in (*plan.network.private, *plan.network.public)],
        uploads=[script.key for script in scripts],
        current=[(s.name, s.current_key(plan)) for s in actions.lasting_scripts(plan)],
    )


def steps(plan: Plan) -> list[str]:
    """What to do with the bundle, for its README."""
    return [
        "Install the `pcluster` command, version 3.16.1, and Node.js, which it needs: "
        "`pipx install aws-parallelcluster==3.16.1`.",
        f"`./deploy.sh --dry-run` prints what would happen, `./deploy.sh` creates or updates the "
        f"cluster `{plan.name}`. It asks ParallelCluster to validate `{CONFIGURATION}` first.",
        f"`pcluster describe-cluster -n {plan.name} -r {plan.region}` shows the state; "
        f"`pcluster ssh -n {plan.name} -r {plan.region}` or Session Manager opens a shell.",
        "`./deploy.sh --destroy` deletes the cluster and leaves the foundation with its data.",
    ]
