"""What Kueue 0.19 asks of its objects, and whether the jobs of a bundle can ever be let in.

Its definitions have the fields (``custom_resources.json``). These are rules of its documentation:
https://kueue.sigs.k8s.io/docs/concepts/ and .../docs/reference/kueue.v1beta2/ (2026-08).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]

QUEUE = "kueue.x-k8s.io/queue-name"
PRIORITY = "kueue.x-k8s.io/priority-class"
_TOPOLOGY = re.compile(r"kueue\.x-k8s\.io/podset-(required|preferred)-topology")
HOST = "kubernetes.io/hostname"


@dataclass(frozen=True, slots=True)
class _World:
    """All objects, by kind."""

    objects: Sequence[Json]

    def of(self, kind: str) -> dict[str, Json]:
        found = (o for o in self.objects if o.get("kind") == kind and _kueue(o))
        return {o["metadata"]["name"]: o for o in found}

    def local_queue(self, namespace: str, name: str) -> Json | None:
        for item in self.objects:
            at = item.get("metadata", {})
            if item.get("kind") == "LocalQueue" and (at.get("namespace"), at["name"]) == (
                namespace,
                name,
            ):
                return item
        return None


def kueue_violations(objects: Sequence[Json]) -> list[str]:
    """Violations of objects, jobs included, as `Kind name: message`."""
    world = _World(objects)
    return [
        f"{item['kind']} {item['metadata']['name']}: {violation}"
        for item in objects
        for violation in (*_own(world, item), *_job(world, item))
    ]


def _kueue(item: Json) -> bool:
    return str(item.get("apiVersion", "")).startswith("kueue.x-k8s.io/")


def _own(world: _World, item: Json) -> Iterator[str]:
    if not _kueue(item):
        return
    checks = {
        "Topology": _levels,
        "ResourceFlavor": _flavor,
        "ClusterQueue": _cluster_queue,
        "Cohort": _groups,
        "LocalQueue": _local_queue,
    }
    if item["kind"] in checks:
        yield from checks[item["kind"]](world, item)


def _levels(_: _World, item: Json) -> Iterator[str]:
    labels = [level["nodeLabel"] for level in item["spec"].get("levels", ())]
    if len(set(labels)) != len(labels):
        yield "a level twice"
    if HOST in labels[:-1]:
        yield "nodes are not the lowest level"


def _flavor(world: _World, item: Json) -> Iterator[str]:
    spec = item["spec"]
    if (name := spec.get("topologyName")) is not None:
        if name not in world.of("Topology"):
            yield f"no Topology {name}"
        if not spec.get("nodeLabels"):
            yield "a topology, and no nodeLabels"


def _local_queue(world: _World, item: Json) -> Iterator[str]:
    name = item["spec"].get("clusterQueue")
    queue = world.of("ClusterQueue").get(name)
    if queue is None:
        yield f"no ClusterQueue {name}"
        return
    selector = queue["spec"].get("namespaceSelector")
    namespace = item["metadata"].get("namespace")
    if selector is None:
        yield f"{name} takes jobs of no namespace"
    elif selector.get("matchLabels", {}).get("kubernetes.io/metadata.name", namespace) != namespace:
        yield f"{name} takes no jobs of {namespace}"


def _cluster_queue(world: _World, item: Json) -> Iterator[str]:
    yield from _groups(world, item)
    spec = item["spec"]
    cohort = spec.get("cohortName")
    if cohort is not None and cohort not in world.of("Cohort"):
        yield f"no Cohort {cohort}"
    limits = [
        r for g in spec.get("resourceGroups", ()) for f in g["flavors"] for r in f["resources"]
    ]
    if cohort is None and any({"borrowingLimit", "lendingLimit"} & r.keys() for r in limits):
        yield "limits of borrowing without a cohort"
    preemption = spec.get("preemption", {})
    if preemption.get("reclaimWithinCohort", "Never") == "Never" and (
        preemption.get("borrowWithinCohort", {}).get("policy", "Never") != "Never"
    ):
        yield "borrowWithinCohort without reclaimWithinCohort"
    # A job without a topology request skips flavors with a topology, unless all have one; a job
    # with a request skips all others (pkg/scheduler/flavorassigner/tas_flavorassigner.go, 0.19.2).
    flavors = world.of("ResourceFlavor")
    names = [f["name"] for g in spec.get("resourceGroups", ()) for f in g["flavors"]]
    kinds = {"topologyName" in flavors[name]["spec"] for name in names if name in flavors}
    if len(kinds) > 1:
        yield "flavors with and without a topology: no job gets both"


def _groups(world: _World, item: Json) -> Iterator[str]:
    groups = item["spec"].get("resourceGroups", ())
    covered = [name for group in groups for name in group.get("coveredResources", ())]
    flavors = [flavor["name"] for group in groups for flavor in group.get("flavors", ())]
    if len(set(covered)) != len(covered):
        yield "a resource in two groups"
    if len(set(flavors)) != len(flavors):
        yield "a flavor in two groups"
    yield from (
        f"no ResourceFlavor {name}" for name in flavors if name not in world.of("ResourceFlavor")
    )
    for group in groups:
        for flavor in group.get("flavors", ()):
            names = [resource["name"] for resource in flavor["resources"]]
            if names != list(group["coveredResources"]):
                yield f"{flavor['name']}: not the covered resources, or in another order"
            for resource in flavor["resources"]:
                yield from _quota(resource)


_QUANTITY = re.compile(r"([0-9]+)(m|Ki|Mi|Gi|Ti|k|M|G|T)?")
_SIZES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9}


def _quota(resource: Json) -> Iterator[str]:
    if not _QUANTITY.fullmatch(str(resource.get("nominalQuota", ""))):
        yield f"{resource.get('nominalQuota')!r} is no quantity"


def amount(quantity: str) -> float:
    """A quantity as a number; 0 for what is none, which has a violation of its own."""
    found = _QUANTITY.fullmatch(str(quantity))
    if not found:
        return 0
    if found[2] == "m":
        return int(found[1]) / 1000
    return int(found[1]) * _SIZES.get(found[2] or "", 1)


def _job(world: _World, item: Json) -> Iterator[str]:
    """Whether a job that waits in a queue can ever leave it [concepts/workload]."""
    labels = item.get("metadata", {}).get("labels", {})
    name = labels.get(QUEUE)
    if name is None:
        return
    namespace = item["metadata"].get("namespace", "")
    # HyperPod's task governance makes the queues of teams.
    if namespace.startswith("hyperpod-ns-") and name == f"{namespace}-localqueue":
        return
    local = world.local_queue(namespace, name)
    if local is None:
        yield f"no LocalQueue {name} in {namespace}"
        return
    if (priority := labels.get(PRIORITY)) and priority not in world.of("WorkloadPriorityClass"):
        yield f"no WorkloadPriorityClass {priority}"
    queue = world.of("ClusterQueue").get(local["spec"]["clusterQueue"])
    if queue is not None:
        for count, template in _pod_sets(world, item):
            yield from _fits(world, queue, count, template)


def _pod_sets(world: _World, item: Json) -> Iterator[tuple[int, Json]]:
    spec = item["spec"]
    if item["kind"] == "Job":
        yield spec.get("parallelism", 1), spec["template"]
    elif item["kind"] == "MPIJob":
        for replica in spec["mpiReplicaSpecs"].values():
            yield replica["replicas"], replica["template"]
    elif item["kind"] == "TrainJob":
        name = spec["runtimeRef"]["name"]
        runtime = next(
            (
                o
                for o in world.objects
                if o["kind"] == "TrainingRuntime" and o["metadata"]["name"] == name
            ),
            None,
        )
        for job in runtime["spec"]["template"]["spec"]["replicatedJobs"] if runtime else ():
            nodes = spec["trainer"]["numNodes"] if job["name"] == "node" else 1
            yield nodes, job["template"]["spec"]["template"]


def _fits(world: _World, queue: Json, count: int, template: Json) -> Iterator[str]:
    spec = template["spec"]
    flavors = [
        (group, flavor)
        for group in queue["spec"].get("resourceGroups", ())
        for flavor in group["flavors"]
        if _selects(world.of("ResourceFlavor").get(flavor["name"]), spec.get("nodeSelector", {}))
    ]
    if not flavors:
        yield "its nodes are of no flavor of its queue"
        return
    [(group, flavor), *_] = flavors
    yield from _near(world, group, template)
    for name, each in _requests(spec).items():
        if name not in group["coveredResources"]:
            yield f"{name} is not covered: it waits for ever"
        elif each * count > _reach(world, queue, flavor["name"], name):
            yield f"asks for more {name} than there is"


def _selects(flavor: Json | None, selector: Json) -> bool:
    labels = flavor["spec"].get("nodeLabels", {}) if flavor else {}
    return flavor is not None and all(
        labels.get(key, value) == value for key, value in selector.items()
    )


def _requests(spec: Json) -> dict[str, float]:
    found: dict[str, float] = {}
    for container in spec["containers"]:
        resources = container.get("resources", {})
        for name, quantity in (resources.get("requests") or resources.get("limits") or {}).items():
            found[name] = found.get(name, 0) + amount(quantity)
    return found


def _reach(world: _World, queue: Json, flavor: str, resource: str) -> float:
    """The quota of a queue, and of its cohort and the other queues in it."""
    cohort = queue["spec"].get("cohortName")
    others = [
        q
        for q in world.of("ClusterQueue").values()
        if cohort and q["spec"].get("cohortName") == cohort
    ]
    shared = [world.of("Cohort")[cohort]] if cohort in world.of("Cohort") else []
    return sum(held(owner, flavor, resource) for owner in (others or [queue]) + shared)


def held(owner: Json, flavor: str, resource: str) -> float:
    """What a queue or a cohort has of a resource in a flavor."""
    return sum(
        amount(quota["nominalQuota"])
        for group in owner["spec"].get("resourceGroups", ())
        for one in group["flavors"]
        if one["name"] == flavor
        for quota in one["resources"]
        if quota["name"] == resource
    )


def _near(world: _World, group: Json, template: Json) -> Iterator[str]:
    """Each flavor of the queue has the level, so that a job can fall back to the next one."""
    for key, label in template.get("metadata", {}).get("annotations", {}).items():
        for flavor in group["flavors"] if _TOPOLOGY.fullmatch(key) else ():
            found = world.of("ResourceFlavor").get(flavor["name"], {"spec": {}})
            name = found["spec"].get("topologyName")
            topology = world.of("Topology").get(name)
            if topology is None:
                yield f"{key} on nodes without a topology"
            elif label not in [level["nodeLabel"] for level in topology["spec"]["levels"]]:
                yield f"{label} is no level of {name}"
