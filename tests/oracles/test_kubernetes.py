"""The validators of Kubernetes objects: a good bundle with one value changed has to be caught."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from tests.kubernetes.planned import files_of
from tests.kubernetes.specs import SPECS, STORAGE
from tests.oracles.kubernetes import kubernetes_violations
from tests.oracles.seeding import GONE, changed

_VERSION = "1.35"

QUEUES = SPECS["queues that share groups, and one that does not"]
KARPENTER = SPECS["Karpenter, Spot and a reservation"]
TRAINER = SPECS["TrainJob"]
CLAIMS = SPECS["claims of devices"]

_KUEUE, _VOLUMES = "manifests/kueue.yaml", "manifests/volumes.yaml"
_REDUCE, _COUNT = "smoke/h200-all-reduce.yaml", "smoke/h200-accelerators.yaml"
_NODES, _POOL = "manifests/karpenter.yaml", "EC2NodeClass/spot"
_WORKER = "spec.mpiReplicaSpecs.Worker.template"

# Spec, file, kind/name of the object, path in it, value, and words of the violation.
FAULTS: dict[str, tuple[str, str, str, str, Any, str]] = {
    # Kubernetes' own schemas
    "a field that pods have not": (
        "",
        _COUNT,
        "Job/h200-accelerators",
        "spec.template.spec.nodeselector",
        {},
        "nodeselector",
    ),
    "a limit that is a number of things": (
        "",
        _COUNT,
        "Job/h200-accelerators",
        "spec.completions",
        "2",
        "'2' is not of type",
    ),
    "a claim without exactly": (
        CLAIMS,
        "manifests/claims.yaml",
        "ResourceClaimTemplate/h200-efa",
        "spec.spec.devices.requests.0",
        {"name": "efa", "deviceClassName": "x"},
        "deviceClassName",
    ),
    "more devices than a claim holds": (
        CLAIMS,
        "manifests/claims.yaml",
        "ResourceClaimTemplate/h200-efa",
        "spec.spec.devices.requests.0.exactly.count",
        40,
        "more than 32",
    ),
    "a claim of all devices": (
        CLAIMS,
        "manifests/claims.yaml",
        "ResourceClaimTemplate/h200-efa",
        "spec.spec.devices.requests.0.exactly.allocationMode",
        "All",
        "no number",
    ),
    "a constraint on nothing": (
        CLAIMS,
        "manifests/claims.yaml",
        "ResourceClaimTemplate/h200-gpu",
        "spec.spec.devices.constraints.0.requests",
        ["gpu", "nic"],
        "no request",
    ),
    "a partition by its profile's own name": (
        "",
        _COUNT,
        "Job/h200-accelerators",
        "spec.template.spec.containers.0.resources.requests",
        {"nvidia.com/mig-1g.10gb+me": "7"},
        "no name of a resource",
    ),
    "an API of another version": (
        CLAIMS,
        "manifests/claims.yaml",
        "ResourceClaimTemplate/h200-efa",
        "apiVersion",
        "resource.k8s.io/v1alpha2",
        "has no",
    ),
    "a definition without a schema's type": (
        "",
        "manifests/mpi-operator.yaml",
        "CustomResourceDefinition/mpijobs.kubeflow.org",
        "spec.scope",
        GONE,
        "scope",
    ),
    # Forms and references
    "an access mode that is none": (
        STORAGE,
        _VOLUMES,
        "PersistentVolumeClaim/fsx",
        "spec.accessModes.0",
        "ReadWriteAll",
        "no access mode",
    ),
    "a claim that gets a new volume": (
        STORAGE,
        _VOLUMES,
        "PersistentVolumeClaim/fsx",
        "spec.storageClassName",
        GONE,
        "storageClassName",
    ),
    "a volume of another claim": (
        STORAGE,
        _VOLUMES,
        "PersistentVolume/fsx.h200",
        "spec.claimRef.name",
        "home",
        "another claim's",
    ),
    "no such claim": (
        STORAGE,
        "smoke/h200-file-systems.yaml",
        "Job/h200-file-systems",
        "spec.template.spec.volumes.0.persistentVolumeClaim.claimName",
        "fsy",
        "no Persistent",
    ),
    "no such template of claims": (
        CLAIMS,
        _COUNT,
        "Job/h200-accelerators",
        "spec.template.spec.resourceClaims.0.resourceClaimTemplateName",
        "x",
        "no ResourceClaim",
    ),
    "no such namespace": ("", _COUNT, "Job/h200-accelerators", "metadata.namespace", "h100", "no "),
    "a mount of no volume": (
        "",
        _REDUCE,
        "MPIJob/h200-all-reduce",
        f"{_WORKER}.spec.volumes",
        [],
        "no volume of it",
    ),
    "more devices allowed than asked for": (
        "",
        _COUNT,
        "Job/h200-accelerators",
        "spec.template.spec.containers.0.resources.limits",
        {"nvidia.com/gpu": "9"},
        "the limit",
    ),
    "no effect of a taint": (
        "",
        _COUNT,
        "Job/h200-accelerators",
        "spec.template.spec.tolerations.0.effect",
        "NO_SCHEDULE",
        "no effect",
    ),
    # Kueue
    "the cohort by its old name": (
        QUEUES,
        _KUEUE,
        "ClusterQueue/train",
        "spec.cohort",
        "x",
        "there is no cohort",
    ),
    "an older API of Kueue": (
        "",
        _KUEUE,
        "Topology/aws-network",
        "apiVersion",
        "kueue.x-k8s.io/v1alpha1",
        "deprecated",
    ),
    "no such cohort": (QUEUES, _KUEUE, "ClusterQueue/train", "spec.cohortName", "x", "no Cohort x"),
    "EFA not covered": (
        "",
        _KUEUE,
        "ClusterQueue/h200",
        "spec.resourceGroups.0.coveredResources.4",
        "example.com/efa",
        "waits for ever",
    ),
    "resources in another order": (
        "",
        _KUEUE,
        "ClusterQueue/h200",
        "spec.resourceGroups.0.flavors.0.resources.0.name",
        "memory",
        "another order",
    ),
    "no such flavor": (
        "",
        _KUEUE,
        "ClusterQueue/h200",
        "spec.resourceGroups.0.flavors.0.name",
        "h100",
        "no ResourceFlavor",
    ),
    "too few GPUs for the test": (
        "",
        _KUEUE,
        "ClusterQueue/h200",
        "spec.resourceGroups.0.flavors.0.resources.3.nominalQuota",
        "8",
        "more nvidia.com/gpu",
    ),
    "a quota that is no quantity": (
        "",
        _KUEUE,
        "ClusterQueue/h200",
        "spec.resourceGroups.0.flavors.0.resources.3.nominalQuota",
        "16 GPUs",
        "no quantity",
    ),
    "no such topology": (
        "",
        _KUEUE,
        "ResourceFlavor/h200",
        "spec.topologyName",
        "x",
        "no Topology",
    ),
    "a topology without labels": (
        "",
        _KUEUE,
        "ResourceFlavor/h200",
        "spec.nodeLabels",
        GONE,
        "no nodeLabels",
    ),
    "nodes above switches": (
        "",
        _KUEUE,
        "Topology/aws-network",
        "spec.levels.0.nodeLabel",
        "kubernetes.io/hostname",
        "not the lowest",
    ),
    "a level that is none": (
        "",
        _REDUCE,
        "MPIJob/h200-all-reduce",
        f"{_WORKER}.metadata.annotations",
        {"kueue.x-k8s.io/podset-required-topology": "topology.kubernetes.io/zone"},
        "no level",
    ),
    "no such local queue": (
        "",
        _COUNT,
        "Job/h200-accelerators",
        "metadata.labels",
        {"kueue.x-k8s.io/queue-name": "train"},
        "no LocalQueue",
    ),
    "no such priority": (
        QUEUES,
        _COUNT,
        "Job/h200-accelerators",
        "metadata.labels",
        {"kueue.x-k8s.io/queue-name": "train", "kueue.x-k8s.io/priority-class": "x"},
        "no WorkloadPriorityClass",
    ),
    "nodes of no flavor": (
        "",
        _COUNT,
        "Job/h200-accelerators",
        "spec.template.spec.nodeSelector",
        {"eks.amazonaws.com/nodegroup": "x"},
        "no flavor",
    ),
    "a queue of nobody": (
        "",
        _KUEUE,
        "ClusterQueue/h200",
        "spec.namespaceSelector",
        {"matchLabels": {"kubernetes.io/metadata.name": "x"}},
        "takes no jobs",
    ),
    # Kubeflow Trainer
    "processes in words": (
        TRAINER,
        _REDUCE,
        "TrainJob/h200-all-reduce",
        "spec.trainer.numProcPerNode",
        "auto",
        "numProcPerNode",
    ),
    "overrides of an older trainer": (
        TRAINER,
        _REDUCE,
        "TrainJob/h200-all-reduce",
        "spec.podTemplateOverrides",
        [{"targetJobs": []}],
        "there is no",
    ),
    "no such runtime": (
        TRAINER,
        _REDUCE,
        "TrainJob/h200-all-reduce",
        "spec.runtimeRef.name",
        "x",
        "no TrainingRuntime",
    ),
    "keys where MPI looks for none": (
        TRAINER,
        _REDUCE,
        "TrainingRuntime/h200-all-reduce",
        "spec.mlPolicy.mpi.sshPath",
        "/root/.ssh",
        "there is no",
    ),
    # Karpenter
    "an EFA interface of the older form": (
        KARPENTER,
        _NODES,
        _POOL,
        "spec.networkInterfaces.1.interfaceType",
        "efa",
        "interfaceType",
    ),
    "two interfaces at one place": (
        KARPENTER,
        _NODES,
        _POOL,
        "spec.networkInterfaces.1.deviceIndex",
        0,
        "one place",
    ),
    "no ordinary interface first": (
        KARPENTER,
        _NODES,
        _POOL,
        "spec.networkInterfaces.0.interfaceType",
        "efa-only",
        "ordinary",
    ),
    "a reservation by another name": (
        KARPENTER,
        _NODES,
        "EC2NodeClass/held",
        "spec.capacityReservationSelectorTerms.0.id",
        "reserved",
        "id",
    ),
    "a role and a profile": (KARPENTER, _NODES, _POOL, "spec.instanceProfile", "x", "either"),
    "a node class without subnets": (
        KARPENTER,
        _NODES,
        _POOL,
        "spec.subnetSelectorTerms",
        GONE,
        "subnetSelectorTerms",
    ),
    "nodes that expire": (
        KARPENTER,
        _NODES,
        "NodePool/spot",
        "spec.template.spec.expireAfter",
        "720h",
        "expire",
    ),
    "an operator of requirements": (
        KARPENTER,
        _NODES,
        "NodePool/spot",
        "spec.template.spec.requirements.0.operator",
        "OneOf",
        "operator",
    ),
    "nodes that drift": (
        KARPENTER,
        _NODES,
        "NodePool/spot",
        "spec.disruption.budgets",
        [],
        "drift",
    ),
    "consolidation of nodes in use": (
        KARPENTER,
        _NODES,
        "NodePool/spot",
        "spec.disruption.consolidationPolicy",
        "WhenEmptyOrUnderutilized",
        "consolidated",
    ),
    "a pool of the older API": (
        KARPENTER,
        _NODES,
        "NodePool/spot",
        "apiVersion",
        "karpenter.sh/v1beta1",
        "is not the API",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault: str) -> None:
    spec, file, object_, path, value, words = FAULTS[fault]
    good = files_of(spec)
    bad = {**good, file: _with(good[file], object_, path, value)}
    before = kubernetes_violations(good, _VERSION)
    found = [
        violation for violation in kubernetes_violations(bad, _VERSION) if violation not in before
    ]
    assert before == []
    assert any(words in violation for violation in found), found


def _with(text: str, object_: str, path: str, value: Any) -> str:
    """A file of objects with one value of one object changed."""
    objects = list(yaml.safe_load_all(text))
    at = [n for n, body in enumerate(objects) if _named(body) == object_]
    assert at, f"no {object_}"
    objects[at[0]] = changed(objects[at[0]], path, value)
    return yaml.safe_dump_all(objects)


def _named(body: Mapping[str, Any]) -> str:
    return f"{body['kind']}/{body['metadata']['name']}"
