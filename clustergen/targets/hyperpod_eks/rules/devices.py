"""MIG partitions, how pods get devices, and how many pods a node has."""

from collections.abc import Iterator, Mapping

from clustergen.base.findings import Fix, Problem, drop, put, unsafe, unwanted
from clustergen.plan.model import NodeGroup, Plan, Taint
from clustergen.services.kubernetes import capacity
from clustergen.targets.hyperpod_eks import limits, mig
from clustergen.targets.hyperpod_eks.rules import EXISTING, NEW, rule, warning


@rule(
    "GPU400",
    "MIG partitions without a matching configuration",
    why="HyperPod partitions GPUs by a label that names one of the configurations of NVIDIA's "
    "operator; it has some for A100, H100, H200 and B300, none for B200 and GB200.",
    source=limits.PARTITIONS,
    bad=f"{EXISTING}\nnode_groups: [{{name: h200, mig: {{1g.35gb: 4}}}}]",
)
def configuration(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.mig and mig.configuration(group) is None:
            wanted = ", ".join(f"{count} x {name}" for name, count in group.mig.items())
            message, help = f"no MIG configuration makes {wanted}", _alternatives(group)
            yield Problem(group.at("mig"), message, help=help, fix=_fix(group))


def _alternatives(group: NodeGroup) -> str:
    """Alternative partitions; those with a requested profile come first."""
    found = _near(group)
    if not found:
        gpu = group.type.accelerator.name if group.type.accelerator else "its GPU"
        return f"remove mig: there is no configuration for {gpu}"
    return "write " + ", or ".join(_as_yaml(parts) for parts in found[:3])


def _fix(group: NodeGroup) -> Fix:
    found = _near(group)
    return unsafe(put(group.at("mig"), dict(found[0])) if found else drop(group.at("mig")))


def _near(group: NodeGroup) -> list[Mapping[str, int]]:
    """The configurations of the GPU; those with a profile of the group first."""
    return sorted(mig.alternatives(group), key=lambda parts: not parts.keys() & group.mig.keys())


def _as_yaml(parts: Mapping[str, int]) -> str:
    return "{" + ", ".join(f"{name}: {count}" for name, count in parts.items()) + "}"


@rule(
    "K8S432",
    "Dynamic resource allocation on HyperPod",
    why="HyperPod's chart installs device plugins; together with a driver of dynamic resource "
    "allocation, both would hand out the same devices.",
    source=limits.INSTALL,
    bad=f"{NEW}\nkubernetes: {{devices: dra}}",
)
def dynamic_allocation(plan: Plan) -> Iterator[Problem]:
    if plan.kubernetes.devices == "dra":
        path = ("kubernetes", "devices")
        message = "HyperPod gives pods their devices through device plugins"
        help = "write devices: plugin; only EKS without HyperPod has device claims"
        yield Problem(path, message, help=help, fix=unsafe(put(path, "plugin")))


@warning(
    "K8S441",
    "Nodes that Neuron's device plugin does not serve",
    why="HyperPod's chart has fixed instance types and tolerations for this plugin. Where it does "
    "not run, pods get no Neuron devices, and wait.",
    source=limits.NEURON_SOURCE,
    bad=f"""{EXISTING}
node_groups: [{{name: h200, instance_type: trn2.48xlarge, taints: [{{key: acme.com/team}}]}}]""",
    good=f"{EXISTING}\nnode_groups: [{{name: h200, instance_type: trn2.48xlarge}}]",
)
def neuron_plugin(plan: Plan) -> Iterator[Problem]:
    for group in (group for group in plan.node_groups if group.type.neuron_devices):
        for type in group.types:
            if type.ml_name not in limits.NEURON_TYPES:
                message = f"{group.name}: the plugin does not run on {type.ml_name}"
                help = "use another Trainium type, or install a Neuron device plugin of your own"
                yield Problem(group.path, message, help=help)
        for index, taint in enumerate(group.taints):
            if not _tolerated(taint):
                yield unwanted(
                    group.at("taints", index),
                    f"{group.name}: the plugin does not tolerate {taint.key}:{taint.effect}",
                    help="remove the taint, and separate jobs by labels; or install a Neuron "
                    "device plugin of your own",
                )


def _tolerated(taint: Taint) -> bool:
    soft = taint.effect == "PreferNoSchedule" or taint.key == "CriticalAddonsOnly"
    return soft or (taint.key, taint.effect) in limits.NEURON_TOLERATED


@warning(
    "LIM403",
    "Nodes that can run only a few pods",
    why="All pods of a node have addresses of its first interface. The agents of network, storage, "
    "devices and metrics are pods on every node, before any job.",
    source=limits.EKS_PREREQUISITES,
    bad=f"{EXISTING}\nnode_groups: [{{name: h200, instance_type: g4dn.xlarge}}]",
    good=f"{EXISTING}\nnode_groups: [{{name: h200, instance_type: g5.4xlarge}}]",
)
def few_pods(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for type in group.types:
            if (room := type.ipv4_per_interface - 1) < capacity.FEWEST_PODS:
                message = f"{type.ml_name} has room for {room} pods"
                yield Problem(group.at("instance_type"), message, help="use a larger size")
