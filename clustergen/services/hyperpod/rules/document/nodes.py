"""Instance types of a group, and health checks."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.rules.document import in_group, rule

_CPU = "node_groups: [{name: h200, instance_type: c6i.8xlarge}]\n"
_CHECKS = "OnStartDeepHealthChecks: [InstanceStress]"
_SEVERAL = "InstanceRequirements: {InstanceTypes: [ml.p5en.48xlarge, ml.p5e.48xlarge]}"


@rule(
    "OVL307",
    "Deep health checks of nodes without accelerators",
    why="Deep health checks stress GPUs and Trainium. HyperPod rejects them on other instances.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-eks-resiliency-deep-health-checks.html",
    bad=_CPU + in_group(_CHECKS),
    good=in_group(_CHECKS),
)
def deep_health_checks(document: Document) -> Iterator[Problem]:
    for group in document.all_groups:
        checked = bool(group.data.get("OnStartDeepHealthChecks"))
        if checked and not all(type.gpus or type.neuron_devices for type in group.types):
            yield group.problem(
                "OnStartDeepHealthChecks",
                "deep health checks of nodes without accelerators",
                "remove OnStartDeepHealthChecks",
            )


@rule(
    "OVL322",
    "Both InstanceType and InstanceRequirements, or neither",
    why="A group has one instance type or a list of them.",
    source=limits.INSTANCE_GROUP,
    bad=in_group(_SEVERAL),
    good=in_group(f"InstanceType: null, {_SEVERAL}"),
)
def instance_type(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        kinds = [name for name in ("InstanceType", "InstanceRequirements") if name in group]
        if len(kinds) != 1:
            yield group.problem(
                "InstanceRequirements",
                f"{'both' if kinds else 'neither'} InstanceType and InstanceRequirements",
                "keep one of them",
            )
