"""The scripts that nodes of every Slurm service run, one at a time, with recorded commands."""

import re
import socket
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clustergen.base.shell import render
from tests.support.checking import Fragments
from tests.support.scripts import Rig

SERVER = ("nfs", "fs-1.fsx.us-east-1.amazonaws.com", "noatime,nfsvers=4.1")


def text(name: str, folder: str = "shared") -> str:
    plugin = {"plugin": "pcs/parts/pyxis-plugin.sh.j2", "plugin_argument": "SLURM-VERSION"}
    return render(f"{folder}/{name}.j2", users=(), linger=20, **plugin)


MOUNT = text("mount.sh", "scripts")


def rig_of(folder: Path, answers: Mapping[str, str]) -> Rig:
    stateful = {
        "mount": '[[ $2 == / ]] || printf "%s\\n" "${@: -1}" >>"$ROOT/mounted"',
        "stat": "[[ $2 == '%F %u %a' ]] && echo directory 0 755 || echo 1000:1000 755",
        "findmnt": "",
        "umount": "",
        **{f"mount.{type}": "" for type in ("lustre", "nfs4")},
    }
    made = Rig(folder, {**stateful, **answers})
    (folder / "etc/fstab").write_text("LABEL=root / ext4 defaults 0 1\n", encoding="utf-8")
    return made


COPIES = 8
# What the image has below the mount point, and a copy takes a moment.
BELOW = """if [[ $1 == --bind ]]; then
  mkdir -p "$3$ROOT/home/ubuntu/.ssh"; echo key >"$3$ROOT/home/ubuntu/.ssh/authorized_keys"
else
  printf '%s\\n' "${@: -1}" >>"$ROOT/mounted"
fi"""


def test_nodes_that_boot_at_once_put_back_one_home(tmp_path: Path) -> None:
    """They share /home; containers.sh writes to disks of its node only."""
    shared = tmp_path / "shared"
    shared.mkdir()
    answers = {
        "mount": BELOW,
        "umount": 'rm -r "$1"/*',
        "getent": 'echo "ubuntu:x:1000:1000::$ROOT/home/ubuntu:/bin/bash"',
        "cp": '/bin/sleep 0.2; /bin/cp "$@"',
    }
    rigs = [rig_of(tmp_path / str(copy), answers) for copy in range(COPIES)]
    for rig in rigs:
        (rig.root / "home").rmdir()
        (rig.root / "home").symlink_to(shared)
    with ThreadPoolExecutor(COPIES) as pool:
        runs = list(pool.map(lambda rig: rig.run(MOUNT, *at(rig), *SERVER[2:], "new"), rigs))
    assert [run.status for run in runs] == [0] * COPIES, runs[0].output
    assert [file.name for file in shared.iterdir()] == ["ubuntu"]
    assert (shared / "ubuntu/.ssh/authorized_keys").read_text() == "key\n"


@pytest.mark.parametrize(("owner", "keys"), [(1000, "old\nkey\n"), (1001, "old\n")])
def test_an_existing_home_gets_keys_of_a_new_pair(owner: int, keys: str, tmp_path: Path) -> None:
    """Once, and only the home of the image's user."""
    answers = {
        "mount": BELOW,
        "umount": 'rm -r "$1"/*',
        "getent": 'echo "ubuntu:x:1000:1000::$ROOT/home/ubuntu:/bin/bash"',
        "stat": f"[[ $2 != %u ]] || echo {owner}",
        "setpriv": 'shift 5; exec "$@"',
    }
    rig = rig_of(tmp_path, answers)
    folder = rig.root / "home/ubuntu/.ssh"
    folder.mkdir(parents=True)
    (folder / "authorized_keys").write_text("old\n")
    for _ in range(2):
        assert rig.run(MOUNT, *at(rig), *SERVER[2:], "existing").status == 0
    assert (folder / "authorized_keys").read_text() == keys


def at(rig: Rig) -> tuple[str, str, str]:
    return "nfs", f"{rig.root}/home", SERVER[1]


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
    rig.twice(MOUNT, "nfs", place, source, SERVER[2], "existing", volume, "us-east-1")
    assert rig.files()["etc/fstab"] == f"{written} {place} nfs {SERVER[2]},{AUTOMOUNT}"


