"""Labels and taints of instance groups."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document, Group
from clustergen.services.hyperpod.rules.document import EKS, in_group, rule, warning
from clustergen.services.kubernetes.taints import MAX_NAME, prefix_of

_GUIDE = f"{limits.GUIDE}sagemaker-hyperpod-eks-custom-labels-and-taints.html"
_TAINT = "KubernetesConfig: {Taints: [{Key: team, Value: a, Effect: NoSchedule}]}"


@warning(
    "OVL342",
    "Taints on a group with deep health checks",
    why="Deep health checks use a taint of their own. Custom taints keep them from finishing.",
    source=_GUIDE,
    target=EKS,
    bad=in_group(f"{_TAINT}, OnStartDeepHealthChecks: [InstanceStress]", EKS),
    good=in_group(_TAINT, EKS),
)
def checked_taints(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        tainted = bool(group.part("KubernetesConfig").get("Taints"))
        if tainted and group.data.get("OnStartDeepHealthChecks"):
            yield group.problem(
                "KubernetesConfig",
                "taints on a group with deep health checks",
                "remove one of the two",
            )


@rule(
    "OVL343",
    "Reserved prefix of a label or taint",
    why="HyperPod rejects labels and taints in the domains of Kubernetes, AWS and Karpenter.",
    source=_GUIDE,
    target=EKS,
    bad=in_group("KubernetesConfig: {Labels: {kubernetes.io/role: train}}", EKS),
    good=in_group("KubernetesConfig: {Labels: {example.com/role: train}}", EKS),
)
def prefix(document: Document) -> Iterator[Problem]:
    for group, key in _keys(document):
        if reserved := prefix_of(key, limits.RESERVED_PREFIXES):
            yield group.problem(
                "KubernetesConfig", f"{key!r} has the prefix {reserved}", "use your own domain"
            )


@rule(
    "OVL344",
    "Name of a label or taint too long",
    why="Kubernetes limits the name, the part after the prefix, to 63 characters.",
    source="https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/",
    target=EKS,
    bad=in_group(f"KubernetesConfig: {{Labels: {{{'a' * (MAX_NAME + 1)}: train}}}}", EKS),
    good=in_group(f"KubernetesConfig: {{Labels: {{{'a' * MAX_NAME}: train}}}}", EKS),
)
def name_length(document: Document) -> Iterator[Problem]:
    for group, key in _keys(document):
        if len(key.rpartition("/")[2]) > MAX_NAME:
            yield group.problem(
                "KubernetesConfig",
                f"the name of {key!r} is too long",
                f"write {MAX_NAME} characters or fewer",
            )


def _keys(document: Document) -> Iterator[tuple[Group, str]]:
    for group in document.groups:
        for key in (*group.labels, *(taint.get("Key") for taint in group.taints)):
            if isinstance(key, str):
                yield group, key
