"""The scripts that nodes of every Slurm service run, one at a time, with recorded commands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from clustergen.shell import render
from tests.support.scripts import Rig, Run

SERVER = ("nfs", "fs-1.fsx.us-east-1.amazonaws.com", "noatime,nfsvers=4.1")


def text(name: str, folder: str = "shared") -> str:
    return render(
        f"{folder}/{name}.j2",
        users=(),
        linger=20,
        plugin="pcs/parts/pyxis-plugin.sh.j2",
        plugin_argument="SLURM-VERSION",
    )


MOUNT = text("mount.sh", "scripts")


def twice(rig: Rig, script: str, *arguments: str) -> Run:
    """The first run, after a second one that changed no file."""
    first = rig.run(script, *arguments)
    files = rig.files()
    second = rig.run(script, *arguments)
    assert (first.status, second.status) == (0, 0), first.output + second.output
    assert rig.files() == files
    return first


def rig_of(folder: Path, answers: Mapping[str, str]) -> Rig:
    stateful = {
        "mount": '[[ $2 == / ]] || printf "%s\\n" "${@: -1}" >>"$ROOT/mounted"',
        "stat": "echo 1000:1000 755",
        "findmnt": "",
        "umount": "",
        **{f"mount.{type}": "" for type in ("lustre", "nfs4")},
    }
    made = Rig(folder, {**stateful, **answers})
    (folder / "etc/fstab").write_text("LABEL=root / ext4 defaults 0 1\n", encoding="utf-8")
    return made


AUTOMOUNT = "_netdev,x-systemd.automount,x-systemd.requires=network-online.target 0 0\n"
PATHS = [
    # Source, volume, answer of FSx, what /etc/fstab has.
    (f"{SERVER[1]}:/fsx", "-", "", f"{SERVER[1]}:/fsx"),
    (SERVER[1], "fsvol-1", r'printf "None\t/fsx/child\n"', f"{SERVER[1]}:/fsx/child"),
    (SERVER[1], "fsvol-1", r'printf "/vol1\tNone\n"', f"{SERVER[1]}:/vol1"),
]


@pytest.mark.parametrize(("source", "volume", "answer", "written"), PATHS)
def test_nfs_is_mounted_now_and_at_each_boot(
    tmp_path: Path, source: str, volume: str, answer: str, written: str
) -> None:
    rig = rig_of(tmp_path, {"aws": answer})
    place = f"{tmp_path}/data"
    (tmp_path / "etc/fstab").write_text(f"old:/fsx {place} nfs defaults 0 0\n", encoding="utf-8")
    twice(rig, MOUNT, "nfs", place, source, SERVER[2], "existing", volume, "us-east-1")
    assert rig.files()["etc/fstab"] == f"{written} {place} nfs {SERVER[2]},{AUTOMOUNT}"


FAILURES = [
    ({"mount": "exit 32"}, "-", "could not be mounted on /data"),
    ({"aws": "exit 254"}, "fsvol-1", "needs fsx:DescribeVolumes"),
    ({"aws": "echo None"}, "fsvol-1", "has no path to mount"),
]


@pytest.mark.parametrize(("answers", "volume", "message"), FAILURES)
def test_a_failing_mount_logs_the_reason_and_waits_for_the_log_agent(
    tmp_path: Path, answers: Mapping[str, str], volume: str, message: str
) -> None:
    arguments = (*SERVER[:1], f"{tmp_path}/data", *SERVER[1:], "new", volume, "us-east-1")
    run = rig_of(tmp_path, answers).run(MOUNT, *arguments)
    assert (run.status, run.calls[-1]) == (1, "sleep 20")
    assert message in run.output


@pytest.mark.parametrize(
    ("helper", "line"),
    [({"mount.efs": ""}, "efs tls"), ({}, "nfs4 nfsvers=4.1")],
    ids=["with efs-utils", "without"],
)
def test_efs_is_encrypted_where_the_image_can(
    tmp_path: Path, helper: Mapping[str, str], line: str
) -> None:
    rig = rig_of(tmp_path, helper)
    twice(rig, MOUNT, "efs", f"{tmp_path}/data", "fs-1.efs:/", "nfsvers=4.1", "existing")
    assert f"fs-1.efs:/ {tmp_path}/data {line},_netdev" in rig.files()["etc/fstab"]


@pytest.mark.parametrize(
    ("type", "prefix", "options"),
    [("s3-read-only", "-", "--read-only "), ("s3", "a/b/", "--prefix a/b/ ")],
)
def test_a_bucket_is_mounted(tmp_path: Path, type: str, prefix: str, options: str) -> None:
    rig = rig_of(tmp_path, {})
    arguments = (type, f"{tmp_path}/data", "corpus", prefix, "existing", "-", "us-east-1")
    calls = twice(rig, MOUNT, *arguments).calls
    assert f"mount-s3 --region us-east-1 --allow-other {options}corpus /data" in calls


def test_a_bucket_returns_after_a_reboot(tmp_path: Path) -> None:
    """Batch runs user data at the first boot only, and buckets are not in /etc/fstab."""
    rig, place = rig_of(tmp_path, {}), f"{tmp_path}/data"
    script = render("scripts/mount.sh.j2", linger=0, before="ecs.service")
    twice(rig, script, "s3", place, "corpus", "-", "existing", "-", "us-east-1")
    [unit] = [text for name, text in rig.files().items() if name.endswith(".service")]
    assert "Before=ecs.service" in unit
    assert f'"s3" "{place}" "corpus"' in unit


def test_scratch_from_a_disk_that_is_formatted_already(tmp_path: Path) -> None:
    rig = rig_of(tmp_path, {})
    run = twice(rig, text("scratch.sh"), f"{tmp_path}/scratch")
    assert "mount -o noatime,nodiratime LABEL=scratch /scratch" in run.calls
    assert not any(call.startswith("mkfs") for call in run.calls)


NETWORKS = """
case "$*" in
  "net add --net efa"*) echo "nid: 10.42.0.9@efa" >>"$ROOT/mounted" ;;
  "net show") cat "$ROOT/mounted" ;;