def test_a_file_system_that_was_replaced_is_not_taken_for_the_new_one(tmp_path: Path) -> None:
    rig = rig_of(tmp_path, {})
    place = f"{tmp_path}/data"
    assert rig.run(MOUNT, "nfs", place, *SERVER[1:], "existing").status == 0
    run = rig.run(MOUNT, "nfs", place, "new.example:/fsx", SERVER[2], "existing")
    assert (run.status, f"/data is still {SERVER[1]}, and should be" in run.output) == (1, True)


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
    ("helpers", "line"), [(["mount.efs"], "efs tls"), ([], "nfs4 nfsvers=4.1")]
)
def test_efs_is_encrypted_where_the_image_can(
    tmp_path: Path, helpers: list[str], line: str
) -> None:
    rig = rig_of(tmp_path, dict.fromkeys(helpers, ""))
    rig.twice(MOUNT, "efs", f"{tmp_path}/data", "fs-1.efs:/", "nfsvers=4.1", "existing")
    assert f"fs-1.efs:/ {tmp_path}/data {line},_netdev" in rig.files()["etc/fstab"]


_INSTALLS = r'printf "#!/bin/bash\n" >"$ROOT/bin/mount.efs"; chmod +x "$ROOT/bin/mount.efs"'
_WITHOUT = {"dnf": "exit 1", "curl": "exit 22", "chmod": '/bin/chmod "$@"'}


@pytest.mark.parametrize(
    "answers", [{"dnf": _INSTALLS}, {"curl": f"cat <<'END'\n{_INSTALLS}\nEND"}], ids=list
)
def test_our_efs_gets_what_the_image_lacks(tmp_path: Path, answers: dict[str, str]) -> None:
    rig = rig_of(tmp_path, {**_WITHOUT, **answers})
    rig.twice(MOUNT, "efs", f"{tmp_path}/data", "fs-1.efs:/", "nfsvers=4.1", "new")
    assert f"fs-1.efs:/ {tmp_path}/data efs tls,_netdev" in rig.files()["etc/fstab"]


def test_our_efs_which_takes_tls_only_says_what_the_image_lacks(tmp_path: Path) -> None:
    rig = rig_of(tmp_path, _WITHOUT)
    run = rig.run(MOUNT, "efs", f"{tmp_path}/data", "fs-1.efs:/", "nfsvers=4.1", "new")
    assert run.status == 1
    assert "the image has no mount.efs, of amazon-efs-utils, which could not be" in run.output
    assert not [call for call in run.calls if call.startswith("mount ")]


@pytest.mark.parametrize(
    ("type", "prefix", "options"),
    [("s3-read-only", "-", "--read-only "), ("s3", "a/b/", "--prefix a/b/ ")],
)
def test_a_bucket_is_mounted(tmp_path: Path, type: str, prefix: str, options: str) -> None:
    rig = rig_of(tmp_path, {})
    arguments = (type, f"{tmp_path}/data", "corpus", prefix, "existing", "-", "us-east-1")
    calls = rig.twice(MOUNT, *arguments).calls
    assert f"mount-s3 --region us-east-1 --allow-other {options}corpus /data" in calls


def test_a_bucket_returns_after_a_reboot(tmp_path: Path) -> None:
    """Batch runs user data at the first boot only, and buckets are not in /etc/fstab."""
    rig, place = rig_of(tmp_path, {}), f"{tmp_path}/data"
    script = render("scripts/mount.sh.j2", linger=0, before="ecs.service")
    rig.twice(script, "s3", place, "corpus", "-", "existing", "-", "us-east-1")
    [unit] = [text for name, text in rig.files().items() if name.endswith(".service")]
    assert "Before=ecs.service" in unit
    assert f'"s3" "{place}" "corpus"' in unit


def test_scratch_from_a_disk_that_is_formatted_already(tmp_path: Path) -> None:
    rig = rig_of(tmp_path, {})
    run = rig.twice(text("scratch.sh"), f"{tmp_path}/scratch")
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


USED = [(32, 8, range(0, 32, 4)), (16, 2, [0, 8]), (8, 8, range(8)), (1, 2, [0])]


@pytest.mark.parametrize(("devices", "wanted", "used"), USED)
def test_lustre_uses_devices_at_even_distances(
    tmp_path: Path, devices: int, wanted: int, used: Sequence[int]
) -> None:
    run = with_devices(tmp_path, devices, {}).twice(text("lustre-efa.sh"), str(wanted))
    assert [call for call in run.calls if "net add --net efa" in call] == [
        f"lnetctl net add --net efa --if rdmap{n} --peer-credits 32" for n in used
    ]


