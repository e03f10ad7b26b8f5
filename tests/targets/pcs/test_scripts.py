"""The scripts of the nodes, run: what they do, that a second run changes nothing, how they fail."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from clustergen.shell import render
from tests.targets.pcs.planned import files_of
from tests.targets.pcs.rig import Rig, Run
from tests.targets.pcs.specs import SPECS


def _twice(rig: Rig, script: str, *arguments: str) -> Run:
    """The first run, after a second one that changed no file."""
    first = rig.run(script, *arguments)
    files = rig.files()
    second = rig.run(script, *arguments)
    assert (first.status, second.status) == (0, 0), first.said + second.said
    assert rig.files() == files
    return first


def _fixed(name: str, folder: str = "pcs") -> str:
    return render(f"{folder}/{name}.j2")


LUSTRE_EFA = _fixed("lustre-efa.sh", "shared")


def test_baseline(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {})
    (tmp_path / "etc/needrestart/conf.d").mkdir(parents=True)
    _twice(rig, _fixed("baseline.sh"))
    guard = rig.files()["etc/needrestart/conf.d/90-slurmd.conf"]
    assert guard == "$nrconf{override_rc}{qr(^slurmd)} = 0;\n"


NFS = ("noatime,nfsvers=3", "fs-1.fsx.us-east-1.amazonaws.com")


@pytest.mark.parametrize(
    ("path", "answers", "mounted"),
    [
        (["/fsx"], {}, "/fsx"),
        (
            ["--of-volume", "fsvol-1", "us-east-1"],
            {"aws": r'printf "None\t/fsx/child\n"'},
            "/fsx/child",
        ),
        (["--of-volume", "fsvol-1", "us-east-1"], {"aws": r'printf "/vol1\tNone\n"'}, "/vol1"),
    ],
)
def test_mount_nfs(
    tmp_path: Path, path: list[str], answers: Mapping[str, str], mounted: str
) -> None:
    rig = Rig(tmp_path, answers)
    (tmp_path / "etc/fstab").write_text("LABEL=root / ext4 defaults 0 1\n", encoding="utf-8")
    home = f"{tmp_path}/home"
    _twice(rig, _fixed("mount-nfs.sh"), home, *NFS, *path)
    assert rig.files()["etc/fstab"] == (
        f"LABEL=root / ext4 defaults 0 1\n{NFS[1]}:{mounted} {home} nfs {NFS[0]},_netdev 0 0\n"
    )


def test_mount_nfs_replaces_what_was_mounted_there(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {})
    home = f"{tmp_path}/home"
    (tmp_path / "etc/fstab").write_text(f"old:/fsx {home} nfs defaults 0 0\n", encoding="utf-8")
    rig.run(_fixed("mount-nfs.sh"), home, *NFS, "/fsx")
    assert rig.files()["etc/fstab"].count(home) == 1


@pytest.mark.parametrize(
    ("answers", "path", "said"),
    [
        ({"mount": "exit 32"}, ["/fsx"], "could not be mounted on /home"),
        ({"aws": "exit 254"}, ["--of-volume", "fsvol-1", "us-east-1"], "needs fsx:DescribeVolumes"),
        ({"aws": "echo None"}, ["--of-volume", "fsvol-1", "us-east-1"], "has no path to mount"),
    ],
)
def test_mount_nfs_says_why_it_failed(
    tmp_path: Path, answers: Mapping[str, str], path: list[str], said: str
) -> None:
    run = Rig(tmp_path, answers).run(_fixed("mount-nfs.sh"), f"{tmp_path}/home", *NFS, *path)
    assert run.status == 1
    assert said in run.said


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (
            ["us-east-1", "ro", "data"],
            "mount-s3 --region us-east-1 --allow-other --read-only data /data",
        ),
        (
            ["us-east-1", "rw", "data", "a/b"],
            "mount-s3 --region us-east-1 --allow-other --prefix a/b/ data /data",
        ),
    ],
)
def test_mount_bucket(tmp_path: Path, arguments: list[str], call: str) -> None:
    rig = Rig(tmp_path, {})
    assert call in _twice(rig, _fixed("mount-bucket.sh"), f"{tmp_path}/data", *arguments).calls


def test_scratch_where_the_image_mounts_the_disks(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {})
    (tmp_path / "mounted").write_text(f"{tmp_path}/opt/dlami/nvme\n", encoding="utf-8")
    run = _twice(rig, _fixed("scratch.sh"), f"{tmp_path}/scratch")
    assert "mount --bind /opt/dlami/nvme /scratch" in run.calls
    assert not any(call.startswith("mkfs") for call in run.calls)


def test_scratch_from_a_disk_that_is_formatted_already(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"systemctl": "exit 1"})
    run = _twice(rig, _fixed("scratch.sh"), f"{tmp_path}/scratch")
    assert "mount -o noatime,nodiratime LABEL=scratch /scratch" in run.calls
    assert not any(call.startswith("mkfs") for call in run.calls)


def test_scratch_without_disks_fails(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"systemctl": "exit 1", "blkid": "exit 2"})
    run = rig.run(_fixed("scratch.sh"), f"{tmp_path}/scratch")
    assert run.status == 1
    assert "no local NVMe" in run.said


ROUTE = 'echo "169.254.169.254 dev ens32 src 10.42.0.9 uid 0 \\    cache"'
NETWORKS = """
case "$*" in
  "net add --net efa"*) echo "nid: 10.42.0.9@efa" >>"$ROOT/mounted" ;;
  "net show") cat "$ROOT/mounted" ;;
