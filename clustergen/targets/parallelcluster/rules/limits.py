"""Memory of the head node, number of file systems, and log retention."""

from collections.abc import Callable, Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import Ebs, Efs, FileCache, Lustre, Ontap, OpenZfs, Plan, Storage
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule

_SIX_VOLUMES = [f"{{mount: /work{n}, type: ebs, size: 100GiB}}" for n in range(6)]

_KINDS: tuple[tuple[str, tuple[type[Storage], ...], int], ...] = (
    ("EBS volumes", (Ebs,), limits.MAX_EBS),
    ("EFS file systems", (Efs,), limits.MAX_EXISTING_EFS),
    ("FSx file systems", (Lustre, OpenZfs, Ontap, FileCache), limits.MAX_EXISTING_FSX),
)
_NEW: tuple[tuple[str, Callable[[Storage], object]], ...] = (
    ("EFS file systems", lambda item: isinstance(item, Efs) and item.new_in_cluster),
    ("FSx file systems", lambda item: isinstance(item, Lustre) and item.new_in_cluster),
    ("arrays of EBS volumes", lambda item: isinstance(item, Ebs) and item.raid),
)


@rule(
    "LIM103",
    "The head node is too small for so many nodes",
    why="It needs 1 GiB of memory for every 25 nodes and 0.6 GiB for itself, up to 16 GiB in all.",
    source="pcluster.validators.cluster_validators: HeadNodeMemorySizeValidator",
    bad="""head_node: {instance_type: t3.medium}
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: {max: 200}}]""",
)
def head_memory(plan: Plan) -> Iterator[Problem]:
    if plan.head is None:
        return
    needed = min(
        plan.max_nodes / limits.NODES_PER_HEAD_NODE_GIB + limits.HEAD_NODE_SYSTEM_GIB,
        limits.HEAD_NODE_ENOUGH_GIB,
    )
    if plan.head.type.memory_gib < needed:
        yield Problem(
            (*plan.head.path, "instance_type"),
            f"{plan.head.type.name} has {plan.head.type.memory_gib:g} GiB of memory, "
            f"{plan.max_nodes} nodes need {needed:.1f}",
            help="use a type with 16 GiB or more, such as m7i.xlarge (m8g.xlarge with arm64)",
            fix=unsafe(
                put(
                    (*plan.head.path, "instance_type"),
                    "m8g.xlarge" if plan.head.type.arch == "arm64" else "m7i.xlarge",
                )
            ),
        )


@rule(
    "LIM104",
    "Too many file systems",
    why="ParallelCluster mounts at most 5 EBS volumes, 20 EFS and 20 FSx file systems, and creates "
    "one EFS, one FSx file system, and one array of volumes.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/shared-storage-quotas-v3.html",
    bad=f"storage: [{', '.join(_SIX_VOLUMES)}]",
    good="storage: [{mount: /work, type: ebs, size: 600GiB}]",
)
def file_systems(plan: Plan) -> Iterator[Problem]:
    for title, kinds, most in _KINDS:
        found = [item for item in plan.storage if isinstance(item, kinds)]
        for item in found[most:]:
            yield Problem(
                item.path,
                f"one of {len(found)} {title}; at most {most} are allowed",
                help="use folders of one file system instead",
            )
    for title, counts in _NEW:
        created = [item for item in plan.storage if counts(item)]
        for item in created[limits.MAX_NEW :]:
            yield Problem(
                item.path,
                f"one of {len(created)} {title} that ParallelCluster creates; it creates at most "
                f"{limits.MAX_NEW}",
                help="use folders of one file system"
                + ("" if isinstance(item, Ebs) else ", or write created_by: foundation"),
            )