@pytest.mark.parametrize("name", ["10.42.0.9", "127.0.1.1"], ids=["own address", "of no use"])
def test_lustre_uses_the_interface_of_the_nodes_address(tmp_path: Path, name: str) -> None:
    rig = with_devices(tmp_path, 1, {"hostname": f"echo {name}"})
    run = rig.run(text("lustre-efa.sh"), "1")
    assert "modprobe kefalnd ipif_name=ens32" in run.calls
    assert "lnetctl net add --net tcp --if ens32" in run.calls


ON_TCP: list[tuple[int, Mapping[str, str], str]] = [
    (0, {}, "the node has no EFA device"),
    (1, {"modprobe": "[[ $1 != kefalnd ]]"}, "has no EFA module"),
    (1, {"lnetctl": ""}, "no EFA interface came up"),
    (1, {"ip": ""}, "no interface has the address of the node"),
]


@pytest.mark.parametrize(("devices", "answers", "message"), ON_TCP)
def test_lustre_over_tcp_is_reported(
    tmp_path: Path, devices: int, answers: Mapping[str, str], message: str
) -> None:
    rig = with_devices(tmp_path, devices, answers)
    for status in (1, 0):
        run = rig.run(text("lustre-efa.sh"), "1", str(status))
        assert run.status == status
        assert message in run.output
        assert "Lustre stays on TCP" in run.output


def test_pyxis_for_another_slurm_is_rejected(tmp_path: Path) -> None:
    run = rig_of(tmp_path, {}).run(text("containers.sh"), "pyxis", "-", "26.05")
    assert run.status == 1
    assert "the image has no Pyxis for Slurm 26.05" in run.output


def test_enroot_settings_replace_those_of_the_image(tmp_path: Path) -> None:
    rig = rig_of(tmp_path, {})
    for name in ("etc/aws/pcs/scheduler/slurm-25.11", "etc/enroot", "etc/tmpfiles.d"):
        (tmp_path / name).mkdir(parents=True)
    plugins = tmp_path / "etc/aws/pcs/scheduler/slurm-25.11/plugstack.conf"
    plugins.write_text("required spank_pyxis.so\n")
    of_image = "ENROOT_CACHE_PATH /root-volume\nENROOT_GZIP_PROGRAM gzip\n"
    (tmp_path / "etc/enroot/enroot.conf").write_text(of_image)
    rig.twice(text("containers.sh"), "pyxis", "-", "25.11")
    made = (tmp_path / "etc/tmpfiles.d/clustergen-enroot.conf").read_text()
    # As root, Pyxis makes the folders of users; Enroot asks as the users.
    assert made == "d /run/enroot 1777 root root -\nd /run/pyxis 0755 root root -\n"
    conf = rig.files()["etc/enroot/enroot.conf"]
    assert conf.splitlines()[0] == "ENROOT_GZIP_PROGRAM gzip"
    assert conf.count("ENROOT_CACHE_PATH") == 1
    assert conf.count("clustergen-folder.sh /") == 3


MEMBERS = {
    "getent": '[[ $1 == group ]] && exit 2; echo "ubuntu:x:1000:1000::/home/ubuntu:/bin/bash"',
    "id": "",
}


@pytest.mark.parametrize(("role", "root_alone"), [("head", True), ("login", False), ("", False)])
def test_on_the_head_node_only_root_starts_containers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str, root_alone: bool
) -> None:
    """The group docker is root on its node, and root there has the role and keys of the cluster."""
    place = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as made:
        monkeypatch.chdir(tmp_path)
        made.bind(place.name)
        script = text("containers.sh").replace("/run/docker.sock", str(place))
        run = rig_of(tmp_path, {**MEMBERS, "chgrp": ""}).twice(script, "docker", "-", role)
    assert "usermod --append --groups docker ubuntu" in run.calls, "jobs get the groups from there"
    assert ("chgrp root /docker.sock" in run.calls) == root_alone
    drop_in = tmp_path / "etc/systemd/system/docker.socket.d/90-clustergen.conf"
    assert drop_in.exists() == root_alone
    assert ("systemctl enable --now docker.service" in run.calls) == (not root_alone)


@pytest.mark.parametrize("target", ["parallelcluster", "hyperpod-slurm"])
def test_the_head_node_is_set_up_as_such(target: str) -> None:
    spec = "head_node: {instance_type: m7i.xlarge}\nlogin: {instance_type: m7i.xlarge}\n"
    spec += "software: {containers: docker}\n"
    spec += "targets: {hyperpod-slurm: {mode: customer-managed}}" * target.startswith("hyperpod")
    files = Fragments(target).files(spec)
    calls = re.findall(r"containers.sh .*docker - ?(\w*)$", "\n".join(files.values()), re.M)
    assert calls.count("head") == 1
    assert len(calls) > 1
