"""Labels, taints, partitions and health checks of node groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.hyperpod.labels import reserved_prefix
from clustergen.kubernetes import taints
from clustergen.kubernetes.labels_and_taints import MIG_LABEL
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.hyperpod_eks import limits, mig
from clustergen.targets.hyperpod_eks.cluster_rules import EXAMPLE

_TARGET = "hyperpod-eks"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterKubernetesConfig.html"
_51_LABELS = ", ".join(f"label-{number}: x" for number in range(51))

LABEL = Rule(
    code="K8S410",
    title="Label that HyperPod does not take",
    why="Kubernetes has empty values, HyperPod's request has not: a value is 1 to 63 long. The "
    "prefix of a key is a domain name.",
    source=_API,
    target=_TARGET,
    bad=f"{EXAMPLE}\nnode_groups: [{{name: h200, labels: {{training: ''}}}}]",
    good=f"{EXAMPLE}\nnode_groups: [{{name: h200, labels: {{training: 'true'}}}}]",
)
RESERVED = Rule(
    code="K8S411",
    title="Label or taint with a prefix that is reserved",
    why="Keys of these prefixes belong to Kubernetes, EKS, Karpenter and HyperPod, which overwrite "
    "them or act on them.",
    source=limits.LABELS,
    target=_TARGET,
    bad=f"{EXAMPLE}\nnode_groups: [{{name: h200, labels: {{kubernetes.io/role: train}}}}]",
    good=f"{EXAMPLE}\nnode_groups: [{{name: h200, labels: {{example.com/role: train}}}}]",
)
MANY = Rule(
    code="LIM400",
    title="Too many labels or taints",
    why="A node group has at most 50 of each.",
    source=_API,
    target=_TARGET,
    bad=f"{EXAMPLE}\nnode_groups: [{{name: h200, labels: {{{_51_LABELS}}}}}]",
    good=f"{EXAMPLE}\nnode_groups: [{{name: h200, labels: {{label-0: x}}}}]",
)
BAD_TAINT = Rule(
    code="K8S412",
    title="Not a taint",
    why="Key and value of a taint have the form of a label's: letters, digits, `-`, `_` and `.`, "
    "at most 63, the key with an optional DNS prefix.",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    target=_TARGET,
    bad=f"{EXAMPLE}\nnode_groups: [{{name: h200, taints: [{{key: for training}}]}}]",
    good=f"{EXAMPLE}\nnode_groups: [{{name: h200, taints: [{{key: for-training}}]}}]",
)
CHECKED_TAINT = Rule(
    code="K8S413",
    title="Taints on nodes with deep health checks",
    why="The pods of the checks do not tolerate taints of your own: they would not run, and the "
    "nodes would never become schedulable.",
    source=limits.EKS_PREREQUISITES,
    target=_TARGET,
    bad=f"""{EXAMPLE}
