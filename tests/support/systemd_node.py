"""One node that boots with a real systemd, in a root folder of its own.

Several nodes on one network, which run daemons and do not boot, are in
:mod:`tests.support.node_network`.

Programs are the machine's own, read-only; /etc, /opt, /home and the rest begin as a small image and
are written for real. Users, mounts, units and their order are real too. What no machine here has
(AWS, file servers, Lustre's network, GPUs, containers) are small programs with a memory: of a boot
in /run, of the disks in the root folder, of the file servers in a folder that nodes share.
"""

import functools
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clustergen.base.text_lists import words
from tests.support import control
from tests.support.scripts import completed
from tests.support.waiting import PATIENCE, TimedOut

Disks = Literal["mounted", "late", "absent", "masked", "inactive"]
"""dlami-nvme.service: mounts the disks at once or late; is not there, masked, or not enabled."""

ADDRESS = "10.1.0.30"
FOLDERS = words("""
    dev etc/skel etc/systemd/system etc/sysctl.d etc/security/limits.d home opt/slurm/bin
    opt/slurm/etc opt/ml/config opt/dlami/nvme opt/parallelcluster/examples/pyxis
    opt/parallelcluster/examples/spank proc rig/bin rig/shared root run sbin scratch sys tmp usr
    var/lib var/log
""")
FILES = {
    "etc/passwd": (
        "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n"
        "ubuntu:x:1000:1000::/home/ubuntu:/bin/bash\n"
    ),
    "etc/group": "root:x:0:\nnogroup:x:65534:\nubuntu:x:1000:\n",
    "etc/shadow": "root:*:20000:0:99999:7:::\nubuntu:!:20000:0:99999:7:::\n",
    "etc/login.defs": "UID_MIN 1000\nUID_MAX 60000\nGID_MIN 1000\nGID_MAX 60000\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\n",
    "etc/fstab": "",
    "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
    "etc/skel/.profile": "# of the image\n",
    "opt/parallelcluster/examples/spank/plugstack.conf": "include x\n",
    "opt/parallelcluster/examples/pyxis/pyxis.conf": "required spank_pyxis.so\n",
    "opt/slurm/etc/plugstack.conf": "required spank_pyxis.so\n",
    "etc/aws/pcs/scheduler/slurm-25.11/plugstack.conf": "required spank_pyxis.so\n",
    "root/.key": "ssh-ed25519 AAAA of-the-image\n",
}
UNITS = {
    "rig.target": "[Unit]\nRequires=multi-user.target\nWants=session.service\n",
    "session.service": (
        "[Unit]\nWants=network-online.target\nAfter=network-online.target multi-user.target\n"
        "[Service]\nType=oneshot\nExecStart=/bin/bash /rig/boot\n"
    ),
    "network.service": (
        "[Unit]\nBefore=network-online.target\n[Service]\nType=oneshot\nRemainAfterExit=yes\n"
        "ExecStart=/bin/bash /rig/network\n"
    ),
    # What slurmd and Docker find when they start is what jobs and containers get.
    **{
        f"{name}.service": (
            "[Unit]\nAfter=network-online.target remote-fs.target\nWants=network-online.target\n"
            "[Service]\nType=oneshot\nRemainAfterExit=yes\n"
            f"ExecStart=/bin/bash -c 'mount >/run/rig/at-{name}; ls -d /*/enroot/* /*/docker"
            f" /opt/dlami/nvme/* /opt/dlami/nvme/*/* >>/run/rig/at-{name} 2>/dev/null || true'\n"
            "[Install]\nWantedBy=multi-user.target\n"
        )
        for name in ("slurmd", "docker")
    },
}
DLAMI = (
    "[Service]\nType=oneshot\nRemainAfterExit=yes\n"
    "ExecStart=/bin/bash -c '/usr/bin/sleep {seconds}; mount -t tmpfs nvme /opt/dlami/nvme'\n"
    "[Install]\nWantedBy=multi-user.target\n"
)
PROGRAMS = {
    **dict.fromkeys(words("curl docker enroot sysctl nvidia-ctk apt-get"), ""),
    # The bucket of scripts, and FSx.
    "aws": (
        'case "$*" in\n'
        '  "s3 cp "*) url=$4 && cp "/rig/bucket/${url#s3://*/}" "$5" ;;\n'
        "  *describe-volumes*) printf '/vol1\\tNone\\n' ;;\n"
        "esac"
    ),
    "sleep": "exec /usr/bin/sleep 0.05",
    "hostname": (
        f'case "${{1:-}}" in --all-ip-addresses | --ip-address) echo {ADDRESS} ;; *) echo node ;;'
        " esac"
    ),
    # The metadata are reached over an interface of another network, as an agent's may be.
    "ip": (
        'case "$*" in\n'
        f'  *"address show to {ADDRESS}"*) echo "2: ens32    inet {ADDRESS}/24 scope global" ;;\n'
        '  *169.254.169.254*) echo "169.254.169.254 dev veth_def_agent src 192.168.0.2" ;;\n'
        '  *"route get"*) echo "192.0.2.1 via 10.1.0.1 dev ens32 src 10.1.0.30" ;;\n'
        "esac"
    ),
    "nvidia-smi": 'for n in 0 1 2 3 4 5 6 7; do echo "GPU $n: NVIDIA H200 (UUID: GPU-$n)"; done',
    # Lustre's networks: known to the kernel until it goes, and in use once something is mounted.
    "lnetctl": (
        'case "$*" in\n'
        '  "net del --net tcp") ! grep -qs "^lustre" /run/rig/mounts || exit 1 ;;\n'
        '  "net add --net "*) echo "- nid: $6@$4" >>/run/rig/lnet ;;\n'
        '  "net show --net efa --verbose") grep -qs efa /run/rig/lnet &&'
        ' echo "send_count: $(cat /run/rig/sent 2>/dev/null || echo 0)" ;;\n'
        '  "net show"*) cat /run/rig/lnet 2>/dev/null ;;\n'
        "esac"
    ),
    "modprobe": (
        "[[ $1 == kefalnd ]] || exit 0\n[[ ! -e /rig/no-efa-client ]] || exit 1\n"
        'echo "$2" >/run/rig/ipif'
    ),
    "findmnt": (
        '[[ "$*" == *lustre* ]] || exec /usr/bin/findmnt "$@"\ngrep -s "^lustre" /run/rig/mounts'
    ),
    "mount-s3": 'exec /usr/bin/mount --bind /rig/shared "${@: -1}"',
    # A login: the home is there, and belongs to the user; so does what .ssh wants.
    "as": (
        "user=$1\nshift\n"
        'home=$(getent passwd "$user" | cut -d : -f 6)\ncd "$home" || exit 9\n'
        'id=$(id -u "$user") && [[ $(stat -c %u "$home") == "$id" ]] || exit 8\n'
        '[[ ! -e $home/.ssh ]] || [[ $(stat -c "%u %a" "$home/.ssh") == "$id 700" ]] || exit 7\n'
        'exec setpriv --reuid "$user" --regid "$id" --init-groups -- env HOME="$home" "$@"'
    ),
}
# A file server has a folder for each source; the root of a new one belongs to root alone, but for
# OpenZFS. Servers cannot be reached before the network is up.
MOUNT = """
[[ -e /run/rig/network ]] || { echo "no network" >&2; exit 32; }
folder=/rig/shared/$(tr -c 'a-zA-Z0-9\\n' _ <<<"$1")
if [[ ! -d $folder ]]; then
  mkdir "$folder"
  [[ ${0##*.} != nfs ]] || chmod 1777 "$folder"
fi
if [[ ${0##*.} == lustre ]]; then
  if grep -qs efa /run/rig/lnet; then net=efa; else net=tcp; fi
  echo "lustre $2 $net" >>/run/rig/mounts
fi
exec /usr/bin/mount --bind "$folder" "$2"
"""
# Nodes that boot at the same time have units of the same names. In one cgroup, a systemd ends the
# processes of another one's units, and removes their cgroups (status 219).
_APART = r"""
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/systemd /mnt/unified
places=()
while IFS=: read -r _ kind path; do
  case $kind in
    name=systemd) place=/mnt/systemd what=(cgroup -o none,name=systemd) ;;
    "") place=/mnt/unified what=(cgroup2) ;;
    *) continue ;;
  esac
  mount -t "${what[@]}" cgroup "$place" || continue
  place=$place${path%/}
  mkdir "$place/node-$$" && echo $$ >"$place/node-$$/cgroup.procs" && places+=("$place")
done </proc/self/cgroup
"$@"
status=$?
for place in "${places[@]}"; do
  echo $$ >"$place/cgroup.procs"
  find "$place/node-$$" -depth -type d -exec rmdir {} \; 2>/dev/null
done
exit $status
"""
_OUTER = r"""
set -e
root=$1 shared=$2
mount --make-rprivate /
mount --bind /usr "$root/usr"
mount -o remount,bind,ro "$root/usr"
for name in /bin /lib /lib32 /lib64 /libx32; do
  if [[ -L $name ]]; then ln -sfn "$(readlink "$name")" "$root$name"
  elif [[ -d $name ]]; then mkdir -p "$root$name" && mount --rbind "$name" "$root$name"; fi
done
mkdir -p "$root/etc/alternatives" && mount --bind /etc/alternatives "$root/etc/alternatives"
mount --bind "$root/rig/bin" "$root/usr/local/sbin"
mount --bind "$shared" "$root/rig/shared"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mkdir "$root/run/rig"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full urandom random tty autofs; do
  touch "$root/dev/$device" && mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount --bind "$root/rig/sys" "$root/sys"
if [[ $(stat -f -c %T /sys/fs/cgroup) == cgroup2fs ]]; then
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
else
  mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
  mkdir "$root/sys/fs/cgroup/systemd"
  mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
fi
# Local disks, and the array of them where the kernel finds it by itself.
mkdir -p "$root/dev/disk/by-id" "$root/dev/md"
for disk in "$root"/rig/disks/*; do
  [[ ! -e $disk ]] || chroot "$root" /bin/bash /rig/bin/attach "${disk##*/}"
done
if [[ -e $root/rig/assembles ]]; then chroot "$root" /bin/bash /rig/bin/mdadm --assemble x; fi
hostname node
exec unshare --pid --fork --kill-child --mount bash -c '
  mount -t proc proc "$1/proc"
  exec chroot "$1" /usr/bin/env -i container=rig PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --system --unit=rig.target --log-target=console --show-status=0
' rig "$root" </dev/null
"""


