"""Labels and taints, as EKS's API takes them."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Path, Problem
from clustergen.kubernetes import labels_and_taints, taints
from clustergen.plan.model import Plan
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules import rule


@rule(
    "K8S510",
    "Label that EKS does not take",
    why="EKS's API requires a value, which Kubernetes does not, and a key of at most 63 "
    "characters including its prefix, which is a domain name.",
    source=limits.CREATE_NODE_GROUP,
    bad="node_groups: [{name: h200, labels: {training: ''}}]",
    good="node_groups: [{name: h200, labels: {training: 'true'}}]",
)
def label(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for key, value in group.labels.items():
            path = group.at("labels", key)
            if not value:
                yield Problem(path, f"the label {key} has no value", help="write 'true'")
            yield from _key(path, key)


def _key(path: Path, key: str) -> Iterator[Problem]:
    if len(key) > limits.MAX_KEY:
        yield Problem(
            path,
            f"the key of a label has {len(key)} characters",
            help=f"at most {limits.MAX_KEY}, including the prefix",
            on_key=True,
        )
    elif "/" in key and not taints.KEY.fullmatch(key):
        yield Problem(
            path,
            f"the prefix of {key!r} is not a domain name",
            help="write one such as example.com/, or none",
            on_key=True,
        )


@rule(
    "K8S511",
    "Label or taint with a reserved prefix",
    why="EKS refuses keys of Kubernetes and its own; those of Karpenter belong to Karpenter.",
    source=limits.RESERVED,
    bad="node_groups: [{name: h200, labels: {node-role.kubernetes.io/train: 'true'}}]",
    good="node_groups: [{name: h200, labels: {example.com/train: 'true'}}]",
)
def reserved(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for key in group.labels:
            yield from _reserved(plan, group.at("labels", key), key, on_key=True)
        for index, taint in enumerate(group.taints):
            yield from _reserved(plan, group.at("taints", index, "key"), taint.key)


def _reserved(plan: Plan, path: Path, key: str, *, on_key: bool = False) -> Iterator[Problem]:
    karpenter = plan.kubernetes.autoscaler == "karpenter"
    taken = limits.RESERVED_PREFIXES + (limits.KARPENTER_PREFIXES if karpenter else ())
    prefix, slash, name = key.rpartition("/")
    domain = next((p for p in taken if _within(f"{prefix}{slash}", p)), None)
    if domain:
        yield Problem(
            path,
            f"{key!r} has the prefix {domain}",
            help=f"write it with your own domain, such as example.com/{name}",
            on_key=on_key,
        )


def _within(prefix: str, reserved: str) -> bool:
    """Whether a prefix is a reserved domain, or below it."""
    return prefix == reserved or prefix.endswith(f".{reserved}")


@rule(
    "K8S512",
    "Taint that EKS does not take",
    why="Key and value have the same form as a label's: letters, digits, `-`, `_` and `.`, at most "
    "63; a group has a key with the same effect only once.",
    source=limits.TAINTS,
    bad="node_groups: [{name: h200, taints: [{key: for training}]}]",
    good="node_groups: [{name: h200, taints: [{key: for-training}]}]",
)
def taint(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        yield from taints.find_problems(group, limits.MAX_KEY)


@rule(
    "K8S513",
    "MIG configuration by label and by mig",
    why="`mig` becomes the label nvidia.com/mig.config, which a node has only once.",
    source=limits.MIG,
    bad="node_groups: [{name: h200, efa: false, mig: {1g.18gb: 7}, "
    "labels: {nvidia.com/mig.config: all-3g.71gb}}]",
    good="node_groups: [{name: h200, efa: false, mig: {1g.18gb: 7}}]",
)
def two_configurations(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.mig and labels_and_taints.MIG_LABEL in group.labels:
            yield Problem(
                group.at("labels", labels_and_taints.MIG_LABEL),
                f"mig of {group.name} becomes the label {labels_and_taints.MIG_LABEL}",
                help="leave one of the two out",
                on_key=True,
            )
