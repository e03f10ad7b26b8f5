"""Every validator of Kubernetes objects: schemas, then what schemas cannot see."""

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema
import kubernetes_validate as schemas
import yaml
from kubernetes_validate import utils

from clustergen.base.text_lists import word_set
from tests.support.tables import flow
from tests.validators import (
    custom_resources,
    kubernetes_karpenter,
    kubernetes_kueue,
    placeholders,
)

Json = Mapping[str, Any]

# It reads all definitions of a version again for each object.
utils.schema_contents = functools.cache(utils.schema_contents)


@dataclass(frozen=True, slots=True)
class Object:
    """An object, and the file that it stands in."""

    path: str
    body: Json

    @property
    def kind(self) -> str:
        return str(self.body.get("kind", ""))

    @property
    def group(self) -> str:
        api = str(self.body.get("apiVersion", ""))
        return api.partition("/")[0] if "/" in api else ""

    @property
    def name(self) -> str:
        return str(self.body.get("metadata", {}).get("name", ""))

    @property
    def namespace(self) -> str:
        return str(self.body.get("metadata", {}).get("namespace", ""))

    def __str__(self) -> str:
        return f"{self.path}: {self.kind} {self.name}"


def kubernetes_violations(
    files: Mapping[str, str], version: str, region: str = "us-east-1"
) -> list[str]:
    """What the validators say of the objects under ``manifests/``, ``smoke/`` and ``jobs/``."""
    objects = list(objects_in(files, region))
    return [
        *(
            violation
            for path, text in files.items()
            if _holds_objects(path)
            for violation in _of_file(path, text, version, region)
        ),
        *_references(objects, _made_namespaces(files.get("bundle.json", "{}"))),
        *kubernetes_kueue.kueue_violations([item.body for item in objects]),
    ]


@functools.cache
def _of_file(path: str, text: str, version: str, region: str) -> tuple[str, ...]:
    """Findings about the objects of one file, each separately. Bundles share many files."""
    objects = list(objects_in({path: text}, region))
    return (
        *(f"{item}: {violation}" for item in objects for violation in _schema(item, version)),
        *(f"{item}: {v}" for item in objects for v in custom_resources.violations(item.body)),
        *(f"{item}: {violation}" for item in objects for violation in _form(item)),
        *(f"{item}: {v}" for item in objects for v in kubernetes_karpenter.violations(item.body)),
    )


def _holds_objects(path: str) -> bool:
    """Values of charts are no objects."""
    return path.startswith(("manifests/", "smoke/", "jobs/")) and bool(
        re.search(r"(?<!values)\.yaml$", path)
    )


def objects_in(files: Mapping[str, str], region: str = "us-east-1") -> Iterator[Object]:
    """The objects of a bundle, with plausible values for its placeholders."""
    for path, text in files.items():
        if _holds_objects(path):
            yield from _objects(path, text, region)


@functools.lru_cache(maxsize=256)
def _objects(path: str, text: str, region: str) -> list[Object]:
    bodies = yaml.load_all(_fill(text, region), Loader=yaml.CSafeLoader)
    return [Object(path, body) for body in bodies if body]


# Outputs of the cluster's own stack, and roles by name: the foundation has none of the kind.
OUTPUTS = {
    "KarpenterNodeRoleName": "example-karpenter-nodes",
    "KarpenterQueueName": "example-interruptions",
    "EksSecurityGroupId": "sg-0e1b2c3d4e5f60718",
}


def _fill(text: str, region: str) -> str:
    # Scripts in jobs have $variables of their own.
    names = [name for name in placeholders.names_in(text) if re.search("[a-z]", name)]
    values = {name: OUTPUTS.get(name) or placeholders.value_for(name, region) for name in names}
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", value)
    return text


# API groups that others validate: by their definitions, or by their documentation.
_OTHERS = word_set("""
    kueue.x-k8s.io karpenter.sh karpenter.k8s.aws trainer.kubeflow.org
    scheduling.volcano.sh scheduling.run.ai kubeflow.org
    karpenter.sagemaker.amazonaws.com resource.nvidia.com
""")


def _schema(item: Object, version: str) -> Iterator[str]:
    if item.group not in _OTHERS:
        yield from _validated(item.body, version)
    for template in pod_templates(item.body):
        pod = {"apiVersion": "v1", "kind": "Pod", **template}
        yield from (f"its pods: {violation}" for violation in _validated(pod, version))


def _validated(body: Json, version: str) -> Iterator[str]:
    try:
        schemas.validate(body, version, strict=True)
    except schemas.ValidationError as error:
        yield str(error.message)
    except schemas.SchemaNotFoundError:
        yield f"Kubernetes {version} has no {body.get('apiVersion')} {body.get('kind')}"


