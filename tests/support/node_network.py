"""Several nodes on one network, on which daemons run: no systemd, and no boot.

One node that boots with systemd is in :mod:`tests.support.systemd_node`.

A machine is a set of Linux namespaces over an overlay of one read-only root file system. All are
on one bridge that leads nowhere else, and share the folder ``/rig/shared``. Daemons run for real.
The user of this module brings programs that stand in for systemd.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.waiting import PATIENCE, TimedOut, until

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SPACES = ("--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child")

_BRIDGE = """
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs -o mode=755,size=4G tmpfs "$1"
mkdir -m 1777 "$1/shared"
mkdir "$1/nodes"
ip link set lo up
ip link add rig type bridge
ip link set rig up
touch "$1/ready"
exec sleep infinity
"""
# PID 1 of a machine. It ignores signals, as PID 1 does; it is killed from outside.
_MACHINE = r"""
set -e
name=$1 address=$2 lower=$3 work=$4 number=$5 gpus=$6
mount --make-rprivate /
mkdir -p "$work/nodes/$name"/{upper,work,root}
root=$work/nodes/$name/root
mount -t overlay overlay -o \
  "lowerdir=$lower,upperdir=$work/nodes/$name/upper,workdir=$work/nodes/$name/work" "$root"
hostname "$name"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
# EFA devices are listed there; whoever wants some makes them.
mount -t tmpfs -o mode=755 tmpfs "$root/sys/class"
for folder in dev run tmp; do mount -t tmpfs -o mode=755 tmpfs "$root/$folder"; done
chmod 1777 "$root/tmp"
mkdir -p "$root/dev/"{shm,pts} "$root/run/lock" "$root/rig/shared" "$root/sys/class/infiniband"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
for device in null:3 zero:5 full:7 random:8 urandom:9; do
  mknod -m 666 "$root/dev/${device%:*}" c 1 "${device#*:}"
