"""The values of the page about HyperPod with EKS in the README."""

from collections.abc import Iterator
from typing import Any

from clustergen.deployment.software.model import HYPERPOD
from clustergen.plan.model import Plan
from clustergen.services.eks import control_plane
from clustergen.services.kubernetes import bundle, training
from clustergen.services.kubernetes.karpenter import is_karpenter
from clustergen.services.kubernetes.manifest import FOLDER
from clustergen.services.kubernetes.names import PRIORITY_LABEL, QUEUE_LABEL
from clustergen.services.monitoring import stack
from clustergen.targets.hyperpod_eks import (
    addons,
    charts,
    cluster,
    governance,
    governance_limits,
    lifecycle,
    limits,
    manifests,
    smoke,
)


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/hyperpod/readme-eks.md.j2``."""
    return {
        "addons_template": addons.TEMPLATE,
        "chart": {"release": HYPERPOD, "parts": charts.PATH},
        "continuous": cluster.is_continuous(plan),
        "eks_cluster": plan.kubernetes_name,
        "group_label": limits.GROUP_LABEL,
        "has_optional": lifecycle.has_optional(plan),
        "has_sample_jobs": bool(training.groups(plan)),
        "has_scripts": bool(lifecycle.files(plan)),
        "health_label": limits.HEALTH_LABEL,
        "karpenter_sizes": _sized_by_karpenter(plan),
        "log_groups": control_plane.log_groups(plan),
        "monitoring_stack": stack.path(plan),
        "objects": [file.path for file in manifests.files(plan)],
        "objects_folder": FOLDER,
        "observability": addons.OBSERVABILITY,
        "priority_label": PRIORITY_LABEL,
        "queue_label": QUEUE_LABEL,
        "quotas": _quotas(plan),
        "quotas_folder": governance.FOLDER,
        "resume_annotation": limits.RESUME_ANNOTATION,
        "task_governance": governance.TASK_GOVERNANCE,
        "tests": [file.path for file in smoke.files(plan)],
        "unknown_types": list(_unknown_types(plan)),
        "volumes": bundle.VOLUMES,
    }


def _quotas(plan: Plan) -> str:
    """What makes the quotas without a deployment by clustergen; empty without quotas."""
    if not governance.wanted(plan):
        return ""
    if plan.region in governance_limits.TEMPLATE_REGIONS:
        return f"`{governance.TEMPLATE}`"
    return (
        "the commands `create-cluster-scheduler-config` and `create-compute-quota` of `./deploy.sh "
        "--dry-run`, with the ARN of the cluster"
    )


def _sized_by_karpenter(plan: Plan) -> str:
    """Which groups Karpenter sizes: ``none``, ``some`` or ``all``."""
    sized = [is_karpenter(plan, group) for group in plan.node_groups]
    return "all" if all(sized) else "some" if any(sized) else "none"


def _unknown_types(plan: Plan) -> Iterator[str]:
    """Instance types that the device plugins of a chart may lack, and where."""
    if types := charts.gpu_types(plan):
        yield f"{', '.join(types)} to the node affinity of `nvidia-device-plugin`"
    if types := charts.efa_types(plan):
        labels = "`supportedInstanceLabels` of `aws-efa-k8s-device-plugin`"
        yield f"{', '.join(types)} to {labels}"