def pod_templates(body: Any) -> Iterator[Json]:
    """Every template of pods in an object, however deep: it has containers."""
    if isinstance(body, Mapping):
        spec = body.get("spec")
        if isinstance(spec, Mapping) and "containers" in spec:
            yield {key: body[key] for key in ("metadata", "spec") if key in body}
            return
        for value in body.values():
            yield from pod_templates(value)
    elif isinstance(body, list):
        for value in body:
            yield from pod_templates(value)


# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_KEY = re.compile(rf"({_SUBDOMAIN.pattern}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?")
# https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
_QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?([numkMGTPE]|[KMGTPE]i)?")
# https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
_MODES = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"}
_EFFECTS = {"NoSchedule", "PreferNoSchedule", "NoExecute"}
# https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
_WHOLE = re.compile(r"(nvidia\.com|aws\.amazon\.com|vpc\.amazonaws\.com)/|hugepages-")


def _form(item: Object) -> Iterator[str]:
    """Forms that the schemas leave open."""
    if not _SUBDOMAIN.fullmatch(item.name) or len(item.name) > 253:
        yield f"{item.name!r} is no name"
    if item.namespace and not _LABEL.fullmatch(item.namespace):
        yield f"{item.namespace!r} is no namespace"
    for key, value in item.body.get("metadata", {}).get("labels", {}).items():
        if not _KEY.fullmatch(key) or not _LABEL_VALUE.fullmatch(value):
            yield f"{key}={value} is no label"
    spec = item.body.get("spec", {})
    if item.kind == "ResourceClaimTemplate":
        yield from _claim(spec["spec"]["devices"])
    if item.kind == "PyTorchJob":
        yield from _pytorch_job(item.body)
    if item.group == "resource.nvidia.com":
        yield from _domain(item.body)
    for mode in spec.get("accessModes", ()):
        if mode not in _MODES:
            yield f"{mode!r} is no access mode"
    for template in pod_templates(item.body):
        # A StatefulSet gives each pod a volume for each of its templates of claims.
        claimed = {claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", ())}
        yield from _pod(template["spec"], claimed)


# AllocationResultsMaxSize of https://github.com/kubernetes/api/blob/master/resource/v1/types.go
_MOST_DEVICES = 32


# https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu, deployments/helm/dra-driver-nvidia-gpu/
# crds/resource.nvidia.com_computedomains.yaml (2026-08)
_DOMAIN: dict[str, Any] = flow("""
type: object
required: [channel]
additionalProperties: false
properties:
  numNodes: {type: integer, minimum: 0}
  channel:
    type: object
    required: [resourceClaimTemplate]
    additionalProperties: false
    properties:
      allocationMode: {enum: [All, Single]}
      resourceClaimTemplate: {type: object, required: [name], additionalProperties: false,
        properties: {name: {type: string}}}
""")


# https://www.kubeflow.org/docs/components/trainer/legacy-v1/user-guides/pytorch/ and
# https://github.com/kubeflow/training-operator/tree/release-1.8/manifests (2026-11)
_PYTORCH_JOB: dict[str, Any] = flow("""
type: object
required: [pytorchReplicaSpecs]
additionalProperties: false
properties:
  nprocPerNode: {type: string, pattern: '^([1-9][0-9]*|auto|cpu|gpu)$'}
  runPolicy: {type: object}
  elasticPolicy:
    type: object
    additionalProperties: false
    properties: {rdzvBackend: {enum: [c10d, etcd, etcd-v2]},
      minReplicas: &one {type: integer, minimum: 1}, maxReplicas: *one, maxRestarts: *one}
  pytorchReplicaSpecs:
    type: object
    additionalProperties: false
    patternProperties:
      ^(Master|Worker)$:
        type: object
        additionalProperties: false
        required: [replicas, template]
        properties: {replicas: {type: integer, minimum: 1},
          restartPolicy: {enum: [Always, OnFailure, Never, ExitCode]}, template: {type: object}}
""")


def _pytorch_job(body: Json) -> Iterator[str]:
    if body["apiVersion"] != "kubeflow.org/v1":
        yield f"{body['apiVersion']} is not the API of PyTorchJob"
    errors = jsonschema.Draft202012Validator(_PYTORCH_JOB).iter_errors(body["spec"])
    yield from (error.message for error in errors)
    for template in pod_templates(body):
        if [container["name"] for container in template["spec"]["containers"]] != ["pytorch"]:
            yield "the operator looks for a container called pytorch"


def _domain(body: Json) -> Iterator[str]:
    if (body["apiVersion"], body["kind"]) != ("resource.nvidia.com/v1beta1", "ComputeDomain"):
        yield f"{body['apiVersion']} {body['kind']} is not known"
        return
    errors = jsonschema.Draft202012Validator(_DOMAIN).iter_errors(body["spec"])
    yield from (error.message for error in errors)


def _claim(devices: Json) -> Iterator[str]:
    exactly = [request.get("exactly", {}) for request in devices["requests"]]
    if sum(one.get("count", 1) for one in exactly) > _MOST_DEVICES:
        yield f"more than {_MOST_DEVICES} devices in one claim"
    # https://kueue.sigs.k8s.io/docs/concepts/dynamic_resource_allocation/
    if any(one.get("allocationMode") == "All" for one in exactly):
        yield "all devices have no number that a quota counts"
    named = {request["name"] for request in devices["requests"]}
    for constraint in devices.get("constraints", ()):
        unknown = set(constraint.get("requests", ())) - named
        yield from (f"a constraint on {name}, which is no request" for name in sorted(unknown))


def _pod(spec: Json, claimed: set[str]) -> Iterator[str]:
    for toleration in spec.get("tolerations", ()):
        if toleration.get("effect", "NoSchedule") not in _EFFECTS:
            yield f"{toleration['effect']!r} is no effect of a taint"
    volumes = claimed | {volume["name"] for volume in spec.get("volumes", ())}
    claims = {claim["name"] for claim in spec.get("resourceClaims", ())}
    for container in spec["containers"]:
        mounts = {mount["name"] for mount in container.get("volumeMounts", ())}
        yield from (f"mounts {name}, which is no volume of it" for name in mounts - volumes)
        resources = container.get("resources", {})
        used = {claim["name"] for claim in resources.get("claims", ())}
        yield from (f"uses the claim {name}, which it has not" for name in used - claims)
        yield from _resources(resources)


def _resources(resources: Json) -> Iterator[str]:
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    for name, amount in {**requests, **limits}.items():
        if not _KEY.fullmatch(name):
            yield f"{name} is no name of a resource"
        if not _QUANTITY.fullmatch(str(amount)):
            yield f"{amount!r} is no quantity"
        if _WHOLE.match(name) and limits.get(name) != requests.get(name, limits.get(name)):
            yield f"{name}: the limit is not what is requested"
    if any(name.startswith("hugepages-") for name in limits) and not {"cpu", "memory"} & {
        *requests
    }:
        yield "huge pages without cpu or memory"


def _made_namespaces(bundle: str) -> set[str]:
    """Those that a deployment creates where an existing cluster lacks them."""
    software = json.loads(bundle).get("service", {}).get("software", {})
    return set(software.get("joined", {}).get("namespaces", ()))


def _references(objects: list[Object], spaces: set[str]) -> Iterator[str]:
    """What objects name has to be in the bundle; ``spaces`` are more namespaces."""
    known = {(item.kind, item.namespace, item.name) for item in objects}
    # The driver makes the template of a ComputeDomain.
    known |= {
        (
            "ResourceClaimTemplate",
            o.namespace,
            o.body["spec"]["channel"]["resourceClaimTemplate"]["name"],
        )
        for o in objects
        if o.kind == "ComputeDomain"
    }
    named = {(kind, name) for kind, _, name in known}
    for item in objects:
        at = item.namespace
        # Kubernetes makes two, HyperPod those of teams, and its chart another.
        theirs = at in ("default", "kube-system", "kubeflow") or at.startswith("hyperpod-ns-")
        ours = at and not theirs and at not in spaces
        if ours and ("Namespace", at) not in named:
            yield f"{item}: no namespace {at}"
        spec = item.body.get("spec", {})
        if item.kind == "PersistentVolumeClaim":
            yield from _bound(item, objects)
        for template in pod_templates(item.body):
            for kind, name in _named_by(template["spec"]):
                if (kind, at, name) not in known:
                    yield f"{item}: no {kind} {name} in {at or 'its namespace'}"
        runtime = spec.get("runtimeRef") if isinstance(spec, Mapping) else None
        if runtime and (runtime["kind"], at, runtime["name"]) not in known:
            yield f"{item}: no {runtime['kind']} {runtime['name']}"
    if len({(item.kind, item.namespace, item.name) for item in objects}) != len(objects):
        yield "two objects of one kind have one name"


def _named_by(spec: Json) -> Iterator[tuple[str, str]]:
    for volume in spec.get("volumes", ()):
        if claim := volume.get("persistentVolumeClaim"):
            yield "PersistentVolumeClaim", claim["claimName"]
    for claim in spec.get("resourceClaims", ()):
        yield "ResourceClaimTemplate", claim["resourceClaimTemplateName"]
    if account := spec.get("serviceAccountName"):
        yield "ServiceAccount", account


def _bound(claim: Object, objects: list[Object]) -> Iterator[str]:
    spec = claim.body["spec"]
    found = [o for o in objects if (o.kind, o.name) == ("PersistentVolume", spec["volumeName"])]
    if not found:
        yield f"{claim}: no volume {spec['volumeName']}"
        return
    volume = found[0].body["spec"]
    if volume["claimRef"] != {"namespace": claim.namespace, "name": claim.name}:
        yield f"{claim}: its volume is another claim's"
    if volume["accessModes"] != spec["accessModes"]:
        yield f"{claim}: its volume has other access modes"
    if spec.get("storageClassName") != "" or volume.get("storageClassName") != "":
        yield f"{claim}: without an empty storageClassName it gets a volume made for it"