esac
"""
ROUTES = """
case "$*" in
  *"address show to 10.42.0.9"*) echo "2: ens32    inet 10.42.0.9/24 scope global" ;;
  *"route get 169.254.169.254"*) echo "169.254.169.254 dev veth_def_agent src 192.168.0.2" ;;
  *"route get"*) echo "192.0.2.1 via 10.42.0.1 dev ens32 src 10.42.0.9" ;;
esac
"""


def with_devices(folder: Path, count: int, answers: Mapping[str, str]) -> Rig:
    """A rig with so many EFA devices, and one of another kind."""
    own = {"ip": ROUTES, "hostname": "echo 10.42.0.9", "lnetctl": NETWORKS}
    rig = rig_of(folder, {**own, **answers})
    for name, driver in (*((f"rdmap{n}", "efa") for n in range(count)), ("mlx5_0", "mlx5")):
        (folder / "sys/drivers" / driver).mkdir(parents=True, exist_ok=True)
        device = folder / "sys/class/infiniband" / name / "device"
        device.mkdir(parents=True)
        (device / "driver").symlink_to(folder / "sys/drivers" / driver)
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
    run = twice(with_devices(tmp_path, devices, {}), text("lustre-efa.sh"), wanted)
    assert [call for call in run.calls if "net add --net efa" in call] == [
        f"lnetctl net add --net efa --if rdmap{n} --peer-credits 32" for n in used
    ]


@pytest.mark.parametrize("name", ["10.42.0.9", "127.0.1.1"], ids=["own address", "of no use"])
def test_lustre_uses_the_interface_of_the_nodes_address(tmp_path: Path, name: str) -> None:
    rig = with_devices(tmp_path, 1, {"hostname": f"echo {name}"})
    run = rig.run(text("lustre-efa.sh"), "1")
    assert "modprobe kefalnd ipif_name=ens32" in run.calls
    assert "lnetctl net add --net tcp --if ens32" in run.calls


@pytest.mark.parametrize(
    ("devices", "answers", "message"),
    [
        (0, {}, "the node has no EFA device"),
        (1, {"modprobe": "[[ $1 != kefalnd ]]"}, "has no EFA module"),
        (1, {"lnetctl": ""}, "no EFA interface came up"),
        (1, {"ip": ""}, "no interface has the address of the node"),
    ],
)
def test_lustre_over_tcp_is_reported(
    tmp_path: Path, devices: int, answers: Mapping[str, str], message: str
) -> None:
    rig = with_devices(tmp_path, devices, answers)
    for status in ("1", "0"):
        run = rig.run(text("lustre-efa.sh"), "1", status)
        assert run.status == int(status)
        assert message in run.output
        assert "Lustre stays on TCP" in run.output


def test_pyxis_for_another_slurm_is_rejected(tmp_path: Path) -> None:
    run = rig_of(tmp_path, {}).run(text("containers.sh"), "pyxis", "-", "26.05")
    assert run.status == 1
    assert "the image has no Pyxis for Slurm 26.05" in run.output


def test_enroot_settings_replace_those_of_the_image(tmp_path: Path) -> None:
    rig = rig_of(tmp_path, {})
    for name, content in {
        "etc/aws/pcs/scheduler/slurm-25.11/plugstack.conf": "required spank_pyxis.so\n",
        "etc/enroot/enroot.conf": "ENROOT_CACHE_PATH /root-volume\nENROOT_GZIP_PROGRAM gzip\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(content)
    (tmp_path / "etc/tmpfiles.d").mkdir()
    twice(rig, text("containers.sh"), "pyxis", "-", "25.11")
    conf = rig.files()["etc/enroot/enroot.conf"]
    assert conf.splitlines()[0] == "ENROOT_GZIP_PROGRAM gzip"
    assert conf.count("ENROOT_CACHE_PATH") == 1
    assert "cache/user-$(id -u)" in conf
