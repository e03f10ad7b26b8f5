"""Objects with the label of a bundle: those of its manifests, and those of earlier bundles."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple

import yaml

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import words
from clustergen.deployment import printing
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.node_pools import CLAIMS, POOL, POOLS
from clustergen.deployment.world import Stop, at


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
_DELETED: Final = _resources("""
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
_KEPT: Final = _resources("Namespace CustomResourceDefinition.apiextensions.k8s.io")
"""Objects with content of users, which may have existed before: they are never deleted."""
RESOURCES: Final = {**_DELETED, **_KEPT}
_ORDER: Final = [*RESOURCES.values()]
_WITH_NODES: Final = ("nodepools.", "ec2nodeclasses.")
# Whole objects of others may be large.
_KEYS: Final = (
    'jsonpath={range .items[*]}{.apiVersion}{" "}{.kind}{" "}{.metadata.namespace}{"/"}'
    '{.metadata.name}{"\\n"}{end}'
)


class Object(NamedTuple):
    """An object."""

    resource: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return "/".join(filter(None, self))

    @property
    def stays(self) -> bool:
        return self.resource in _KEPT.values()

    @property
    def place(self) -> list[str]:
        return ["--namespace", self.namespace] if self.namespace else []


def of(item: Json) -> Object:
    """An object of a manifest."""
    metadata = item["metadata"]
    resource = RESOURCES[_key(item["apiVersion"], item["kind"])]
    return Object(resource, metadata.get("namespace", ""), metadata["name"])


def _key(version: str, kind: str) -> tuple[str, str]:
    return version.rpartition("/")[0], kind


class Objects:
    """Those of one bundle; ``paths`` are its manifests."""

    def __init__(self, api: Kubernetes, paths: Iterable[str]) -> None:
        self.api, self.run, self.paths = api, api.run, [*paths]
        known = self.run.bundle.objects
        self.label, self.owner = known.label, known.owner
        self.own = f"{self.label}={self.owner}"

    @cached_property
    def wanted(self) -> set[Object]:
        """Those of the manifests."""
        return {each for path in self.paths for each in self._of_file(path)}

    def _of_file(self, path: str) -> list[Object]:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            return [of(item) for item in yaml.load_all(self.run.text(path), loader) if item]
        except (yaml.YAMLError, KeyError, TypeError) as error:
            raise Stop(
                f"{path} has what is no object of a bundle: {error}. Render again."
            ) from None

    def check_names(self, shared: Iterable[str]) -> None:
        """Stop before an object of another owner is overwritten.

        Namespaces may be there, with their content, and so may what is in the manifests ``shared``.
        """
        less = Objects(self.api, set(self.paths).difference(shared)).wanted
        mine = {each for each in less if not each.stays}
        theirs = self._labelled(f"{self.label} notin ({self.owner})", {o.resource for o in mine})
        if taken := next((each for each in theirs if each in mine), None):
            label = printing.line(["label", taken.resource, taken.name, *taken.place])
            where = f" in {taken.namespace}" if taken.namespace else ""
            raise Stop(
                f"the cluster has {taken.resource} {taken.name}{where}, which this bundle did not "
                "create. No object was changed. Rename the node group, queue or mount in the spec, "
                f"and render again; or give it to this bundle: {self.api.shown} {label} "
                f"--overwrite {self.own}"
            )

    def _labelled(self, selector: str, resources: Collection[str]) -> Iterator[Object]:
        """The objects of those resources that the API has, in order of deletion."""
        asked = sorted(self.api.resources(resources), key=_ORDER.index)
        if not asked:
            return
        words = (",".join(asked), "--all-namespaces", "--selector", selector, "--output", _KEYS)
        ended = self.api.ask("get", *words)
        if ended.status:
            raise Stop("the API of the cluster did not respond. Run this again.", ended.err)
        lines = (line.split() for line in ended.out.splitlines())
        kinds = ((_key(version, kind), place.partition("/")) for version, kind, place in lines)
        found = [Object(RESOURCES[key], p[0], p[2]) for key, p in kinds if key in RESOURCES]
        yield from sorted(found, key=lambda each: _ORDER.index(each.resource))

    def left_over(self) -> list[Object]:
        """Objects of an earlier bundle, in order of deletion."""
        return [each for each in self._labelled(self.own, _ORDER) if each not in self.wanted]

    def stop_at_work(self, found: Iterable[Object]) -> None:
        """Stop where jobs need what would be deleted."""
        for each in found:
            if each.resource == POOLS:
                self._stop_at_nodes(each.name)
            elif each.resource.startswith("localqueues."):
                self._stop_at_jobs(each)
            elif each.resource == "persistentvolumeclaims":
                self._stop_at_pods(each)

    def _stop_at_nodes(self, pool: str) -> None:
        if self.api.items(CLAIMS, "--selector", f"{POOL}={pool}"):
            raise Stop(
                f"the node pool {pool} is no longer in the bundle, and has nodes: they would be "
                "terminated, with the jobs on them. Nothing was deleted. If this is intended, add "
                "--allow-replacement."
            )

    def _stop_at_jobs(self, queue: Object) -> None:
        status = at(self.api.get(queue.resource, queue.name, *queue.place), "status") or {}
        if status.get("pendingWorkloads") or status.get("reservingWorkloads"):
            raise Stop(
                f"the queue {queue.namespace}/{queue.name} is no longer in the bundle, and has "
                "jobs: those that wait would never start. Nothing was deleted. Delete them, or let "
                "them end, and run the same command again. If this is intended, add "
                "--allow-replacement."
            )

    def _stop_at_pods(self, claim: Object) -> None:
        pods = self.api.items("pods", *claim.place)
        run = (e for e in pods if at(e, "status.phase") not in ("Succeeded", "Failed"))
        used = (volume for each in run for volume in at(each, "spec.volumes") or ())
        if any(at(each, "persistentVolumeClaim.claimName") == claim.name for each in used):
            raise Stop(
                f"the volume {claim.namespace}/{claim.name} is no longer in the bundle, and pods "
                "use it. Nothing was deleted. Let them end, and run the same command again. If "
                "this is intended, add --allow-replacement."
            )

    def delete(self, each: Object) -> None:
        """Delete an object. Data stays: file systems do not depend on volumes."""
        words = [each.resource, each.name, *each.place]
        if each.resource.startswith(_WITH_NODES):
            # Nodes are terminated first, which needs their node class. Karpenter deletes their
            # instance profile with that class, and without an instance profile IAM their role.
            self.api.delete(*words, "--cascade=foreground")
        else:
            self.api.change("delete", *words, "--ignore-not-found", "--wait=false")
