"""File systems and their mount points."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, unsafe
from clustergen.plan.model import FileCache, Lustre, OpenZfs, Plan
from clustergen.plan.paths import inside
from clustergen.services.hyperpod import limits, service_mounts
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.limits import OWN_FOLDERS
from clustergen.targets.hyperpod_slurm.rules import note, rule


@note(
    "STG350",
    "More file systems than HyperPod mounts",
    why="HyperPod mounts one Lustre file system and one OpenZFS file system, by its root volume, "
    "on a group. The lifecycle script mounts the others.",
    source=limits.SLURM_API,
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, size: 2400GiB}
  - {mount: /data, type: fsx-lustre, size: 2400GiB}""",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 2400GiB}]",
)
def mounted_by_script(plan: Plan) -> Iterator[Problem]:
    mounted = service_mounts.mounted(plan)
    for item in plan.storage if modes.mode(plan) != "legacy" else ():
        # The kinds that HyperPod can mount.
        if isinstance(item, Lustre | FileCache | OpenZfs) and item not in mounted:
            yield Problem(
                item.at("mount"),
                f"the lifecycle script mounts {item.mount}, not HyperPod",
                help="you do not need to do anything",
            )


@rule(
    "STG352",
    "Mount point that HyperPod uses",
    why="HyperPod has its second volume at /opt/sagemaker, local disks at /opt/dlami/nvme and its "
    "files for scripts in /opt/ml; containers and scripts need them there.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-ref.html",
    bad="storage: [{mount: /opt/sagemaker, type: efs}]",
    good="storage: [{mount: /shared, type: efs}]",
)
def own_folders(plan: Plan) -> Iterator[Problem]:
    places: list[tuple[Path, str]] = [(item.at("mount"), item.mount) for item in plan.storage]
    places += [(group.at("scratch"), group.scratch) for group in plan.node_groups if group.scratch]
    for path, mount in places:
        if any(inside(mount, folder) for folder in OWN_FOLDERS):
            other = f"/shared/{mount.rpartition('/')[2]}"
            fix = unsafe(put(path, other))
            yield Problem(path, f"HyperPod uses {mount}", help=f"e.g. {other}", fix=fix)
