"""The validators of Kubernetes objects: a good bundle with one value changed has to be caught."""

import functools
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from tests.services.kubernetes.planned import files_of
from tests.services.kubernetes.specs import SPECS, STORAGE
from tests.support.tables import ABSENT, flow
from tests.validators.kubernetes import kubernetes_violations
from tests.validators.seeding import GONE, changed

_VERSION = "1.35"

QUEUES = SPECS["queues that share groups, and one that does not"]
KARPENTER = SPECS["Karpenter, Spot and a reservation"]
TRAINER = SPECS["TrainJob"]
CLAIMS = SPECS["claims of devices"]

_KUEUE, _VOLUMES = "manifests/kueue.yaml", "manifests/volumes.yaml"
_REDUCE, _COUNT = "smoke/h200-all-reduce.yaml", "smoke/h200-accelerators.yaml"
_NODES, _POOL = "manifests/karpenter.yaml", "EC2NodeClass/spot"


# By spec, file, and kind/name of the object in it: faults with the path of the value that is wrong,
# the value, and words of the violation.
OBJECTS = {
    ("", _COUNT, "Job/h200-accelerators"): """
a field that pods have not: [spec.template.spec.nodeselector, {}, nodeselector]
a limit that is a number of things: [spec.completions, '2', "'2' is not of type"]
a partition by its profile's own name: [spec.template.spec.containers.0.resources.requests,
  {nvidia.com/mig-1g.10gb+me: '7'}, no name of a resource]
no such namespace: [metadata.namespace, h100, 'no ']
more devices allowed than asked for: [spec.template.spec.containers.0.resources.limits,
  {nvidia.com/gpu: '9'}, the limit]
no effect of a taint: [spec.template.spec.tolerations.0.effect, NO_SCHEDULE, no effect]
no such local queue: [metadata.labels, {kueue.x-k8s.io/queue-name: train}, no LocalQueue]
nodes of no flavor: [spec.template.spec.nodeSelector, {eks.amazonaws.com/nodegroup: x}, no flavor]
""",
    (CLAIMS, "manifests/claims.yaml", "ResourceClaimTemplate/h200-efa"): """
a claim without exactly: [spec.spec.devices.requests.0, {name: efa, deviceClassName: x},
  deviceClassName]
more devices than a claim holds: [spec.spec.devices.requests.0.exactly.count, 40, more than 32]
a claim of all devices: [spec.spec.devices.requests.0.exactly.allocationMode, All, no number]
an API of another version: [apiVersion, resource.k8s.io/v1alpha2, has no]
""",
    (CLAIMS, "manifests/claims.yaml", "ResourceClaimTemplate/h200-gpu"): """
a constraint on nothing: [spec.spec.devices.constraints.0.requests, [gpu, nic], no request]
""",
    ("", "manifests/mpi-operator.yaml", "CustomResourceDefinition/mpijobs.kubeflow.org"): """
a definition without a schema's type: [spec.scope, ABSENT, scope]
""",
    (STORAGE, _VOLUMES, "PersistentVolumeClaim/fsx"): """
an access mode that is none: [spec.accessModes.0, ReadWriteAll, no access mode]
a claim that gets a new volume: [spec.storageClassName, ABSENT, storageClassName]
""",
    (STORAGE, _VOLUMES, "PersistentVolume/fsx.h200"): """
a volume of another claim: [spec.claimRef.name, home, another claim's]
""",
    (STORAGE, "smoke/h200-file-systems.yaml", "Job/h200-file-systems"): """
no such claim: [spec.template.spec.volumes.0.persistentVolumeClaim.claimName, fsy, no Persistent]
""",
    (CLAIMS, _COUNT, "Job/h200-accelerators"): """
no such template of claims: [spec.template.spec.resourceClaims.0.resourceClaimTemplateName, x,
  no ResourceClaim]
""",
    ("", _REDUCE, "MPIJob/h200-all-reduce"): """
a mount of no volume: [spec.mpiReplicaSpecs.Worker.template.spec.volumes, [], no volume of it]
a level that is none: [spec.mpiReplicaSpecs.Worker.template.metadata.annotations,
  {kueue.x-k8s.io/podset-required-topology: topology.kubernetes.io/zone}, no level]
slots by a misspelt name: [spec.slotsPerWorkers, 8, "'slotsPerWorkers' was unexpected"]
slots in words: [spec.slotsPerWorker, '8', "'8'"]
""",
    (QUEUES, _KUEUE, "ClusterQueue/train"): """
the cohort by its old name: [spec.cohort, x, "'cohort' was unexpected"]
no such cohort: [spec.cohortName, x, no Cohort x]
a strategy that is none: [spec.queueingStrategy, Fifo, "is not one of ['StrictFIFO',
  'BestEffortFIFO']"]
""",
    ("", _KUEUE, "Topology/aws-network"): """
an older API of Kueue: [apiVersion, kueue.x-k8s.io/v1alpha1, no version]
nodes above switches: [spec.levels.0.nodeLabel, kubernetes.io/hostname, not the lowest]
""",
    ("", _KUEUE, "ClusterQueue/h200"): """
EFA not covered: [spec.resourceGroups.0.coveredResources.4, example.com/efa, waits for ever]
resources in another order: [spec.resourceGroups.0.flavors.0.resources.0.name, memory,
  another order]
no such flavor: [spec.resourceGroups.0.flavors.0.name, h100, no ResourceFlavor]
too few GPUs for the test: [spec.resourceGroups.0.flavors.0.resources.3.nominalQuota, '8',
  more nvidia.com/gpu]
a quota that is no quantity: [spec.resourceGroups.0.flavors.0.resources.3.nominalQuota, 16 GPUs,
  no quantity]
a queue of nobody: [spec.namespaceSelector, {matchLabels: {kubernetes.io/metadata.name: x}},
  takes no jobs]
""",
    ("", _KUEUE, "ResourceFlavor/h200"): """
no such topology: [spec.topologyName, x, no Topology]
a topology without labels: [spec.nodeLabels, ABSENT, no nodeLabels]
""",
    (QUEUES, _COUNT, "Job/h200-accelerators"): """
no such priority: [metadata.labels, {kueue.x-k8s.io/queue-name: train,
  kueue.x-k8s.io/priority-class: x}, no WorkloadPriorityClass]
""",
    (SPECS["Volcano"], "manifests/queues.yaml", "Queue/train"): """
a queue of Volcano with a field of another version: [spec.maximum, {}, "'maximum' was unexpected"]
""",
    (TRAINER, _REDUCE, "TrainJob/h200-all-reduce"): """
processes in words: [spec.trainer.numProcPerNode, auto, numProcPerNode]
overrides of an older trainer: [spec.podTemplateOverrides, [{targetJobs: []}], was unexpected]
no such runtime: [spec.runtimeRef.name, x, no TrainingRuntime]
""",
    (TRAINER, _REDUCE, "TrainingRuntime/h200-all-reduce"): """
keys where MPI looks for none: [spec.mlPolicy.mpi.sshPath, /root/.ssh, was unexpected]
""",
    (KARPENTER, _NODES, _POOL): """
a field of node classes that is none: [spec.securityGroups, [], "'securityGroups' was unexpected"]
metadata that users do not set: [metadata.uid, 0a1b, no such field]
an EFA interface of the older form: [spec.networkInterfaces.1.interfaceType, efa, interfaceType]
two interfaces at one place: [spec.networkInterfaces.1.deviceIndex, 0, one place]
no ordinary interface first: [spec.networkInterfaces.0.interfaceType, efa-only, ordinary]
a role and a profile: [spec.instanceProfile, x, either]
a node class without subnets: [spec.subnetSelectorTerms, ABSENT, subnetSelectorTerms]
""",
    (KARPENTER, _NODES, "NodePool/spot"): """
a field of node pools below the template: [spec.template.spec.ttl, 1h, "'ttl' was unexpected"]
nodes that expire: [spec.template.spec.expireAfter, 720h, expire]
an operator of requirements: [spec.template.spec.requirements.0.operator, OneOf, operator]
nodes that drift: [spec.disruption.budgets, [], drift]
consolidation of nodes in use: [spec.disruption.consolidationPolicy, WhenEmptyOrUnderutilized,
  consolidated]
a pool of the older API: [apiVersion, karpenter.sh/v1beta1, no version]
""",
    (KARPENTER, _NODES, "EC2NodeClass/held"): """
a reservation by another name: [spec.capacityReservationSelectorTerms.0.id, reserved, id]
""",
}
FAULTS = {
    name: (*object_, *fault)
    for object_, text in OBJECTS.items()
    for name, fault in flow(text).items()
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault: str) -> None:
    spec, file, object_, path, value, words = FAULTS[fault]
    good = files_of(spec)
    bad = {**good, file: _with(good[file], object_, path, GONE if value == ABSENT else value)}
    assert _violations_of(spec) == []
    found = kubernetes_violations(bad, _VERSION)
    assert any(words in violation for violation in found), found


@functools.cache
def _violations_of(spec: str) -> list[str]:
    return kubernetes_violations(files_of(spec), _VERSION)


def _with(text: str, object_: str, path: str, value: Any) -> str:
    """A file of objects with one value of one object changed."""
    objects = list(yaml.load_all(text, yaml.CSafeLoader))
    at = [n for n, body in enumerate(objects) if _named(body) == object_]
    assert at, f"no {object_}"
    objects[at[0]] = changed(objects[at[0]], path, value)
    return yaml.dump_all(objects, Dumper=yaml.CSafeDumper)


def _named(body: Mapping[str, Any]) -> str:
    return f"{body['kind']}/{body['metadata']['name']}"