esac
"""


def _with_devices(root: Path, count: int, answers: Mapping[str, str]) -> Rig:
    """A rig with so many EFA devices, and one of another kind."""
    rig = Rig(root, {"ip": ROUTE, "lnetctl": NETWORKS, **answers})
    for name, driver in (*((f"rdmap{n}", "efa") for n in range(count)), ("mlx5_0", "mlx5")):
        (root / "sys/drivers" / driver).mkdir(parents=True, exist_ok=True)
        device = root / "sys/class/infiniband" / name / "device"
        device.mkdir(parents=True)
        (device / "driver").symlink_to(root / "sys/drivers" / driver)
    return rig


@pytest.mark.parametrize(
    ("devices", "wanted", "used"),
    [
        (32, "8", [0, 4, 8, 12, 16, 20, 24, 28]),
        (16, "2", [0, 8]),
        (8, "8", [0, 1, 2, 3, 4, 5, 6, 7]),
        (1, "2", [0]),
    ],
)
def test_lustre_uses_devices_at_even_distances(
    tmp_path: Path, devices: int, wanted: str, used: list[int]
) -> None:
    run = _twice(_with_devices(tmp_path, devices, {}), LUSTRE_EFA, wanted)
    assert [call for call in run.calls if "net add --net efa" in call] == [
        f"lnetctl net add --net efa --if rdmap{n} --peer-credits 32" for n in used
    ]
    assert "modprobe kefalnd ipif_name=ens32" in run.calls


@pytest.mark.parametrize(
    ("devices", "answers", "said"),
    [
        (0, {}, "the node has no EFA device"),
        (1, {"modprobe": "[[ $1 != kefalnd ]]"}, "has no EFA module"),
        (1, {"lnetctl": ""}, "no EFA interface came up"),
        (1, {"ip": "exit 2"}, ""),
    ],
)
def test_lustre_left_to_tcp_is_said(
    tmp_path: Path, devices: int, answers: Mapping[str, str], said: str
) -> None:
    rig = _with_devices(tmp_path, devices, answers)
    for status in ("1", "0"):
        run = rig.run(LUSTRE_EFA, "1", status)
        assert run.status == int(status)
        assert said in run.said
        assert "Lustre is left to TCP" in run.said
    assert rig.run(LUSTRE_EFA, "1").status == 1


def _users() -> str:
    return files_of(SPECS["everything on the nodes"])["scripts/users.sh"]


def test_users(tmp_path: Path) -> None:
    answers = {"getent": "exit 2", "id": "case $2 in alice) echo 2001 ;; *) echo 2002 ;; esac"}
    rig = Rig(tmp_path, answers)
    run = _twice(rig, _users())
    assert "groupadd --gid 2001 alice" in run.calls
    keys = rig.files()["home/alice/.ssh/authorized_keys"]
    assert keys == "ssh-ed25519 AAAA $(reboot) 'quoted'\n"


def test_users_refuse_a_name_that_the_image_gave_another_id(tmp_path: Path) -> None:
    run = Rig(tmp_path, {"id": "echo 1000"}).run(_users())
    assert run.status == 1
    assert "alice exists in the image with the id 1000, not 2001" in run.said


EIGHT = 'for n in 0 1 2 3 4 5 6 7; do echo "GPU $n: NVIDIA H200 (UUID: GPU-$n)"; done'
HEALTHY = f'case "$*" in --list-gpus) {EIGHT} ;; *) echo 0 ;; esac'
BROKEN = f'case "$*" in --list-gpus) {EIGHT} ;; *) echo 3 ;; esac'


@pytest.mark.parametrize(
    ("answer", "count", "status", "said"),
    [
        (HEALTHY, "8", 0, ""),
        (HEALTHY, "4", 1, "4 accelerators expected, 8 found"),
        (BROKEN, "8", 1, "1 GPUs have uncorrected memory errors"),
        ("exit 9", "8", 1, "8 accelerators expected, 0 found"),
    ],
)
def test_check_of_gpus(tmp_path: Path, answer: str, count: str, status: int, said: str) -> None:
    run = Rig(tmp_path, {"nvidia-smi": answer}).run(_fixed("check-accelerators.sh"), "gpu", count)
    assert run.status == status
    assert said in run.said


@pytest.mark.parametrize(("count", "status"), [("2", 0), ("16", 1)])
def test_check_of_neuron_devices(tmp_path: Path, count: str, status: int) -> None:
    rig = Rig(tmp_path, {})
    for name in ("neuron0", "neuron1", "nvme0"):
        (tmp_path / "dev" / name).touch()
    find = "find /dev -maxdepth"
    script = _fixed("check-accelerators.sh").replace(find, f"find {tmp_path}/dev -maxdepth")
    assert rig.run(script, "neuron", count).status == status


def test_docker(tmp_path: Path) -> None:
    run = _twice(Rig(tmp_path, {}), _fixed("containers.sh"), "docker")
    assert run.calls == ["systemctl enable --now docker.service"]


def test_pyxis_gives_each_user_folders(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {})
    plugins = tmp_path / "etc/aws/pcs/scheduler/slurm-25.11/plugstack.conf"
    plugins.parent.mkdir(parents=True)
    plugins.write_text("required /usr/lib/slurm/spank_pyxis.so\n", encoding="utf-8")
    _twice(rig, _fixed("containers.sh"), "pyxis", "25.11", "/scratch")
    enroot = rig.files()["etc/enroot/enroot.conf.d/90-clustergen.conf"]
    assert "ENROOT_CACHE_PATH /scratch/enroot/cache/user-$(id -u)" in enroot


def test_pyxis_of_another_slurm_is_refused(tmp_path: Path) -> None:
    run = Rig(tmp_path, {}).run(_fixed("containers.sh"), "pyxis", "26.05")
    assert run.status == 1
    assert "the image has no Pyxis for Slurm 26.05" in run.said


def _mig() -> str:
    return render("pcs/mig.sh.j2", profiles="1g.18gb,1g.18gb", gpus=2)


def test_mig_partitions_each_gpu(tmp_path: Path) -> None:
    run = _twice(Rig(tmp_path, {}), _mig())
    assert [call for call in run.calls if "--create-gpu-instance" in call] == [
        f"nvidia-smi mig -i {gpu} --create-gpu-instance 1g.18gb,1g.18gb --default-compute-instance"
        for gpu in (0, 1)
    ]


def test_mig_leaves_partitions_alone(tmp_path: Path) -> None:
    run = Rig(tmp_path, {"nvidia-smi": 'echo "  MIG 1g.18gb Device 0:"'}).run(_mig())
    assert not any("--create-gpu-instance" in call for call in run.calls)


def test_mig_says_that_it_failed(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"nvidia-smi": "exit 3"})
    run = rig.run(_mig())
    assert run.status != 0
    assert "could not be partitioned" in (tmp_path / "dev/console").read_text(encoding="utf-8")
