"""Objects and charts of an earlier bundle that are no longer in the spec.

Everything that install.sh installs has a label. It deletes labelled objects that the bundle lacks.
"""

from collections.abc import Mapping

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import words
from clustergen.plan.model import Plan

LABEL, _OWNER = "app.kubernetes.io/managed-by", "clustergen"
RELEASE_LABEL = "managed-by"
"""Label of Helm releases, which cannot have a prefix."""
HYPERPOD_RELEASE = "dependencies"
"""HyperPod's chart, which a bundle of the same spec for that target may have installed."""


def _resources(text: str) -> Mapping[tuple[str, str], str]:
    """Group and kind of objects -> resource name in ``kubectl api-resources``."""
    parts = (each.partition(".") for each in words(text))
    return {(group, kind): _plural(kind) + dot + group for kind, dot, group in parts}


# As UnsafeGuessKindToResource in https://github.com/kubernetes/apimachinery
def _plural(kind: str) -> str:
    name = kind.lower()
    if name.endswith("y"):
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith("s") else f"{name}s"


# In order of deletion: users come before what they use. A node pool needs its node class to
# terminate nodes.
RESOURCES = _resources("""
    NodePool.karpenter.sh EC2NodeClass.karpenter.k8s.aws
    HyperpodNodeClass.karpenter.sagemaker.amazonaws.com
    LocalQueue.kueue.x-k8s.io ClusterQueue.kueue.x-k8s.io Cohort.kueue.x-k8s.io
    ResourceFlavor.kueue.x-k8s.io Topology.kueue.x-k8s.io WorkloadPriorityClass.kueue.x-k8s.io
    Queue.scheduling.volcano.sh Queue.scheduling.run.ai PriorityClass.scheduling.k8s.io
    ClusterTrainingRuntime.trainer.kubeflow.org
    StorageClass.storage.k8s.io ResourceClaimTemplate.resource.k8s.io
    Job.batch
    PersistentVolumeClaim PersistentVolume
    Deployment.apps DaemonSet.apps StatefulSet.apps
    Service ConfigMap
    ClusterRoleBinding.rbac.authorization.k8s.io ClusterRole.rbac.authorization.k8s.io
    RoleBinding.rbac.authorization.k8s.io
    ServiceAccount
""")

KEPT = _resources("Namespace CustomResourceDefinition.apiextensions.k8s.io")
"""Objects with user content: install.sh lists those that the bundle lacks, and deletes none."""


def owner(plan: Plan) -> str:
    """The value of the label. An existing cluster may have the objects of several bundles, among
    them the one that created it."""
    return _OWNER if plan.system else f"{_OWNER}-{plan.name}"


def labelled(plan: Plan, item: Json) -> Json:
    """``item`` with the label."""
    metadata = item["metadata"]
    labels = {**metadata.get("labels", {}), LABEL: owner(plan)}
    return {**item, "metadata": {**metadata, "labels": labels}}


def line(item: Json) -> str:
    """An object in the form RESOURCE/NAMESPACE/NAME."""
    key = _key(item)
    resource = RESOURCES.get(key) or KEPT[key]
    metadata = item["metadata"]
    return f"{resource}/{metadata.get('namespace', '')}/{metadata['name']}"


def is_kept(item: Json) -> bool:
    """Whether an object has content of users, which stays: it may have existed before."""
    return _key(item) in KEPT


def _key(item: Json) -> tuple[str, str]:
    group, slash, _ = item["apiVersion"].rpartition("/")
    return (group if slash else "", item["kind"])
