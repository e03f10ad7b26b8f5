"""Labels and taints, as EKS's API takes them."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Path, Rule
from clustergen.kubernetes import labels_and_taints, taints
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.eks import limits

_51_TAINTS = ", ".join(f"{{key: taint-{number}}}" for number in range(51))

LABEL = Rule(
    code="K8S510",
    title="Label that EKS does not take",
    why="EKS's API wants a value, which Kubernetes does not, and a key of at most 63 characters "
    "with its prefix, which is a domain name.",
    source=limits.CREATE_NODE_GROUP,
    target="eks",
    bad="node_groups: [{name: h200, labels: {training: ''}}]",
    good="node_groups: [{name: h200, labels: {training: 'true'}}]",
)
RESERVED = Rule(
    code="K8S511",
    title="Label or taint with a prefix that is reserved",
    why="EKS refuses keys of Kubernetes and of its own; those of Karpenter are Karpenter's.",
    source=limits.RESERVED,
    target="eks",
    bad="node_groups: [{name: h200, labels: {node-role.kubernetes.io/train: 'true'}}]",
    good="node_groups: [{name: h200, labels: {example.com/train: 'true'}}]",
)
TAINT = Rule(
    code="K8S512",
    title="Taint that EKS does not take",
    why="Key and value have the form of a label's: letters, digits, `-`, `_` and `.`, at most 63; "
    "a key with an effect stands once in a group.",
    source=limits.TAINTS,
    target="eks",
    bad="node_groups: [{name: h200, taints: [{key: for training}]}]",
    good="node_groups: [{name: h200, taints: [{key: for-training}]}]",
)
MANY = Rule(
    code="LIM500",
    title="Too many taints",
    why="A node group has at most 50.",
    source=limits.TAINTS,
    target="eks",
    bad=f"node_groups: [{{name: h200, taints: [{_51_TAINTS}]}}]",
    good="node_groups: [{name: h200, taints: [{key: taint-0}]}]",
)
TWO_CONFIGURATIONS = Rule(
    code="K8S513",
    title="MIG configuration by label and by mig",
    why="`mig` becomes the label nvidia.com/mig.config, which can be there once.",
    source=limits.MIG,
    target="eks",
    bad="node_groups: [{name: h200, efa: false, mig: {1g.18gb: 7}, "
    "labels: {nvidia.com/mig.config: all-3g.71gb}}]",
    good="node_groups: [{name: h200, efa: false, mig: {1g.18gb: 7}}]",
)
RULES = (LABEL, RESERVED, TAINT, MANY, TWO_CONFIGURATIONS)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for group in plan.node_groups:
        yield from _labels(plan, group)
        yield from _taints(plan, group)


def _labels(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    for key, value in group.labels.items():
        path = group.at("labels", key)
        yield from _reserved(plan, path, key, on_key=True)
        if not value:
            yield LABEL.at(path, f"the label {key} has no value", help="write 'true'")
        if len(key) > limits.MAX_KEY:
            yield LABEL.at(
                path,
                f"the key of a label has {len(key)} characters",
                help=f"at most {limits.MAX_KEY}, the prefix included",
                on_key=True,
            )
        elif "/" in key and not taints.KEY.fullmatch(key):
            yield LABEL.at(
                path,
                f"the prefix of {key!r} is not a domain name",
                help="write one such as example.com/, or none",
                on_key=True,
            )
    if group.mig and labels_and_taints.MIG_LABEL in group.labels:
        yield TWO_CONFIGURATIONS.at(
            group.at("labels", labels_and_taints.MIG_LABEL),
            f"mig of {group.name} becomes the label {labels_and_taints.MIG_LABEL}",
            help="leave one of the two out",
            on_key=True,
        )


def _taints(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    yield from taints.faults(group, TAINT, limits.MAX_KEY)
    for index, taint in enumerate(group.taints):
        yield from _reserved(plan, group.at("taints", index, "key"), taint.key)
    if len(group.taints) > limits.MAX_TAINTS:
        yield MANY.at(
            group.at("taints"),
            f"{len(group.taints)} taints, of {limits.MAX_TAINTS} at the most",
            help="leave some out",
        )


def _reserved(plan: Plan, path: Path, key: str, *, on_key: bool = False) -> Iterator[Finding]:
    karpenter = plan.kubernetes.autoscaler == "karpenter"
    taken = limits.RESERVED_PREFIXES + (limits.KARPENTER_PREFIXES if karpenter else ())
    prefix, slash, name = key.rpartition("/")
    domain = next((p for p in taken if _within(f"{prefix}{slash}", p)), None)
    if domain:
        yield RESERVED.at(
            path,
            f"{key!r} has the prefix {domain}",
            help=f"write it with a domain of your own, example.com/{name}",
            on_key=on_key,
        )


def _within(prefix: str, reserved: str) -> bool:
    """Whether a prefix is a reserved domain, or below it."""
    return prefix == reserved or prefix.endswith(f".{reserved}")
