"""Runs a lifecycle set as an instance would: in a root of its own, without network.

The root is a folder: programs are the machine's, read-only; all else begins empty and is written
for real, users included. What would reach beyond it (mounts, services, AWS, the scheduler) is a
program that records its call, answers with a few lines of bash, and otherwise does nothing.
"""

import functools
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clustergen.base.text_lists import words
from tests.services.hyperpod.planned import resource_config
from tests.support.scripts import programs
from tests.support.waiting import PATIENCE

FOLDERS = words("""
    dev/shm etc/apt/apt.conf.d etc/needrestart/conf.d etc/skel home opt/slurm/bin opt/slurm/etc
    opt/ml/config proc rig/bin rig/state root run tmp/set usr var/lib/containerd var/lib/kubelet
    var/log sys/class/infiniband opt/amazon/ofi-nccl/lib
""")
AGENT = "opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl"
FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\n",
    "etc/group": "root:x:0:\n",
    "etc/shadow": "root:*:20000:0:99999:7:::\n",
    "etc/login.defs": "UID_MIN 1000\nUID_MAX 60000\nGID_MIN 1000\nGID_MAX 60000\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\n",
    "etc/fstab": "LABEL=root / ext4 defaults 0 1\n",
    "etc/skel/.profile": "# of the image\n",
    "opt/amazon/ofi-nccl/lib/libnccl-ofi-tuner.so": "",
    AGENT: "#!/bin/bash\n",
    "opt/slurm/etc/plugstack.conf": "required /usr/local/lib/slurm/spank_pyxis.so\n",
    "opt/slurm/etc/slurm.conf": (
        "ClusterName=example\nSlurmctldHost=ip-10-1-0-10\n"
        "PartitionName=dev Nodes=ALL Default=YES State=UP\n"
        "PartitionName=train Nodes=ip-10-1-0-30 State=UP"
    ),
}

ADDRESSES = {"controller": ("10.1.0.10",), "login": ("10.1.0.20",)}
"""Of the nodes of each group; those of node groups follow."""
CONTROLLERS = ("10.1.0.10", "10.1.0.11", "10.1.0.12")
"""Addresses of several controllers, in the order in which they take over."""

RECORDED = words("""
    apt-get aws chown curl docker enroot findmnt lnetctl mariadbd modprobe
    mount-s3 mount.efs mount.lustre mount.nfs mount.nfs4 mysql pgrep sleep sysctl
    systemd-tmpfiles umount
""")
ANSWERS = {
    "hostname": 'case "${1:-}" in --all-ip-addresses) cat /rig/address ;; *) echo node-1 ;; esac',
    # What is mounted is remembered, so that a second run sees what the first one did.
    "mountpoint": 'grep -qxF -- "${@: -1}" /rig/state/mounted',
    "mount": '[[ $2 == / ]] || printf "%s\\n" "${@: -1}" >>/rig/state/mounted',
    "nvidia-smi": 'for n in 0 1 2 3 4 5 6 7; do echo "GPU $n: NVIDIA H200 (UUID: GPU-$n)"; done',
    # Files belong to root here, because chown does nothing.
    "setpriv": 'while [[ $1 != bash ]]; do shift; done; exec "$@"',
    "systemctl": r"""
while [[ $1 == -* ]]; do shift; done
words=$* verb=$1 unit=${!#}
known() { grep -qxF -- "$unit" "/rig/state/$1"; }
case $verb in start | restart | try-restart | enable)
  # As systemd 252 answers.
  if known absent; then echo "Unit $unit not found." >&2; exit 5; fi
  if known masked && [[ $verb != try-restart ]]; then echo "Unit $unit is masked." >&2; exit 1; fi
esac
case $verb in
  cat) known units ;;
  show) ! known units || echo loaded ;;
  is-failed) exit 1 ;;
  is-active | is-enabled) known active ;;
  enable) [[ $words != *--now* ]] || known active || printf '%s\n' "$unit" >>/rig/state/active ;;
  start) known active || printf '%s\n' "${@:2}" >>/rig/state/active ;;
  disable | stop) sed -i "/^$unit$/d" /rig/state/active ;;
esac
""",
}
SLURM = {
    "scontrol": """case $1 in
  --version) echo slurm 24.11.5 ;;
  ping) echo 'Slurmctld(primary) at node-1 is UP' ;;
  show)
    [[ $2 == config ]] || exit 0
    echo 'ClusterName             = example'
    sed -n 's/^StateSaveLocation=/StateSaveLocation = /p' /opt/slurm/etc/*.conf 2>/dev/null || true
    ;;
esac""",
    "srun": "echo --container-image",
    # Like the real one, it fails on what is there already.
    "sacctmgr": r"""
words="$*"
case $words in
  *"list cluster"*) echo example ;;
  *"list account"*) grep -o '^account [^ ]*' /rig/state/accounting || true ;;
  *"list associations"*"user= "*)
    account=${words#*account=}
    ! grep -q "^account ${account%% *} " /rig/state/accounting || echo root
    ;;
  *"list associations"*)
    user=${words#*user=}
    grep "^user ${user%% *}$" /rig/state/accounting || true
    ;;
  *"add account"*) new="account ${words#*name=}" ;;
  *"add user"*) user=${words#*name=} && new="user ${user%% *}" ;;
esac
if [[ -n ${new:-} ]]; then
  ! grep -qxF "$new" /rig/state/accounting || exit 1
  echo "$new" >>/rig/state/accounting
fi
""",
}
STATE = ("mounted", "units", "active", "absent", "masked", "accounting")

