"""Objects and charts of an earlier bundle that are no longer in the spec.

Everything that install.sh installs has a label. It deletes labelled objects that the bundle lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan

LABEL, _OWNER = "app.kubernetes.io/managed-by", "clustergen"
RELEASE_LABEL = "managed-by"
"""Label of Helm releases, which cannot have a prefix."""
HYPERPOD_RELEASE = "dependencies"
"""HyperPod's chart, which a bundle of the same spec for that target may have installed."""

# In order of deletion: users come before what they use. A node pool needs its node class to
# terminate nodes.
RESOURCES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("karpenter.sh", "NodePool"): "nodepools.karpenter.sh",
        ("karpenter.k8s.aws", "EC2NodeClass"): "ec2nodeclasses.karpenter.k8s.aws",
        (
            "karpenter.sagemaker.amazonaws.com",
            "HyperpodNodeClass",
        ): "hyperpodnodeclasses.karpenter.sagemaker.amazonaws.com",
        ("kueue.x-k8s.io", "LocalQueue"): "localqueues.kueue.x-k8s.io",
        ("kueue.x-k8s.io", "ClusterQueue"): "clusterqueues.kueue.x-k8s.io",
        ("kueue.x-k8s.io", "Cohort"): "cohorts.kueue.x-k8s.io",
        ("kueue.x-k8s.io", "ResourceFlavor"): "resourceflavors.kueue.x-k8s.io",
        ("kueue.x-k8s.io", "Topology"): "topologies.kueue.x-k8s.io",
        ("kueue.x-k8s.io", "WorkloadPriorityClass"): "workloadpriorityclasses.kueue.x-k8s.io",
        ("scheduling.volcano.sh", "Queue"): "queues.scheduling.volcano.sh",
        ("scheduling.run.ai", "Queue"): "queues.scheduling.run.ai",
        ("scheduling.k8s.io", "PriorityClass"): "priorityclasses.scheduling.k8s.io",
        (
            "trainer.kubeflow.org",
            "ClusterTrainingRuntime",
        ): "clustertrainingruntimes.trainer.kubeflow.org",
        ("storage.k8s.io", "StorageClass"): "storageclasses.storage.k8s.io",
        ("resource.k8s.io", "ResourceClaimTemplate"): "resourceclaimtemplates.resource.k8s.io",
        ("batch", "Job"): "jobs.batch",
        ("", "PersistentVolumeClaim"): "persistentvolumeclaims",
        ("", "PersistentVolume"): "persistentvolumes",
        ("apps", "Deployment"): "deployments.apps",
        ("apps", "DaemonSet"): "daemonsets.apps",
        ("apps", "StatefulSet"): "statefulsets.apps",
        ("", "Service"): "services",
        ("", "ConfigMap"): "configmaps",
        (
            "rbac.authorization.k8s.io",
            "ClusterRoleBinding",
        ): "clusterrolebindings.rbac.authorization.k8s.io",
        ("rbac.authorization.k8s.io", "ClusterRole"): "clusterroles.rbac.authorization.k8s.io",
        ("rbac.authorization.k8s.io", "RoleBinding"): "rolebindings.rbac.authorization.k8s.io",
        ("", "ServiceAccount"): "serviceaccounts",
    }
)
"""Group and kind of objects -> resource name in ``kubectl api-resources``."""

KEPT: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("", "Namespace"): "namespaces",
        (
            "apiextensions.k8s.io",
            "CustomResourceDefinition",
        ): "customresourcedefinitions.apiextensions.k8s.io",
    }
)
"""Objects with user content: install.sh lists those that the bundle lacks, and deletes none.
"""


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