done
for ((gpu = 0; gpu < gpus; gpu++)); do mknod -m 666 "$root/dev/nvidia$gpu" c 195 "$gpu"; done
ln -s /proc/self/fd "$root/dev/fd"
for n in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${n%:*}" "$root/dev/${n#*:}"; done
mount --bind "$work/shared" "$root/rig/shared"
cp "$work/hosts" "$root/etc/hosts"
echo "$name" >"$root/etc/hostname"
: >"$root/etc/resolv.conf"
printf '%s: files\n' hosts passwd group shadow >"$root/etc/nsswitch.conf"
ln -sf /proc/self/mounts "$root/etc/mtab"
until ip link show "v$number" >/dev/null 2>&1; do sleep 0.02; done
ip link set lo up
ip link set "v$number" name eth0
ip addr add "$address/16" dev eth0
ip link set eth0 up
# Whoever waits for this file enters the machine's root, which it does not define before.
exec chroot "$root" /bin/bash -c 'touch /rig/ready; while :; do sleep 3600 & wait $!; done'
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One command: its exit status, and what it wrote to both streams."""

    status: int
    text: str


class NodeNetwork:
    """The bridge and the machines on it; use :func:`node_network`."""

    def __init__(self, lower: Path, folder: Path) -> None:
        self._lower, self._folder = lower, folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 as long as the machines
        self._pids: dict[str, int] = {}
        command = ["unshare", *_SPACES, "bash", "-ec", _BRIDGE, "rig", str(folder)]
        self._bridge = self._started(command)

    def name_hosts(self, names: Mapping[str, str]) -> None:
        """Writes ``/etc/hosts`` of machines that are added later: address by name."""
        lines = ["127.0.0.1 localhost", *(f"{address} {name}" for name, address in names.items())]
        self._work("hosts").write_text("\n".join(lines) + "\n")

    def add(self, name: str, address: str, gpus: int = 0, lower: Path | None = None) -> None:
        """Starts a machine, over a root file system of its own if `lower` is one."""
        number = len(self._pids)
        over = str(lower or self._lower)
        values = (name, address, over, str(self._folder), str(number), str(gpus))
        inside = ["nsenter", "-t", str(self._bridge), "-m", "-n", "-p", "--"]
        command = [*inside, "unshare", *_SPACES, "bash", "-c", _MACHINE, "rig", *values]
        pid = self._pids[name] = self._started(command)
        self._in_bridge(
            f"ip link add h{number} type veth peer name v{number} &&"
            f" ip link set v{number} netns {self._seen_by_bridge(pid)} &&"
            f" ip link set h{number} master rig up"
        )
        self._appears(self._work(f"nodes/{name}/upper/rig/ready"), pid)

    def put(self, name: str, path: str, text: str, mode: int = 0o644) -> None:
        """Writes a file of a machine."""
        file = self.path(name, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)

    def read(self, name: str, path: str) -> str:
        """The text of a file of a machine; empty when there is none."""
        run = self.run(name, f"cat {path}")
        return run.text if run.status == 0 else ""

    def path(self, name: str, path: str) -> Path:
        """Where a file of a machine is for this process; links in it lead astray."""
        return Path(f"/proc/{self._pids[name]}/root") / path.lstrip("/")

    def run(
        self,
        name: str,
        script: str,
        *,
        user: int = 0,
        environment: Mapping[str, str] | None = None,
        seconds: float = PATIENCE,
    ) -> Run:
        """Runs a script of bash on a machine.

        :raises TimedOut: if it does not end in time.
        """
        words = [f"{key}={value}" for key, value in (environment or {}).items()]
        command = [
            *("nsenter", "-t", str(self._pids[name]), "-m", "-n", "-u", "-i", "-p", "-r", "-w"),
            *("--", "env", "-i", f"PATH={PATH}", "HOME=/root", "LANG=C.UTF-8", *words),
            *("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"),
            *("timeout", "--signal=KILL", str(seconds), "bash", "-c", script),
        ]
        with tempfile.TemporaryFile() as stream:
            # A file, for daemons keep what they were given as output.
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, check=False
            )
            stream.seek(0)
            text = stream.read().decode(errors="replace")
        if done.returncode in (-9, 137):
            raise TimedOut(f"not within {seconds} s, on {name}: {script}\nit said: {text}")
        return Run(done.returncode, text)

    def close(self) -> None:
        """Ends every process of every machine."""
        for process in reversed(self._processes):
            process.kill()
        for process in self._processes:
            process.wait()

    def _started(self, command: list[str]) -> int:
        """The id of a command's first child: PID 1 of new namespaces."""
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=self._errors)
        self._processes.append(process)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

        def child() -> int:
            if process.poll() is not None:
                raise RuntimeError(f"{command[0]} ended with status {process.returncode}")
            # nsenter becomes the command it runs; with --pid it makes a child, which makes another.
            return _last_child(children)

        return until(child, bool, f"{command[0]} starts something")

    def _in_bridge(self, script: str) -> None:
        inside = ["nsenter", "-t", str(self._bridge), "-m", "-n", "-p", "--"]
        subprocess.run([*inside, "bash", "-c", script], check=True)

    def _seen_by_bridge(self, pid: int) -> int:
        """The id that a process has in the bridge's namespace of processes."""
        status = Path(f"/proc/{pid}/status").read_text()
        [line] = [line for line in status.splitlines() if line.startswith("NSpid:")]
        return int(line.split()[-2])

    def _work(self, path: str) -> Path:
        if not (root := Path(f"/proc/{self._bridge}/root")).exists():
            raise RuntimeError("the bridge is gone")
        self._appears(root / str(self._folder).lstrip("/") / "ready", self._bridge)
        return root / str(self._folder).lstrip("/") / path

    def _appears(self, file: Path, pid: int) -> None:
        """Wait for a file that a process makes."""

        def appears() -> bool:
            if file.exists():
                return True
            if not Path(f"/proc/{pid}").exists():
                self._errors.seek(0)
                said = self._errors.read().decode(errors="replace")
                raise RuntimeError(f"process {pid} ended before it made {file}; it said: {said}")
            return False

        until(appears, bool, f"{file} appears")


def _last_child(children: Path) -> int:
    """The one process at the end of a chain of single children; 0 while it is not there."""
    found = 0
    while children.exists() and (pids := children.read_text().split()):
        found = int(pids[0])
        name = Path(f"/proc/{found}/comm").read_text().strip()
        if name not in ("unshare", "nsenter"):
            return found
        children = Path(f"/proc/{found}/task/{found}/children")
    return 0


@contextmanager
def node_network(lower: Path) -> Iterator[NodeNetwork]:
    """Machines over a root file system; they are gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="machines-"))
    made = NodeNetwork(lower, folder)
    try:
        yield made
    finally:
        made.close()
        _remove_groups()
        shutil.rmtree(folder, ignore_errors=True)


def _remove_groups() -> None:
    """Control groups outlive the processes in them."""
    for folder, _, _ in os.walk("/sys/fs/cgroup", topdown=False):
        if "/slurm" in folder:
            try:
                os.rmdir(folder)
            except OSError:
                continue
