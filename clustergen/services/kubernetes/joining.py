"""Software and objects in a cluster that exists, where others have theirs.

What the cluster has stays as it is: a deployment looks for each piece of software, installs those
that are missing, and stops where the name of an object is taken.
"""

from collections.abc import Iterable

from clustergen.base.artifacts import Json
from clustergen.deployment.software.model import CLUSTER_QUEUES, Joined
from clustergen.plan.model import Plan
from clustergen.services.kubernetes import (
    devices,
    kueue,
    kueue_configuration,
    labels_and_taints,
    mpi_operator,
    names,
    namespaces,
    training_runtimes,
)
from clustergen.services.kubernetes.charts import Component
from clustergen.services.kubernetes.labels_and_taints import NODE_GROUP_LABEL
from clustergen.services.kubernetes.manifest import FOLDER


def is_on(plan: Plan) -> bool:
    """Whether the cluster exists without the bundle."""
    return plan.system is None


def joined(plan: Plan, components: Iterable[Component]) -> Joined | None:
    """What the cluster may have of others; None if the bundle creates the cluster."""
    if not is_on(plan):
        return None
    offers = {each.name: each.offer.groups for each in components if each.offer}
    apis = {CLUSTER_QUEUES: kueue.API} if kueue.is_on(plan) else {}
    operator = mpi_operator.is_on(plan)
    return Joined(
        node_label=NODE_GROUP_LABEL,
        namespaces=tuple(
            name for name in namespaces.all_namespaces(plan) if name != namespaces.DEFAULT
        ),
        operator=f"{FOLDER}/mpi-operator.yaml" if operator else "",
        runtimes=f"{FOLDER}/runtimes.yaml" if any(training_runtimes.objects(plan)) else "",
        apis={**apis, **({mpi_operator.CRD: mpi_operator.API} if operator else {})},
        classes=kueue_configuration.device_classes(plan) if kueue.is_on(plan) else {},
        nodes=tuple(devices.nodes(plan, offers, devices.ON_EKS)),
    )


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
