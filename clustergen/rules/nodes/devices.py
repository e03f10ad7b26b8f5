"""GPUs: MIG profiles that the GPU supports, and that fit together; health checks; fractions."""

import difflib
import re
from collections.abc import Iterator, Sequence

from clustergen.base.findings import Problem, drop, put, rename, rule, safe, unsafe, warning
from clustergen.facts.catalog import mig
from clustergen.plan.model import NodeGroup, Plan

_GUIDE = "https://docs.nvidia.com/datacenter/tesla/mig-user-guide/"


@rule(
    "GPU001",
    "The GPU has no such MIG profile",
    fixes="safe or unsafe",
    why="Profiles are named by memory, which differs from GPU to GPU: 1g.10gb of an H100 is "
    "1g.18gb of an H200.",
    source=_GUIDE,
    bad="node_groups: [{name: h200, mig: {1g.10gb: 7}}]",
)
def profiles(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.mig and not mig.profiles(group.type):
            message = f"GPUs of {group.type.name} cannot be partitioned"
            if not group.type.gpus:
                message = f"{group.type.name} has no GPU that could be partitioned"
            elif group.type.own:
                message = f"the MIG profiles of {group.type.name} are not known"
            fix = unsafe(drop(group.at("mig")))
            yield Problem(group.at("mig"), message, help="remove mig", on_key=True, fix=fix)
            continue
        for name in _unknown(group):
            known = [profile.name for profile in mig.profiles(group.type)]
            near = _nearest(name, known)
            help = f"did you mean {near}? It has {', '.join(known)}" if near else ""
            help = help or "remove mig: its GPUs cannot be partitioned"
            path, message = group.at("mig", name), f"{group.type.name} has no MIG profile {name}"
            meant = unsafe(rename(path, near)) if near else None
            yield Problem(path, message, help=help, fix=meant, on_key=True)


@rule(
    "GPU002",
    "More MIG partitions than a GPU holds",
    why="A GPU has 7 compute and 8 memory slices, which its partitions share.",
    source=_GUIDE,
    bad="node_groups: [{name: h200, mig: {3g.71gb: 3}}]",
)
def slices(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.mig and not _unknown(group):
            yield from _too_many(group)


@warning(
    "GPU004",
    "GPU health check on nodes without accelerators",
    why="The check counts or tests the accelerators of a node. This node has none.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html",
    bad="node_groups: [{name: h200, instance_type: m7i.4xlarge, health_checks: [gpu]}]",
    good="node_groups: [{name: h200, health_checks: [gpu]}]",
)
def health_check(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if "gpu" in group.health_checks and not group.accelerators[1]:
            path, message = group.at("health_checks"), f"{group.type.name} has no accelerators"
            others = len(group.health_checks) > 1
            place = (*path, group.health_checks.index("gpu")) if others else path
            yield Problem(path, message, help="remove health_checks", fix=safe(drop(place)))


@warning(
    "GPU005",
    "A part of a GPU, which nothing counts",
    why="EC2 counts no GPU on these types. The queues, quotas, jobs and device plugins of a bundle "
    "are for whole GPUs, so that no job can ask for a part.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html",
    bad="node_groups: [{name: h200, instance_type: g6f.4xlarge}]",
    good="node_groups: [{name: h200, instance_type: g6.4xlarge}]",
)
def fractions(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        device = group.type.accelerator
        if device and not device.count:
            message = f"{group.type.name} has a part of a GPU ({device.name}), which counts as none"
            yield Problem(group.at("instance_type"), message, help="use a type with whole GPUs")


def _nearest(name: str, known: Sequence[str]) -> str:
    """The smallest profile with the same number of compute slices, or else a similar name."""
    same = [other for other in known if other.split("g.")[0] == name.split("g.", maxsplit=1)[0]]
    near = same or difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    return min(near, key=_memory) if near else ""


def _memory(profile: str) -> tuple[int, int]:
    """Sort key: the memory of a profile in GB; profiles without media engines come first."""
    size = re.search(r"\.(\d+)gb", profile)
    return (int(size[1]) if size else 0, len(profile))


def _unknown(group: NodeGroup) -> list[str]:
    """The profiles of the group that its GPU does not have."""
    known = [profile.name for profile in mig.profiles(group.type)] if group.mig else []
    return [name for name in group.mig if name not in known]


def _too_many(group: NodeGroup) -> Iterator[Problem]:
    for name, count in group.mig.items():
        found = mig.profile(group.type, name)
        if found is not None and count > found.most:
            path, message = group.at("mig", name), f"{count} x {name} on one GPU"
            fix = unsafe(put(path, found.most))
            yield Problem(path, message, help=f"at most {found.most}", fix=fix)
            return
    use = mig.use(group.type, group.mig)
    if not use.fits:
        slices = f"{use.compute_slices} compute and {use.memory_slices} memory slices"
        help = f"a GPU has {mig.COMPUTE_SLICES} and {mig.MEMORY_SLICES}"
        yield Problem(group.at("mig"), f"partitions of {slices}", help=help)
