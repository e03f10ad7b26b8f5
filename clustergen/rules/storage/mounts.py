"""STG013 to STG016: where storage is mounted."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Path, Rule
from clustergen.plan.model import Plan
from clustergen.rules.storage.paths import inside, plain

PLAIN = Rule(
    code="STG013",
    title="Path not in its plain form",
    why="The path becomes part of fstab, of names and of comparisons: one place, one spelling.",
    source="the language, version 1",
    bad="storage: [{mount: /fsx/, type: fsx-lustre, size: 1200GiB}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]",
)
DUPLICATE = Rule(
    code="STG014",
    title="Mount path used twice",
    why="What is mounted last hides what was there before.",
    source="https://man7.org/linux/man-pages/man8/mount.8.html",
    bad="""storage:
  - {mount: /data, type: fsx-lustre, size: 1200GiB}
  - {mount: /data, type: efs}""",
    good="""storage:
  - {mount: /data, type: fsx-lustre, size: 1200GiB}
  - {mount: /shared, type: efs}""",
)
NESTED = Rule(
    code="STG015",
    title="Storage mounted inside other storage",
    why="Nodes mount in no fixed order: when the outer file system comes last it hides the inner "
    "one, and ParallelCluster lets this pass unseen.",
    source="https://man7.org/linux/man-pages/man8/mount.8.html",
    bad="""storage:
  - {mount: /data, type: fsx-lustre, size: 1200GiB}
  - {mount: /data/shared, type: efs}""",
    good="""storage:
  - {mount: /data, type: fsx-lustre, size: 1200GiB}
  - {mount: /shared, type: efs}""",
)
SYSTEM = Rule(
    code="STG016",
    title="Storage over a directory of the system",
    why="It would hide what the node runs on.",
    source="aws-parallelcluster 3.16.1 pcluster/validators/cluster_validators.py "
    "SharedStorageMountDirValidator",
    bad="storage: [{mount: /opt, type: efs}]",
    good="storage: [{mount: /opt/shared, type: efs}]",
)
SCRATCH = Rule(
    code="STG017",
    title="Scratch and storage in one place",
    why="Local NVMe and shared storage would hide each other.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    bad="""node_groups: [{name: h200, scratch: /scratch}]
storage: [{mount: /scratch, type: fsx-lustre, size: 1200GiB}]""",
    good="""node_groups: [{name: h200, scratch: /local}]
storage: [{mount: /scratch, type: fsx-lustre, size: 1200GiB}]""",
)
RULES = (PLAIN, DUPLICATE, NESTED, SYSTEM, SCRATCH)

# The same source, without the directories of ParallelCluster's own, which _OWNED holds.
_SYSTEM = frozenset(
    (
        "/",
        *(
            "/bin",
            "/boot",
            "/dev",
            "/etc",
            "/lib",
            "/lib64",
            "/media",
            "/mnt",
            "/opt",
            "/opt/intel",
        ),
        *("/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/var"),  # noqa: S108
    )
)
# Directories below which the kernel, Slurm and the EFA software keep everything.
_OWNED = ("/boot", "/dev", "/proc", "/sys", "/opt/amazon", "/opt/parallelcluster", "/opt/slurm")


def check(plan: Plan) -> Iterator[Finding]:
    mounts = [(item.at("mount"), item.mount) for item in plan.storage]
    scratches = [(g.at("scratch"), g.scratch) for g in plan.node_groups if g.scratch]
    for path, mount in (*mounts, *scratches):
        yield from _place(path, mount)
    for index, (path, mount) in enumerate(mounts):
        yield from _among(path, mount, [other for _, other in mounts[:index]])
    for path, scratch in scratches:
        hidden = next((m for _, m in mounts if inside(m, scratch) or inside(scratch, m)), None)
        if hidden:
            help = "write another scratch, e.g. /local/scratch"
            yield SCRATCH.at(path, f"scratch {scratch} and storage {hidden} overlap", help=help)


def _place(path: Path, mount: str) -> Iterator[Finding]:
    if mount != plain(mount):
        yield PLAIN.at(path, f"{mount} is another spelling of {plain(mount)}", help=plain(mount))
    if plain(mount) in _SYSTEM or any(inside(mount, owned) for owned in _OWNED):
        free = "/shared" if plain(mount) == "/" else f"/shared{plain(mount)}"
        yield SYSTEM.at(path, f"{plain(mount)} belongs to the system", help=f"e.g. {free}")


def _among(path: Path, mount: str, others: list[str]) -> Iterator[Finding]:
    for other in others:
        if plain(other) == plain(mount):
            yield DUPLICATE.at(path, f"{plain(mount)} is mounted already", help="another path")
            return
    for other in others:
        if inside(mount, other) or inside(other, mount):
            inner, outer = (mount, other) if inside(mount, other) else (other, mount)
            yield NESTED.at(path, f"{inner} lies inside {outer}", help=f"e.g. {_sibling(inner)}")
            return


def _sibling(mount: str) -> str:
    """A path at the top: ``/data-x`` for ``/data/x``."""
    return "/" + plain(mount).strip("/").replace("/", "-")
