"""Mount points of storage."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Path, Problem, Severity, put, rule, safe, unsafe
from clustergen.plan.model import Plan
from clustergen.plan.paths import inside, plain
from clustergen.words import word_set, words


def _mounts(plan: Plan) -> list[tuple[Path, str]]:
    return [(item.at("mount"), item.mount) for item in plan.storage]


def _scratches(plan: Plan) -> list[tuple[Path, str]]:
    return [(group.at("scratch"), group.scratch) for group in plan.node_groups if group.scratch]


@rule(
    "STG013",
    "Path not normalized",
    fixes="safe",
    why="The path becomes part of fstab, of names and of comparisons: one place, one spelling.",
    source="the language, version 1",
    bad="storage: [{mount: /fsx/, type: fsx-lustre, size: 1200GiB}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]",
)
def spelling(plan: Plan) -> Iterator[Problem]:
    for path, mount in (*_mounts(plan), *_scratches(plan)):
        if mount != plain(mount):
            message = f"{mount} is another spelling of {plain(mount)}"
            yield Problem(path, message, help=plain(mount), fix=safe(put(path, plain(mount))))


@rule(
    "STG014",
    "Mount path used twice",
    why="The last mount hides the earlier one.",
    source="https://man7.org/linux/man-pages/man8/mount.8.html",
    bad="""storage:
  - {mount: /data, type: fsx-lustre, size: 1200GiB}
  - {mount: /data, type: efs}""",
    good="""storage:
  - {mount: /data, type: fsx-lustre, size: 1200GiB}
  - {mount: /shared, type: efs}""",
)
def used_twice(plan: Plan) -> Iterator[Problem]:
    for path, mount, earlier in _after_others(plan):
        if _taken(mount, earlier):
            message = f"{plain(mount)} is already mounted"
            yield Problem(path, message, help="choose another path")


@rule(
    "STG015",
    "Storage mounted inside other storage",
    fixes="unsafe",
    why="Nodes do not wait for the outer file system before they mount the inner one: when the "
    "outer one comes last, it hides the inner one, and services do not detect this.",
    source="https://man7.org/linux/man-pages/man8/mount.8.html",
    severity=Severity.WARNING,
    bad="""storage:
  - {mount: /data, type: fsx-lustre, size: 1200GiB}
  - {mount: /data/shared, type: efs}""",
    good="""storage:
  - {mount: /data, type: fsx-lustre, size: 1200GiB}
  - {mount: /shared, type: efs}""",
)
def nested(plan: Plan) -> Iterator[Problem]:
    for path, mount, earlier in _after_others(plan):
        around = next((m for m in earlier if inside(mount, m) or inside(m, mount)), None)
        if around and not _taken(mount, earlier):
            inner, outer = (mount, around) if inside(mount, around) else (around, mount)
            fix = unsafe(put(path, _sibling(inner))) if inner == mount else None
            message = f"{inner} lies inside {outer}"
            yield Problem(path, message, help=f"e.g. {_sibling(inner)}", fix=fix)


def _after_others(plan: Plan) -> Iterator[tuple[Path, str, list[str]]]:
    """Each mount path, and the paths before it."""
    mounts = _mounts(plan)
    for index, (path, mount) in enumerate(mounts):
        yield path, mount, [earlier for _, earlier in mounts[:index]]


def _taken(mount: str, others: list[str]) -> bool:
    return plain(mount) in map(plain, others)


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
    fixes="unsafe",
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
            yield Problem(path, f"{plain(mount)} is a system path", help=f"e.g. {free}", fix=fix)


@rule(
    "STG017",
    "Scratch and storage with the same mount point",
    fixes="unsafe",
    why="Local NVMe and shared storage would hide each other.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    bad="""node_groups: [{name: h200, scratch: /scratch}]
storage: [{mount: /scratch, type: fsx-lustre, size: 1200GiB}]""",
    good="""node_groups: [{name: h200, scratch: /local}]
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
