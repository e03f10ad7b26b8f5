"""Volumes for pods."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import Ontap, OpenZfs, Plan
from clustergen.services.kubernetes import volumes
from clustergen.targets.eks.options import Options
from clustergen.targets.eks.rules import rule


@rule(
    "STG501",
    "Volume whose path only FSx knows",
    why="Pods mount it by the path that FSx exports it under. A deployment asks FSx for that path; "
    "a stack cannot.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_DescribeVolumes.html",
    bad="""targets: {eks: {install: stack}}
storage:
  - mount: /home
    type: fsx-openzfs
    existing: {id: fs-0a1b2c3d4e5f67890, volume_id: fsvol-0a1b2c3d4e5f67890}""",
)
def unknown_path(plan: Plan) -> Iterator[Problem]:
    if not plan.options_as(Options).by_stack:
        return
    unknown = volumes.unknown_paths(plan)
    for item in plan.storage:
        if isinstance(item, OpenZfs | Ontap) and item.volume in unknown:
            yield Problem(
                item.at("existing", "volume_id"),
                f"a stack does not know the path of {item.volume}",
                help="write targets.eks.install: script, which asks FSx",
                fix=unsafe(put(("targets", "eks", "install"), "script")),
            )


@rule(
    "K8S550",
    "Prometheus without the EBS driver for its volume",
    why="Prometheus in the cluster keeps its samples on an EBS volume, and waits for it.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/ebs-csi.html",
    bad="monitoring: {metrics: self-hosted}\ntargets: {eks: {leave_out: [ebs-driver]}}",
    good="targets: {eks: {leave_out: [ebs-driver]}}",
)
def no_driver(plan: Plan) -> Iterator[Problem]:
    if plan.options.leaves_out("ebs-driver") and plan.monitoring.metrics == "self-hosted":
        path = ("monitoring", "metrics")
        yield Problem(
            path,
            "Prometheus needs an EBS volume, and leave_out has ebs-driver",
            help="write managed-prometheus, or remove ebs-driver from leave_out",
            fix=unsafe(put(path, "managed-prometheus")),
        )