_INNER = r"""
set -e
root=$1 fakes=$2 python=$3 shared=$4
shift 4
mount --make-rprivate /
bound() { mkdir -p "$root$1" && mount --rbind "$1" "$root$1"; }
bound /usr
for name in /bin /sbin /lib /lib32 /lib64 /libx32; do
  if [[ -L $name ]]; then ln -sfn "$(readlink "$name")" "$root$name"
  elif [[ -d $name ]]; then bound "$name"; fi
done
case $python in /usr/*) ;; *) bound "$python" ;; esac
if [[ -d /etc/alternatives ]]; then bound /etc/alternatives; fi
for device in null zero urandom random; do
  touch "$root/dev/$device" && mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir -p "$root/usr/local/sbin" 2>/dev/null || true
mount --bind "$fakes" "$root/usr/local/sbin"
if [[ -n $shared ]]; then mkdir -p "$root/fsx" && mount --bind "$shared" "$root/fsx"; fi
mount -t proc proc "$root/proc"
ln -sfn /proc/self/fd "$root/dev/fd"
exec chroot "$root" /usr/bin/env -i "$@" </dev/null
"""


@functools.cache
def impossible() -> str:
    """Why this machine cannot run the rig; empty when it can."""
    if not shutil.which("unshare"):
        return "no unshare on this machine"
    mounts = "mount --make-rprivate / && mount -t proc proc /proc"
    command = [*_unshare(), "sh", "-c", mounts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"no namespaces on this machine: {done.stderr.strip()}" if done.returncode else ""


def _unshare() -> list[str]:
    spaces = ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child"]
    return spaces if os.geteuid() == 0 else [*spaces, "--map-root-user"]


@dataclass(frozen=True, slots=True)
class Run:
    """One run: exit status, output on both streams, and calls of programs with arguments."""

    status: int
    output: str
    calls: list[str]


class Node:
    """An instance of a group, before anything has run on it."""

    def __init__(
        self,
        folder: Path,
        group: str,
        files: Mapping[str, str],
        answers: Mapping[str, str] | None = None,
        groups: tuple[str, ...] = ("h200",),
        *,
        controllers: int = 1,
        number: int = 0,
    ) -> None:
        """`number` is the node's place in its group; of `controllers` the group has so many."""
        self.root = folder / "root"
        self.shared = ""
        """A folder of several nodes, at /fsx."""
        for name in FOLDERS:
            (self.root / name).mkdir(parents=True, exist_ok=True)
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")
        (self.root / AGENT).chmod(0o755)
        for name in STATE:
            (self.root / "rig/state" / name).touch()
        (self.root / "tmp").chmod(0o1777)
        self._addresses(group, groups, controllers, number)
        self._programs({**dict.fromkeys(RECORDED, ""), **ANSWERS, **(answers or {})})
        for name, text in files.items():
            (self.root / "tmp/set" / name).write_text(text, encoding="utf-8")

    def efa(self, count: int) -> None:
        """Gives the node EFA devices."""
        driver = self.root / "sys/bus/efa"
        driver.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            device = self.root / f"sys/class/infiniband/rdmap{number}/device"
            device.mkdir(parents=True)
            (device / "driver").symlink_to("/sys/bus/efa")

    def state(self, name: str, *lines: str) -> None:
        """Adds to what is true from the beginning: what is mounted, units there are or run."""
        with (self.root / "rig/state" / name).open("a", encoding="utf-8") as stream:
            stream.writelines(f"{line}\n" for line in lines)

    def run(self, *command: str, environment: Mapping[str, str] | None = None) -> Run:
        """Runs a command, such as ``bash /tmp/set/on_create.sh``, as root of the node."""
        calls = self.root / "rig/calls"
        calls.write_text("", encoding="utf-8")
        words = [f"{name}={value}" for name, value in (environment or {}).items()]
        inner = ["bash", "-c", _INNER, "rig", str(self.root), str(self.root / "rig/bin")]
        done = subprocess.run(
            [*_unshare(), *inner, str(Path(sys.base_prefix)), self.shared, *words, *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        called = calls.read_text(encoding="utf-8").splitlines()
        return Run(done.returncode, done.stdout + done.stderr, called)

    def read(self, path: str) -> str:
        """The text of a file of the node."""
        return (self.root / path.lstrip("/")).read_text(encoding="utf-8")

    def files(self) -> dict[str, tuple[int, bytes]]:
        """Mode and content of every file that scripts may have written, logs left out."""
        kept = ("etc", "home", "opt", "root", "var/lib", "fsx", "rig/state", "scratch", "data")
        return {
            str(path.relative_to(self.root)): (path.stat().st_mode, path.read_bytes())
            for folder in kept
            for path in sorted((self.root / folder).rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    def _addresses(self, group: str, groups: Sequence[str], controllers: int, number: int) -> None:
        addresses = {
            **ADDRESSES,
            "controller": CONTROLLERS[:controllers],
            **{name: (f"10.1.0.{30 + n}",) for n, name in enumerate(groups)},
        }
        (self.root / "rig/address").write_text(f"{addresses[group][number]} 172.17.0.1 \n")
        # Not in the order in which they take over.
        listed = {
            name: [
                (f"{name}-{place}", at) for place, at in reversed([*enumerate(of_group, start=1)])
            ]
            for name, of_group in addresses.items()
        }
        empty = {"Name": "empty", "InstanceType": "ml.m5.large", "Instances": None}
        text = resource_config("example", listed, CONTROLLERS[:controllers], empty)
        path = self.root / "opt/ml/config/resource_config.json"
        path.write_text(text.replace('"Instances": [', '"Instances": [null, '), encoding="utf-8")

    def _programs(self, answers: Mapping[str, str]) -> None:
        for name, body in answers.items():
            if name not in SLURM:
                self._program(self.root / "rig/bin" / name, body)
        for name, body in SLURM.items():
            self._program(self.root / "opt/slurm/bin" / name, answers.get(name, body))
        python = f'exec {shlex.quote(os.path.realpath(sys.executable))} "$@"'
        programs(self.root / "rig/bin", {"python3": python})

    def _program(self, path: Path, body: str) -> None:
        recorded = f'printf "%s\\n" {shlex.quote(path.name)}" ${{*//$\'\\n\'/ }}" >>/rig/calls'
        programs(path.parent, {path.name: f"{recorded}\n{body}"})
