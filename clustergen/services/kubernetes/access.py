"""Access of teams to the namespaces of their queues.

An access entry gives a role or user groups of Kubernetes, and bindings give these groups a role in
a namespace. EKS's own access policies do not cover custom resources, such as a TrainJob.
https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html
"""

from collections.abc import Iterable, Iterator, Mapping

from clustergen.base.artifacts import Json
from clustergen.plan.model import ClusterAccess, Plan
from clustergen.services.kubernetes.manifest import RBAC, kubernetes_object

COMMENT = ("What the groups of access entries may do (access).",)
_ROLE = "clustergen-jobs"
_WRITTEN: Mapping[str, tuple[str, ...]] = {
    "kubeflow.org": ("mpijobs",),
    # A sample job has its own runtime, and on an UltraServer its domain.
    "trainer.kubeflow.org": ("trainjobs", "trainingruntimes"),
    "resource.nvidia.com": ("computedomains",),
    "batch.volcano.sh": ("jobs",),
    "resource.k8s.io": ("resourceclaims",),
}
"""Jobs, and what they claim, by API group; a group that the cluster lacks does no harm."""
_READ: Mapping[str, tuple[str, ...]] = {
    **_WRITTEN,
    "jobset.x-k8s.io": ("jobsets",),
    "kueue.x-k8s.io": ("localqueues", "workloads"),
    "resource.k8s.io": ("resourceclaims", "resourceclaimtemplates"),
}


def principals(plan: Plan) -> dict[str, tuple[str, ...]]:
    """ARN -> groups of Kubernetes; EKS has one access entry for each principal."""
    groups: dict[str, set[str]] = {}
    for entry in plan.kubernetes.access:
        groups.setdefault(entry.principal, set()).update(_groups(entry))
    return {principal: tuple(sorted(found)) for principal, found in groups.items()}


def names(plan: Plan) -> list[str]:
    """All roles and users that get an access entry, as ACCOUNT:role/NAME: sessions have no path."""
    arns = (*plan.kubernetes.admins, *principals(plan))
    return list(dict.fromkeys(_name(arn) for arn in arns))


def _name(arn: str) -> str:
    account, _, rest = arn.split(":", 4)[4].partition(":")
    kind, _, path = rest.partition("/")
    return f"{account}:{kind}/{path.rpartition('/')[2]}"


def objects(
    plan: Plan, namespaces: Mapping[str, str], jobs: Mapping[str, tuple[str, ...]] = {}
) -> Iterator[Json]:
    """Roles and bindings; ``namespaces`` maps queues to the namespaces of their jobs.

    ``jobs`` are more kinds of jobs, by API group.
    """
    if not plan.kubernetes.access:
        return
    yield _role("edit", _merged(_WRITTEN, jobs), ["*"])
    yield _role("view", _merged(_READ, jobs), ["get", "list", "watch"])
    everywhere = {entry.level for entry in plan.kubernetes.access if not entry.queues}
    for level in sorted(everywhere):
        yield _binding("ClusterRoleBinding", _group(level), level)
    pairs = {(queue, e.level) for e in plan.kubernetes.access for queue in e.queues}
    for queue, level in sorted(pairs):
        yield _binding("RoleBinding", _group(level, queue), level, namespaces[queue])


def _merged(
    known: Mapping[str, tuple[str, ...]], more: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """The kinds of both, because both may have kinds of one API group."""
    return {group: (*known.get(group, ()), *more.get(group, ())) for group in {**known, **more}}


def _groups(entry: ClusterAccess) -> Iterator[str]:
    if not entry.queues:
        yield _group(entry.level)
    for queue in entry.queues:
        yield _group(entry.level, queue)


def _group(level: str, queue: str = "") -> str:
    return ":".join(word for word in ("clustergen", queue, level) if word)


def granted(groups: Iterable[str], queues: Iterable[str]) -> list[tuple[str, str]]:
    """The levels and queues of a principal, see :func:`_groups`: no queue stands for all.

    Empty if some group is another one.
    """
    pairs = [(level, queue) for level in ("admin", "edit", "view") for queue in ("", *queues)]
    known = {_group(*pair): pair for pair in pairs}
    found = [known.get(group) for group in groups]
    return [pair for pair in found if pair] if all(found) else []


def _role(level: str, resources: Mapping[str, tuple[str, ...]], verbs: list[str]) -> Json:
    """Kubernetes adds it to its own role of this name, and to those above it."""
    rules = [
        {"apiGroups": [group], "resources": list(names), "verbs": verbs}
        for group, names in resources.items()
    ]
    labels = {f"{RBAC}/aggregate-to-{level}": "true"}
    return kubernetes_object(
        f"{RBAC}/v1", "ClusterRole", f"{_ROLE}-{level}", labels=labels, rules=rules
    )


def _binding(kind: str, group: str, level: str, namespace: str = "") -> Json:
    return kubernetes_object(
        f"{RBAC}/v1",
        kind,
        group.replace(":", "-"),
        namespace=namespace,
        roleRef={"apiGroup": RBAC, "kind": "ClusterRole", "name": level},
        subjects=[{"apiGroup": RBAC, "kind": "Group", "name": group}],
    )