def _root() -> list[str]:
    return [] if os.geteuid() == 0 else ["sudo", "-n"]


@functools.cache
def impossible() -> str:
    """Why this machine cannot boot nodes; empty when it can."""
    if not Path("/lib/systemd/systemd").exists() or not shutil.which("unshare"):
        return "no systemd on this machine"
    probe = "mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && test -e /dev/autofs"
    try:
        done = completed(
            *_root(), "unshare", "--mount", "--pid", "--cgroup", "--fork", "sh", "-c", probe
        )
    except OSError:
        return "nodes boot with root's rights, and this user has no sudo"
    return f"nodes boot with root's rights: {done.stderr.strip()}" if done.returncode else ""


def _descendants(pid: int) -> Iterator[str]:
    """The command lines of what a process started, and of what these did, with their age in s."""
    command = ["ps", "-eo", "pid=,ppid=,etimes=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    known = {pid}
    for line in listed.splitlines():
        own, parent, age_and_args = line.split(maxsplit=2)
        if int(parent) in known:
            known.add(int(own))
            yield age_and_args


@dataclass(frozen=True, slots=True)
class Boot:
    """Output of a boot's script on both streams, and output of systemd."""

    output: str
    journal: str

    def __contains__(self, text: str) -> bool:
        return text in self.output

    def shows(self, *expected: str) -> None:
        """The script succeeded, and printed each of these."""
        for text in (*expected, "status 0"):
            assert text in self, f"{text!r} is not in:\n{self.output}\n{self.journal[-3000:]}"

    def works(self, *expected: str) -> None:
        """And nothing failed."""
        self.shows(*expected)
        assert "failed" not in self, self.output


class SystemdNode:
    """An instance from its first boot on. Another one with the same `shared` is another node."""

    def __init__(
        self, folder: Path, shared: Path, *, disks: Disks = "mounted", network_seconds: float = 0
    ) -> None:
        self.root, self.shared = folder / "root", shared
        shared.mkdir(parents=True, exist_ok=True)
        for name in FOLDERS:
            (self.root / name).mkdir(parents=True, exist_ok=True)
        for name, text in FILES.items():
            self.write(name, text)
        self._programs()
        self._units(disks)
        self._devices()
        self.write("rig/network", f"/usr/bin/sleep {network_seconds}\ntouch /run/rig/network\n")
        own = ["chown", "-R", "1000:1000"]
        home = self.root / "home/ubuntu"
        (home / ".ssh").mkdir(parents=True, mode=0o700)
        (home / ".ssh/authorized_keys").write_text("ssh-ed25519 AAAA of-the-image\n")
        subprocess.run([*_root(), *own, str(home)], check=True)

    def write(self, path: str, text: str) -> None:
        """Writes a file of the node, between boots."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def boot(self, script: str, environment: Mapping[str, str] | None = None) -> Boot:
        """Boots, runs `script` as root once the system is up, and shuts down."""
        control.need(_failure)
        return self.boot_untried(script, environment)

    def boot_untried(self, script: str, environment: Mapping[str, str] | None = None) -> Boot:
        """The same, if no node has booted yet on this machine."""
        exports = "".join(f"export {n}={shlex.quote(v)}\n" for n, v in (environment or {}).items())
        self.write("rig/script", f"export PATH=/usr/local/sbin:$PATH\n{exports}{script}\n")
        self.write(
            "rig/boot",
            'bash /rig/script >/rig/said 2>&1 </dev/null\necho "status $?" >>/rig/said\n'
            "systemctl exit 0 --force --force\n",
        )
        (self.root / "rig/said").write_text("")
        spaces = ["unshare", "--mount", "--net", "--uts", "--ipc", "--cgroup"]
        inner = ["bash", "-c", _OUTER, "rig", str(self.root), str(self.shared)]
        limit = str(PATIENCE + 10)
        limited = ["timeout", "--signal=KILL", limit, *spaces, *inner]
        command = [*_root(), "unshare", "--mount", "bash", "-c", _APART, "rig", *limited]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            try:
                journal, _ = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                running = "\n".join(_descendants(process.pid))
                journal, _ = process.communicate()
                said = (self.root / "rig/said").read_text(encoding="utf-8")
                raise TimedOut(
                    f"no boot within {PATIENCE} s; it said: {said}\n{journal}\n{running}"
                ) from None
        said = (self.root / "rig/said").read_text(encoding="utf-8")
        return Boot(said, journal)

    def _programs(self) -> None:
        for path in (*Path("/usr/sbin").iterdir(), *Path("/sbin").iterdir()):
            link = self.root / "sbin" / path.name
            if not path.name.startswith("mount.") and not link.is_symlink():
                link.symlink_to(f"/usr/sbin/{path.name}")
        for name in ("efs", "lustre", "nfs", "nfs4"):
            self._program(self.root / "sbin" / f"mount.{name}", MOUNT)
        for name, body in PROGRAMS.items():
            self._program(self.root / "rig/bin" / name, body)
        self._program(self.root / "opt/slurm/bin/scontrol", "")

    def _program(self, path: Path, body: str) -> None:
        path.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def _devices(self) -> None:
        """What /sys shows: 16 EFA devices, and where cgroups are mounted."""
        (self.root / "rig/sys/fs/cgroup").mkdir(parents=True)
        (self.root / "rig/sys/bus/efa").mkdir(parents=True)
        for number in range(16):
            device = self.root / f"rig/sys/class/infiniband/rdmap{number}/device"
            device.mkdir(parents=True)
            (device / "driver").symlink_to("/sys/bus/efa")

    def _units(self, disks: Disks) -> None:
        units = self.root / "etc/systemd/system"
        for unit in Path("/lib/systemd/system").glob("*.wants/*"):
            if unit.suffix not in (".target", ".slice") and "tmpfiles-setup.s" not in unit.name:
                self._link(units / unit.name, "/dev/null")
        # Of what makes units at each boot and reload, only the reader of fstab has any to make.
        for generator in Path("/lib/systemd/system-generators").iterdir():
            if generator.name != "systemd-fstab-generator":
                folder = self.root / "etc/systemd/system-generators"
                self._link(folder / generator.name, "/dev/null")
        for name, text in UNITS.items():
            (units / name).write_text(text)
        self._link(units / "network-online.target.wants/network.service", "../network.service")
        remote = "/lib/systemd/system/remote-fs.target"
        self._link(units / "multi-user.target.wants/remote-fs.target", remote)
        nvme = units / "dlami-nvme.service"
        if disks == "masked":
            self._link(nvme, "/dev/null")
        elif disks != "absent":
            nvme.write_text(DLAMI.format(seconds=1 if disks == "late" else 0))
        if disks in ("mounted", "late"):
            self._link(units / "multi-user.target.wants/dlami-nvme.service", f"../{nvme.name}")

    def _link(self, path: Path, target: str) -> None:
        path.parent.mkdir(exist_ok=True)
        if not path.is_symlink():
            path.symlink_to(target)


def command(arguments: Sequence[object]) -> str:
    """Arguments as a line of shell."""
    return " ".join(shlex.quote(str(word)) for word in arguments)


def _failure() -> str:
    """Why the image alone does not boot."""
    with tempfile.TemporaryDirectory() as folder:
        node = SystemdNode(Path(folder, "node"), Path(folder, "shared"))
        try:
            booted = node.boot_untried("true")
        except TimedOut as failed:
            return f"systemd: {str(failed).splitlines()[0]}"
    lines = booted.journal.strip().splitlines() or ["no output"]
    return "" if "status 0" in booted else f"systemd: {lines[-1]}"
