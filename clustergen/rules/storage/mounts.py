"""Mount points of storage."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, rule, safe, unsafe, warning
from clustergen.base.text_lists import word_set, words
from clustergen.plan.model import Plan
from clustergen.plan.paths import around, inside, plain
from clustergen.services.aws import mounts
from clustergen.services.slurm.accounts import image_user

_TWO = """storage:
  - {{mount: /data, type: fsx-lustre, size: 1200GiB}}
  - {{mount: {}, type: efs}}"""


def _mounts(plan: Plan) -> list[tuple[Path, str]]:
    return [(item.at("mount"), item.mount) for item in plan.storage]


def _scratches(plan: Plan) -> list[tuple[Path, str]]:
    return [(group.at("scratch"), group.scratch) for group in plan.node_groups if group.scratch]


@rule(
    "STG013",
    "Path not normalized",
    why="The path becomes part of fstab, of names and of comparisons: one place, one spelling.",
    source="the language, version 1",
    bad="storage: [{mount: /fsx/, type: fsx-lustre, size: 1200GiB}]",
)
def spelling(plan: Plan) -> Iterator[Problem]:
    for path, mount in (*_mounts(plan), *_scratches(plan)):
        if mount != plain(mount):
            message = f"{mount} is another spelling of {plain(mount)}"
            yield Problem(
                path, message, help=f"write {plain(mount)}", fix=safe(put(path, plain(mount)))
            )


@rule(
    "STG014",
    "Mount path used twice",
    why="The last mount hides the earlier one.",
    source="https://man7.org/linux/man-pages/man8/mount.8.html",
    bad=_TWO.format("/data"),
    good=_TWO.format("/shared"),
)
def used_twice(plan: Plan) -> Iterator[Problem]:
    taken: set[str] = set()
    for path, mount in _mounts(plan):
        if plain(mount) in taken:
            message = f"{plain(mount)} is already mounted"
            yield Problem(path, message, help="choose another path")
        taken.add(plain(mount))


@warning(
    "STG015",
    "Storage mounted inside other storage",
    why="Nodes do not wait for the outer file system before they mount the inner one: when the "
    "outer one comes last, it hides the inner one, and services do not detect this.",
    source="https://man7.org/linux/man-pages/man8/mount.8.html",
    bad=_TWO.format("/data/shared"),
)
def nested(plan: Plan) -> Iterator[Problem]:
    for path, mount, other in _with_others(plan):
        if other and plain(mount) != "/" != plain(other):
            inner, outer = (mount, other) if inside(mount, other) else (other, mount)
            fix = unsafe(put(path, _sibling(inner))) if inner == mount else None
            message = f"{inner} lies inside {outer}"
            yield Problem(path, message, help=f"write e.g. {_sibling(inner)}", fix=fix)


def _with_others(plan: Plan) -> Iterator[tuple[Path, str, str]]:
    """Each mount path, with one before it that is around it or inside it; empty if none is."""
    earlier: dict[str, str] = {}
    inner: dict[str, str] = {}
    for path, mount in _mounts(plan):
        here = plain(mount)
        above = around(mount)
        outer = next((earlier[folder] for folder in above if folder in earlier), "")
        if here not in earlier:
            yield path, mount, outer or inner.get(here, "")
            earlier[here] = mount
            for folder in above:
                inner.setdefault(folder, mount)


def _sibling(mount: str) -> str:
    """A top-level alternative: ``/data-x`` for ``/data/x``."""
    return "/" + plain(mount).strip("/").replace("/", "-")


_SYSTEM = word_set("""
    / /bin /boot /dev /etc /lib /lib64 /media /mnt /opt /opt/intel
    /proc /root /run /sbin /srv /sys /tmp /usr /var
""")
"""From the source of STG016; those of ParallelCluster are in ``_OWNED``."""

_OWNED = words("/boot /dev /proc /sys /opt/amazon /opt/aws /opt/parallelcluster /opt/slurm")
"""Directories that the kernel, Slurm, EFA, PCS and the CloudWatch agent own completely."""


@rule(
    "STG016",
    "Storage mounted over a system directory",
    why="It would hide files that the node needs.",
    source="aws-parallelcluster 3.16.1 pcluster/validators/cluster_validators.py "
    "SharedStorageMountDirValidator",
    bad="storage: [{mount: /opt, type: efs}]",
    good="storage: [{mount: /opt/shared, type: efs}]",
)
def over_system(plan: Plan) -> Iterator[Problem]:
    for path, mount in (*_mounts(plan), *_scratches(plan)):
        if plain(mount) in _SYSTEM or any(inside(mount, owned) for owned in _OWNED):
            free = "/shared" if plain(mount) == "/" else f"/shared{plain(mount)}"
            fix = unsafe(put(path, free))
            yield Problem(
                path, f"{plain(mount)} is a system path", help=f"write e.g. {free}", fix=fix
            )


@warning(
    "STG061",
    "Storage mounted over the home directory of the image's user",
    why="EC2 puts the key of the key pair into that directory when a node starts. What is mounted "
    "over it hides the key, and the user can no longer log in.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/managing-users.html",
    target="parallelcluster",
    by_limits=True,
    bad="storage: [{mount: /home/ubuntu, type: efs}]",
)
def over_home(plan: Plan) -> Iterator[Problem]:
    """Not in a cluster of Kubernetes, where pods mount storage."""
    home = f"/home/{image_user(plan)}"
    for path, mount in (*_mounts(plan), *_scratches(plan)) if plan.scheduler == "slurm" else ():
        if plain(mount) == home:
            free = home.replace("/home", "/shared")
            message = f"{home} is the home directory of the user of the image"
            yield Problem(path, message, help=f"write e.g. {free}", fix=unsafe(put(path, free)))


@rule(
    "STG017",
    "Scratch and storage with the same mount point",
    why="Local NVMe and shared storage would hide each other.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    bad="""node_groups: [{name: h200, scratch: /scratch}]
storage: [{mount: /scratch, type: fsx-lustre, size: 1200GiB}]""",
)
def over_scratch(plan: Plan) -> Iterator[Problem]:
    mounts = [mount for _, mount in _mounts(plan)]
    for path, scratch in _scratches(plan):
        hidden = next((m for m in mounts if inside(m, scratch) or inside(scratch, m)), None)
        if hidden:
            help = "choose another path for scratch, e.g. /local/scratch"
            message = f"scratch {scratch} and storage {hidden} overlap"
            yield Problem(path, message, help=help, fix=unsafe(put(path, "/local/scratch")))


@warning(
    "STG060",
    "No storage that nodes share",
    why="Each node has home directories of its own, on its root volume, and loses them with it. "
    "Jobs of several nodes find neither their scripts nor their data.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_file-systems.html",
    target="pcs",
    by_limits=True,
    bad="node_groups: [{name: cpu, instance_type: m7i.large, count: 2}]",
    good="""node_groups: [{name: cpu, instance_type: m7i.large, count: 2}]
storage: [{mount: /home, type: efs}]""",
)
def nothing_shared(plan: Plan) -> Iterator[Problem]:
    """Not of an existing cluster, which has storage of its owner."""
    if plan.scheduler != "slurm" or not plan.creates_cluster or plan.max_nodes < 2:
        return
    if not mounts.exports_homes(plan) and not mounts.writable(plan):
        yield Problem(
            ("node_groups",),
            "nodes share no file system: home directories are on root volumes, and "
            "are lost when a node is replaced",
            help="add storage: [{mount: /home, type: efs}]",
        )