node_groups: [{{name: h200, health_checks: [instance-stress], taints: [{{key: training}}]}}]""",
    good=f"{EXAMPLE}\nnode_groups: [{{name: h200, health_checks: [instance-stress]}}]",
)
CONFIGURATION = Rule(
    code="GPU400",
    title="Partitions that no MIG configuration makes",
    why="HyperPod partitions GPUs by a label that names one of the configurations of NVIDIA's "
    "operator; it has some for A100, H100, H200 and B300, none for B200 and GB200.",
    source=limits.PARTITIONS,
    target=_TARGET,
    bad=f"{EXAMPLE}\nnode_groups: [{{name: h200, mig: {{1g.35gb: 4}}}}]",
    good=f"{EXAMPLE}\nnode_groups: [{{name: h200, mig: {{1g.18gb: 7}}}}]",
)
TWO_CONFIGURATIONS = Rule(
    code="GPU401",
    title="MIG configuration by label and by mig",
    why="`mig` becomes the label nvidia.com/mig.config, which can be there once.",
    source=limits.PARTITIONS,
    target=_TARGET,
    bad=f"{EXAMPLE}\nnode_groups: [{{name: h200, mig: {{1g.18gb: 7}}, "
    "labels: {nvidia.com/mig.config: all-3g.71gb}}]",
    good=f"{EXAMPLE}\nnode_groups: [{{name: h200, mig: {{1g.18gb: 7}}}}]",
)
SYSTEM = Rule(
    code="IMG400",
    title="Operating system that HyperPod's EKS nodes do not have",
    why="Nodes of an EKS cluster run Amazon Linux, in HyperPod's image or one made from it.",
    source=limits.EKS_PREREQUISITES,
    severity=Severity.WARNING,
    target=_TARGET,
    bad=f"{EXAMPLE}\nsoftware: {{os: ubuntu2404}}",
    good=f"{EXAMPLE}\nsoftware: {{os: alinux2023}}",
)
RULES = (
    *(LABEL, RESERVED, MANY, BAD_TAINT, CHECKED_TAINT),
    *(CONFIGURATION, TWO_CONFIGURATIONS, SYSTEM),
)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for group in plan.node_groups:
        yield from _labels(group)
        yield from _taints(group)
        yield from _partitions(group)
    if plan.software.os != limits.OS and plan.wrote("software", "os"):
        yield SYSTEM.at(
            ("software", "os"),
            f"the nodes run Amazon Linux 2023, not {plan.software.os}",
            help=f"write os: {limits.OS}",
        )


def _labels(group: NodeGroup) -> Iterator[Finding]:
    for key, value in group.labels.items():
        yield from _reserved(group.at("labels", key), key, on_key=True)
        if not value:
            yield LABEL.at(
                group.at("labels", key), f"the label {key} has no value", help="write 'true'"
            )
        elif not taints.KEY.fullmatch(key):
            yield LABEL.at(
                group.at("labels", key),
                f"the prefix of {key!r} is not a domain name",
                help="write one such as example.com/, or none",
                on_key=True,
            )
    yield from _many(group, "labels", len(group.labels), limits.MAX_LABELS)


def _taints(group: NodeGroup) -> Iterator[Finding]:
    yield from taints.faults(group, BAD_TAINT)
    for index, taint in enumerate(group.taints):
        yield from _reserved(group.at("taints", index, "key"), taint.key)
    yield from _many(group, "taints", len(group.taints), limits.MAX_TAINTS)
    # Where there is nothing to check, another rule has said so.
    checked = set(group.health_checks) - {"gpu"} and (group.type.gpus or group.type.neuron_devices)
    if group.taints and checked:
        yield CHECKED_TAINT.at(
            group.at("taints"),
            f"{group.name} has taints and deep health checks",
            help="leave one of them out; labels keep jobs apart too",
        )


def _reserved(path: Path, key: str, *, on_key: bool = False) -> Iterator[Finding]:
    if domain := reserved_prefix(key):
        yield RESERVED.at(
            path,
            f"{key!r} has the prefix {domain}",
            help=f"write it with a domain of your own, example.com/{key.rpartition('/')[2]}",
            on_key=on_key,
        )


def _many(group: NodeGroup, field: str, count: int, most: int) -> Iterator[Finding]:
    if count > most:
        yield MANY.at(
            group.at(field), f"{count} {field}, of {most} at the most", help="leave some out"
        )


def _partitions(group: NodeGroup) -> Iterator[Finding]:
    if not group.mig:
        return
    if MIG_LABEL in group.labels:
        yield TWO_CONFIGURATIONS.at(
            group.at("labels", MIG_LABEL),
            f"mig of {group.name} becomes the label {MIG_LABEL}",
            help="leave one of the two out",
            on_key=True,
        )
    if mig.configuration(group) is None:
        wanted = ", ".join(f"{count} x {name}" for name, count in group.mig.items())
        yield CONFIGURATION.at(
            group.at("mig"), f"no MIG configuration makes {wanted}", help=_offered(group)
        )


def _offered(group: NodeGroup) -> str:
    """The partitions to take instead, those with a profile that was asked for first."""
    found = list(mig.alternatives(group))
    if not found:
        gpu = group.type.accelerator.name if group.type.accelerator else "its GPU"
        return f"leave mig out: there is no configuration for {gpu}"
    near = chain(
        (parts for parts in found if parts.keys() & group.mig.keys()),
        (parts for parts in found if not parts.keys() & group.mig.keys()),
    )
    return "write " + ", or ".join(_written(parts) for parts in islice(near, 3))


def _written(parts: Mapping[str, int]) -> str:
    return "{" + ", ".join(f"{name}: {count}" for name, count in parts.items()) + "}"
