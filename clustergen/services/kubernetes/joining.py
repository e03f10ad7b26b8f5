"""Software and objects in a cluster that exists, where others have theirs.

What the cluster has stays as it is: install.sh looks for each piece of software, installs those
that are missing, and stops where the name of an object is taken.
"""

from collections.abc import Iterable
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.kubernetes import (
    charts,
    devices,
    kueue,
    kueue_configuration,
    labels_and_taints,
    mpi_operator,
    names,
    namespaces,
    pruning,
    training_runtimes,
)
from clustergen.services.kubernetes.charts import Component
from clustergen.services.kubernetes.labels_and_taints import NODE_GROUP_LABEL

_MPI_SIGN: Final = f"image/{mpi_operator.NAME}"
"""Not its kind: install.sh never deletes that."""


def is_on(plan: Plan) -> bool:
    """Whether the cluster exists without the bundle."""
    return plan.system is None


def values(
    plan: Plan, components: Iterable[Component] = (), *, label: str = NODE_GROUP_LABEL
) -> dict[str, Any]:
    """Values for install.sh; ``label`` is that of nodes with the name of their group."""
    if not is_on(plan):
        return {}
    offers = {each.name: each.offer.groups for each in components if each.offer}
    groups = ",".join(group.name for group in plan.node_groups)
    classes = kueue_configuration.device_classes(plan) if kueue.is_on(plan) else {}
    return {
        "owner": pruning.owner(plan),
        "spaces": [name for name in namespaces.all_namespaces(plan) if name != namespaces.DEFAULT],
        "mpi_sign": _MPI_SIGN,
        "shared_runtimes": [each["metadata"]["name"] for each in training_runtimes.objects(plan)],
        "kueue_api": kueue.API if kueue.is_on(plan) else "",
        "device_classes": [word for pair in classes.items() for word in pair],
        "devices_of_charts": [(c.name, c.devices) for c in charts.EVERY if c.devices],
        "device_nodes": devices.nodes(plan, offers, devices.ON_EKS),
        "device_charts": [chart.name for chart in charts.OF_DEVICES],
        "node_group_label": label,
        "group_selector": f"{label} in ({groups})",
        "other_nodes": f"{label} notin ({groups})",
        "mpi_api": mpi_operator.API if mpi_operator.is_on(plan) else "",
    }


def queue_labels(plan: Plan, namespace: str) -> dict[str, str]:
    """Labels of a job in the namespace of a queue.

    The owner's Kueue may hold every job that names no queue (manageJobsWithoutQueueName).
    https://kueue.sigs.k8s.io/docs/tasks/manage/enforce_job_management/setup_job_admission_policy/
    """
    queued = kueue.is_on(plan) and any(queue.name == namespace for queue in plan.queues)
    return {names.QUEUE_LABEL: namespace} if queued else {}


def on_own_nodes(plan: Plan, label: str = NODE_GROUP_LABEL) -> Json:
    """Members of a pod that select nodes of the bundle: others do not reach its file systems."""
    affinity = labels_and_taints.affinity_to(plan.node_groups, label)
    return {"affinity": affinity, "tolerations": [{"operator": "Exists"}]}
