"""Local disks become scratch space: first boot, reboot, replacement, and disks with other content.

The disks have a memory in ``/rig/disks``: a file for each, with what wipefs would find on it.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.services.slurm.services import Pcs
from tests.support import systemd_node
from tests.support.scripts import programs
from tests.support.systemd_node import SystemdNode
from tests.support.tiers import needs

pytestmark = [needs(systemd_node.impossible), pytest.mark.sampled(2)]

SPEC = """
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2, scratch: /scratch}]
queues: [{name: train, node_groups: [h200]}]
"""
PROGRAMS = {
    # A disk that the kernel has found; each has two names in by-id.
    "attach": r"""
number=${1//[!0-9]/}
mknod "/dev/$1" b 259 "$number"
for end in "" _1; do
  ln -s "../../$1" "/dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_AWS$number$end"
done
""",
    "udevadm": r"""
[[ $1 == settle ]] || exit 0
for disk in /rig/late/*; do
  [[ -e $disk ]] || continue
  mv "$disk" /rig/disks/
  bash /rig/bin/attach "${disk##*/}"
done
""",
    "wipefs": """
[[ $1 == --noheadings ]] || exit 1
if [[ $2 == /dev/md/* ]]; then cat /rig/array; else cat "/rig/disks/${2##*/}"; fi
""",
    "mdadm": r"""
members() { grep -l "^linux_raid_member $1 " /rig/disks/* 2>/dev/null; }
case $1 in
  --create)
    for disk in "${@:6}"; do [[ ! -s /rig/disks/${disk##*/} ]] || exit 1; done
    [[ $2 == /dev/md/scratch && $5 == "--raid-devices=$(($# - 5))" ]] || exit 1
    [[ ! -e /dev/md/scratch ]] || exit 1
    for disk in "${@:6}"; do
      echo "linux_raid_member scratch $(($# - 5))" >"/rig/disks/${disk##*/}"
    done
    : >/rig/array
    mknod /dev/md/scratch b 9 127
    echo "$@" >>/rig/created
    ;;
  --assemble)
    name=$(sed -n 's/^linux_raid_member //p' /rig/disks/* | head -n 1)
    [[ $* != *--name=* || $* == *"--name=${name% *} "* ]] || exit 1
    [[ $(members "${name% *}" | wc -l) == "${name#* }" ]] || exit 1
    [[ ! -e /dev/md/scratch ]] || exit 1
    mknod "/dev/md/${name% *}" b 9 127
    ;;
esac
""",
    "mkfs.ext4": """
device=${@: -1}
[[ -b $device && $2 == -L ]] || exit 1
if [[ $device == /dev/md/* ]]; then file=/rig/array; else file=/rig/disks/${device##*/}; fi
[[ ! -s $file ]] || exit 1
[[ ! -e /rig/interrupted ]] || { rm /rig/interrupted; kill -KILL "$PPID"; exit 1; }
echo "ext4 $3" >"$file"
""",
    "blkid": """
