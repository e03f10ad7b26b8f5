"""Labels and taints of node groups."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Path, Problem
from clustergen.hyperpod.labels import reserved_prefix
from clustergen.kubernetes import taints
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.hyperpod_eks import limits
from clustergen.targets.hyperpod_eks.rules import EXISTING, rule

_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterKubernetesConfig.html"
_51_LABELS = ", ".join(f"label-{number}: x" for number in range(51))


@rule(
    "K8S410",
    "Label that HyperPod does not accept",
    why="Kubernetes accepts empty values, HyperPod's request does not: a value has 1 to 63 "
    "characters. The prefix of a key is a domain name.",
    source=_API,
    bad=f"{EXISTING}\nnode_groups: [{{name: h200, labels: {{training: ''}}}}]",
    good=f"{EXISTING}\nnode_groups: [{{name: h200, labels: {{training: 'true'}}}}]",
)
def form(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for key, value in group.labels.items():
            path = group.at("labels", key)
            if not value:
                yield Problem(path, f"the label {key} has no value", help="write 'true'")
            elif not taints.KEY.fullmatch(key):
                yield Problem(
                    path,
                    f"the prefix of {key!r} is not a domain name",
                    help="write one such as example.com/, or none",
                    on_key=True,
                )


@rule(
    "K8S411",
    "Label or taint with a reserved prefix",
    why="Keys with these prefixes belong to Kubernetes, EKS, Karpenter and HyperPod, which "
    "overwrite them or act on them.",
    source=limits.LABELS,
    bad=f"{EXISTING}\nnode_groups: [{{name: h200, labels: {{kubernetes.io/role: train}}}}]",
    good=f"{EXISTING}\nnode_groups: [{{name: h200, labels: {{example.com/role: train}}}}]",
)
def reserved(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for path, key, on_key in _keys(group):
            if domain := reserved_prefix(key):
                yield Problem(
                    path,
                    f"{key!r} has the prefix {domain}",
                    help=f"use a domain of your own: example.com/{key.rpartition('/')[2]}",
                    on_key=on_key,
                )


def _keys(group: NodeGroup) -> Iterator[tuple[Path, str, bool]]:
    """Keys of labels and taints, their places, and whether they are keys in the spec, too."""
    for key in group.labels:
        yield group.at("labels", key), key, True
    for index, taint in enumerate(group.taints):
        yield group.at("taints", index, "key"), taint.key, False


@rule(
    "LIM400",
    "Too many labels or taints",
    why="A node group has at most 50 of each.",
    source=_API,
    bad=f"{EXISTING}\nnode_groups: [{{name: h200, labels: {{{_51_LABELS}}}}}]",
    good=f"{EXISTING}\nnode_groups: [{{name: h200, labels: {{label-0: x}}}}]",
)
def number(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for field, count, most in (
            ("labels", len(group.labels), limits.MAX_LABELS),
            ("taints", len(group.taints), limits.MAX_TAINTS),
        ):
            if count > most:
                message = f"{count} {field}, but {most} at most"
                yield Problem(group.at(field), message, help="leave some out")


@rule(
    "K8S412",
    "Not a taint",
    why="Key and value of a taint have the form of a label's: letters, digits, `-`, `_` and `.`, "
    "at most 63, the key with an optional DNS prefix.",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    bad=f"{EXISTING}\nnode_groups: [{{name: h200, taints: [{{key: for training}}]}}]",
    good=f"{EXISTING}\nnode_groups: [{{name: h200, taints: [{{key: for-training}}]}}]",
)
def taint(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        yield from taints.find_problems(group)


@rule(
    "K8S413",
    "Taints on nodes with deep health checks",
    why="The pods of the checks do not tolerate your taints: they would not run, and the nodes "
    "would never become schedulable.",
    source=limits.EKS_PREREQUISITES,
    bad=f"""{EXISTING}
node_groups: [{{name: h200, health_checks: [instance-stress], taints: [{{key: training}}]}}]""",
    good=f"{EXISTING}\nnode_groups: [{{name: h200, health_checks: [instance-stress]}}]",
)
def checked_taint(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        # Another rule refuses deep health checks of nodes without accelerators.
        accelerated = group.type.gpus or group.type.neuron_devices
        if group.taints and accelerated and set(group.health_checks) - {"gpu"}:
            yield Problem(
                group.at("taints"),
                f"{group.name} has taints and deep health checks",
                help="leave one of them out; labels separate jobs, too",
            )
