"""Labels and taints of Kubernetes nodes that the service accepts."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, rename, unsafe, unwanted
from clustergen.plan.limits import Labels
from clustergen.plan.model import Plan
from clustergen.rules.services import rule
from clustergen.services.kubernetes import taints
from clustergen.services.kubernetes.labels_and_taints import MIG_LABEL

_51_TAINTS = ", ".join(f"{{key: taint-{number}}}" for number in range(51))


@rule(
    "K8S002",
    "Label that the service does not accept",
    why="The service's API, unlike Kubernetes, requires a value, and a domain name as the "
    "prefix of a key. EKS counts the prefix among the 63 characters of a key.",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html",
    target="eks",
    bad="node_groups: [{name: h200, labels: {training: ''}}]",
)
def label(plan: Plan) -> Iterator[Problem]:
    if limit := plan.limits.labels:
        for group in plan.node_groups:
            for key, value in group.labels.items():
                yield from _label(limit, group.at("labels", key), key, value)


def _label(limit: Labels, path: Path, key: str, value: str) -> Iterator[Problem]:
    if not value:
        yield Problem(
            path,
            f"the label {key} has no value",
            help="write 'true'",
            source=limit.source,
            fix=unsafe(put(path, "true")),
        )
    if limit.longest_key and len(key) > limit.longest_key:
        yield Problem(
            path,
            f"the key of a label has {len(key)} characters",
            help=f"at most {limit.longest_key}, including the prefix",
            on_key=True,
            source=limit.source,
        )
    elif "/" in key and not taints.KEY.fullmatch(key):
        yield Problem(
            path,
            f"the prefix of {key!r} is not a domain name",
            help="write one such as example.com/, or none",
            on_key=True,
            source=limit.source,
        )


@rule(
    "K8S003",
    "Label or taint with a reserved prefix",
    why="Keys with these prefixes belong to Kubernetes, to EKS, to Karpenter or to HyperPod, which "
    "reject, overwrite or act on them.",
    source="https://github.com/aws/containers-roadmap/issues/1451",
    target="eks",
    bad="node_groups: [{name: h200, labels: {node-role.kubernetes.io/train: 'true'}}]",
)
def reserved(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.labels
    if limit is None:
        return
    karpenter = plan.kubernetes.autoscaler == "karpenter"
    prefixes = limit.reserved + (limit.reserved_with_karpenter if karpenter else ())
    for path, key, on_key in _keys(plan):
        if prefix := taints.prefix_of(key, prefixes):
            own = f"example.com/{key.rpartition('/')[2]}"
            yield Problem(
                path,
                f"{key!r} has the prefix {prefix}",
                help=f"use a domain of your own: {own}",
                fix=unsafe(rename(path, own) if on_key else put(path, own)),
                on_key=on_key,
                source=limit.reserved_source,
            )


def _keys(plan: Plan) -> Iterator[tuple[Path, str, bool]]:
    """Place and key of every label and taint, and whether the finding is on the key."""
    for group in plan.node_groups:
        for key in group.labels:
            yield group.at("labels", key), key, True
        for index, taint in enumerate(group.taints):
            yield group.at("taints", index, "key"), taint.key, False


@rule(
    "K8S004",
    "Taint that the service does not accept",
    why="Key and value have the form of a label's: letters, digits, `-`, `_` and `.`, at most 63, "
    "the key with an optional DNS prefix. A group has a key with an effect only once.",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    target="eks",
    bad="node_groups: [{name: h200, taints: [{key: for training}]}]",
    good="node_groups: [{name: h200, taints: [{key: for-training}]}]",
)
def taint(plan: Plan) -> Iterator[Problem]:
    if limit := plan.limits.labels:
        for group in plan.node_groups:
            for problem in taints.find_problems(group, limit.longest_key):
                yield problem._replace(source=limit.taints_source)


@rule(
    "LIM006",
    "Too many labels or taints",
    why="The service limits the labels and taints of a node group.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-taints-managed-node-groups.html",
    target="eks",
    bad=f"kubernetes: {{admission: none}}\nnode_groups: [{{name: h200, taints: [{_51_TAINTS}]}}]",
    good="kubernetes: {admission: none}\nnode_groups: [{name: h200, taints: [{key: taint-0}]}]",
)
def many(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.labels
    if limit is None:
        return
    for group in plan.node_groups:
        for field, count, most in (
            ("labels", len(group.labels), limit.most_labels),
            ("taints", len(group.taints), limit.most_taints),
        ):
            if most is not None and count > most:
                yield Problem(
                    group.at(field),
                    f"{count} {field}; the maximum is {most}",
                    help="remove some",
                    source=limit.source if field == "labels" else limit.taints_source,
                )


@rule(
    "GPU003",
    "MIG configuration both by label and by mig",
    why="`mig` becomes the label nvidia.com/mig.config, which a node can have only once.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/device-management-nvidia-mig.html",
    target="eks",
    bad="node_groups: [{name: h200, efa: false, mig: {1g.18gb: 7}, "
    "labels: {nvidia.com/mig.config: all-3g.71gb}}]",
)
def two_mig_configurations(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups if plan.limits.mig_label else ():
        if group.mig and MIG_LABEL in group.labels:
            yield unwanted(
                group.at("labels", MIG_LABEL),
                f"mig of {group.name} becomes the label {MIG_LABEL}",
                help="remove one of the two",
                on_key=True,
                source=plan.limits.mig_label,
            )