[[ $1 == -L ]] || exit 1
if [[ -b /dev/md/scratch ]] && grep -qs "^ext4 $2$" /rig/array; then echo /dev/md/scratch; exit; fi
grep -lx "ext4 $2" /rig/disks/* 2>/dev/null | grep . || exit 2
""",
    "mount": """
if [[ $* != *LABEL=* ]]; then exec /usr/bin/mount "$@"; fi
blkid -L scratch >/dev/null || exit 32
mkdir -p /rig/content
exec /usr/bin/mount --bind /rig/content "${@: -1}"
""",
}
LOOK = """
as ubuntu touch /scratch/file && echo "written"
cat /rig/disks/*; echo "array: $(cat /rig/array)"
"""
EIGHT = {f"nvme{n}n1": "" for n in range(1, 9)}


@pytest.fixture
def service() -> Pcs:
    """The service whose nodes have no disks but for this script."""
    return Pcs(SPEC, "compute")


def node_with(
    folder: Path, service: Pcs, disks: Mapping[str, str], late: Mapping[str, str] | None = None
) -> SystemdNode:
    made = SystemdNode(folder / "node", folder / "servers", disks="absent")
    service.prepare(made)
    programs(made.root / "rig/bin", PROGRAMS)
    for place, given in (("disks", disks), ("late", late or {})):
        (made.root / "rig" / place).mkdir()
        for name, content in given.items():
            made.write(f"rig/{place}/{name}", content)
    return made


def content(node: SystemdNode) -> list[str]:
    """What is on each disk."""
    return [file.read_text().strip() for file in sorted((node.root / "rig/disks").iterdir())]


def created(node: SystemdNode) -> int:
    file = node.root / "rig/created"
    return len(file.read_text().splitlines()) if file.exists() else 0


NOT_EMPTY: list[Mapping[str, str]] = [
    EIGHT | {"nvme3n1": "xfs data"},
    {"nvme1n1": "gpt"},
    # Of an array that is not complete, and of another one.
    {"nvme1n1": "linux_raid_member scratch 2"},
    dict.fromkeys(EIGHT, "linux_raid_member data 8"),
]


@pytest.mark.parametrize("assembles", [True, False])
def test_eight_disks_are_an_array_that_stays(tmp_path: Path, service: Pcs, assembles: bool) -> None:
    node = node_with(tmp_path, service, EIGHT)
    node.boot(service.first() + LOOK).shows("written")
    assert content(node) == ["linux_raid_member scratch 8"] * 8
    if assembles:
        node.write("rig/assembles", "")
    later = node.boot(service.later() + "ls /scratch\n" + LOOK)
    later.shows("written")
    assert "file\n" in later.output
    assert created(node) == 1


def test_emptied_disks_are_created_again(tmp_path: Path, service: Pcs) -> None:
    """The same instance, stopped and started elsewhere."""
    node = node_with(tmp_path, service, EIGHT)
    node.boot(service.first() + LOOK).shows("written")
    for name in (*(f"disks/{disk}" for disk in EIGHT), "array"):
        node.write(f"rig/{name}", "")
    node.boot(service.later() + LOOK).shows("written")
    assert created(node) == 2


def test_one_disk_needs_no_array(tmp_path: Path, service: Pcs) -> None:
    node = node_with(tmp_path, service, {"nvme1n1": ""})
    node.boot(service.first() + LOOK).shows("written")
    node.boot(service.later() + LOOK).shows("written")
    assert (content(node), created(node)) == (["ext4 scratch"], 0)


def test_an_interrupted_run_is_taken_up_again(tmp_path: Path, service: Pcs) -> None:
    node = node_with(tmp_path, service, EIGHT)
    node.write("rig/interrupted", "")
    assert "written" not in node.boot(service.first() + LOOK)
    node.boot(service.first() + LOOK).shows("written")
    assert created(node) == 1


@pytest.mark.parametrize("disks", NOT_EMPTY)
def test_disks_with_content_stay(tmp_path: Path, service: Pcs, disks: Mapping[str, str]) -> None:
    node = node_with(tmp_path, service, disks)
    boot = node.boot(service.first() + LOOK)
    assert "written" not in boot
    assert "is not empty" in boot
    assert (content(node), created(node)) == (list(disks.values()), 0)


def test_late_disks_are_waited_for(tmp_path: Path, service: Pcs) -> None:
    first, *others = EIGHT
    node = node_with(tmp_path, service, {first: ""}, dict.fromkeys(others, ""))
    node.boot(service.first() + LOOK).shows("written")
    assert content(node) == ["linux_raid_member scratch 8"] * 8


def test_what_is_mounted_already_stays(tmp_path: Path, service: Pcs) -> None:
    node = node_with(tmp_path, service, {"nvme1n1": "xfs data"})
    mounted = "mkdir -p /scratch && /usr/bin/mount -t tmpfs tmpfs /scratch\n"
    node.boot(mounted + service.first() + LOOK).shows("written")
    assert content(node) == ["xfs data"]
