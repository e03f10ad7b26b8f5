"""A HyperPod cluster with the real Slurm: HyperPod's own part is played, the bundle's part runs.

HyperPod writes slurm.conf for the instance groups, brings the lifecycle set to every node, and with
``mode: api`` starts Slurm first. What reaches beyond a node is a program of :data:`PROGRAMS` that
acts: ``systemctl`` starts the daemons, ``mount`` binds folders that all nodes share.
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.checking.compiler import Checked
from clustergen.facts import catalog
from clustergen.plan.model import NodeGroup
from clustergen.services.slurm import accounts, users
from clustergen.spec import placeholders
from tests.services.hyperpod.planned import resource_config
from tests.support import debian, mariadb
from tests.support.checking import Fragments, files_of
from tests.support.node_network import NodeNetwork, Run, node_network
from tests.support.slurm.cluster import root
from tests.support.waiting import PATIENCE, until_said

DATABASE = "10.255.200.1"
_ENDPOINTS = ("db.example.com", "slurm.cluster-abcdefghijkl.us-west-2.rds.amazonaws.com")
ETC, SET = "/opt/slurm/etc", "/tmp/sagemaker/set"

# Units that are there, and the program that each starts.
_DAEMONS = f"""
export LD_LIBRARY_PATH={mariadb.CLIENT}
declare -A daemons=([slurmctld]=slurmctld [slurmd]=slurmd [slurmdbd]=slurmdbd)
declare -A starts=([slurmctld]="slurmctld -i" [slurmdbd]=slurmdbd)
starts[slurmd]="slurmd $(sed -n 's/^Environment="SLURMD_OPTIONS=\\(.*\\)"/\\1/p' \
  /etc/systemd/system/slurmd.service.d/*.conf 2>/dev/null)"
"""
PROGRAMS: Mapping[str, str] = {
    "systemctl": _DAEMONS
    + r"""
quiet= now= words=()
for word in "$@"; do
  case $word in --now) now=yes ;; -q | --quiet) quiet=yes ;; -*) ;; *) words+=("$word") ;; esac
done
set -- "${words[@]}"
verb=$1 unit=${2:-} name=${2%.service}
program=${name:+${daemons[$name]:-}}
masked() { [[ -e /rig/masked-$name ]]; }
absent() { [[ -z $program || -e /rig/absent-$name ]]; }
active() { [[ -n $program ]] && pgrep -x "$program(-wlm)?" >/dev/null; }
start() {
  active && return
  if absent || masked; then echo "Unit $unit not found or masked." >&2; return 5; fi
  ${starts[$name]} >>"/var/log/$name.start" 2>&1 </dev/null 9>&- 8>&- || return 1
}
stop() {
  [[ -n $program ]] || return 0
  pkill -x "$program(-wlm)?"
  for ((n = 0; n < 1800; n++)); do active || return 0; sleep 0.1; done
  pkill -KILL -x "$program(-wlm)?"
}
case $verb in
  is-active) active ;;
  is-failed) exit 1 ;;
  is-enabled) [[ -e /rig/enabled-$name ]] ;;
  cat) ! absent || [[ -f /etc/systemd/system/$unit ]] ;;
  enable)
    absent && [[ ! -f /etc/systemd/system/$unit ]] && exit 1
    touch "/rig/enabled-$name"
    [[ -z $now || $unit != *.service ]] || start
    ;;
  disable) [[ -z $now ]] || stop ;;
  start) start ;;
  stop) stop ;;
  restart) stop; start ;;
  try-restart) absent && exit 5; if active; then stop; start; fi ;;
esac
""",
    # Their existence shows that the image has the clients of Lustre and NFS, and Enroot.
    **dict.fromkeys(("mount.lustre", "mount.nfs", "enroot"), "exit 1"),
    "mount": r"""
case "$*" in
  *"-t lustre"* | *"-t nfs"*)
    mkdir -p "/rig/shared${!#}"
    exec /usr/bin/mount --bind "/rig/shared${!#}" "${!#}"
    ;;
  *) exec /usr/bin/mount "$@" ;;
esac
""",
    "nvidia-smi": r"""
[[ $1 == --list-gpus ]] || exit 0
if [[ -e /rig/hung-gpu ]]; then trap '' TERM; while :; do /usr/bin/sleep 1; done; fi
seen=all
# What Slurm does to a task with ConstrainDevices: it sees the GPUs that its step was given.
if [[ -e /rig/constrained && -n ${SLURM_PROCID:-} ]]; then seen=,${CUDA_VISIBLE_DEVICES:-none},; fi
for gpu in /dev/nvidia[0-9]*; do
  [[ $seen == all || $seen == *,"${gpu##*nvidia}",* ]] || continue
  [[ ! -e $gpu || ( $gpu == */nvidia0 && -e /rig/lost-gpu ) ]] || echo "GPU ${gpu##*nvidia}: NVIDIA"
done
""",
    "fi_info": """
for device in /sys/class/infiniband/*; do echo "    domain: ${device##*/}-rdm"; done
""",
    # What is in S3: tables, and empty scripts of the user's.
    "aws": """
case "$1 $2" in
  "secretsmanager "*) echo '{"password": "rig"}' ;;
  "s3 cp")
    from=/dev/null
    [[ $* != *.tsv* ]] || from=/rig/shared/${4##*-}
    for word in "$@"; do [[ $word != /* ]] || cat "$from" >"$word"; done
    ;;
esac
""",
    # Steps that wait for something else do so in a tenth of the time.
    "sleep": 'exec /usr/bin/sleep "$(awk -v s="$1" \'BEGIN { print s / 10 }\')"',
    **dict.fromkeys(("sysctl", "lnetctl", "modprobe", "apt-get"), ""),
}
_PREPARE = r"""
mkdir -p /opt/slurm/etc /opt/dlami/nvme /opt/sagemaker /etc/needrestart/conf.d /etc/apt/apt.conf.d
mkdir -p /opt/slurm/bin
# Not the whole folder: stand-ins of other programs come first.
ln -sf /usr/bin/s{acct,acctmgr,batch,cancel,control,info,prio,queue,run,share} /opt/slurm/bin
ln -sfn /usr/sbin /opt/slurm/sbin
rm -rf /etc/slurm
ln -s /opt/slurm/etc /etc/slurm
/usr/bin/mount -t tmpfs tmpfs /opt/dlami/nvme
install -d -o slurm -g slurm /var/log/slurm /var/spool/slurmctld
install -d /var/spool/slurmd
groupadd -g 1000 ubuntu && useradd -u 1000 -g 1000 -m ubuntu
cp /rig/shared/.munge.key /etc/munge/munge.key
install -d -o munge -g munge -m 700 /etc/munge /var/log/munge /var/lib/munge
install -d -o munge -g munge -m 755 /run/munge
chown munge: /etc/munge/munge.key
chmod 400 /etc/munge/munge.key
setpriv --reuid munge --regid munge --clear-groups munged >/dev/null 2>&1
"""
_SETTINGS = """
AuthType=auth/munge GresTypes=gpu ProctrackType=proctrack/linuxproc TaskPlugin=task/none
SelectType=select/cons_tres SelectTypeParameters=CR_Core
SlurmUser=slurm SlurmctldParameters=enable_configless StateSaveLocation=/var/spool/slurmctld
SlurmctldLogFile=/var/log/slurm/slurmctld.log SlurmctldPidFile=/run/slurmctld.pid
SlurmdParameters=config_overrides SlurmdSpoolDir=/var/spool/slurmd SlurmdTimeout=60
SlurmdLogFile=/var/log/slurm/slurmd.log SlurmdPidFile=/run/slurmd.pid
"""
_ACCOUNTING = """
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost={name}
JobAcctGatherType=jobacct_gather/linux
"""


@dataclass(frozen=True, slots=True)
class Node:
    """An instance of the cluster."""

    name: str
    address: str
    group: str
    type: str

    @property
    def gpus(self) -> int:
        found = catalog.find(self.type)
        return found.gpus if found else 0

    @property
    def efa(self) -> int:
        """Its EFA devices: accelerated nodes have all that the type can have."""
        found = catalog.find(self.type)
        return found.max_efa if found and found.gpus else 0


class Cluster:
    """A cluster of a bundle; use :func:`cluster`."""

    def __init__(
        self, checked: Checked, nodes: NodeNetwork, per_group: int, theirs: Sequence[Json] = ()
    ) -> None:
        self.plan = checked.plans["hyperpod-slurm"]
        self.files, self.machines = files_of(checked, "hyperpod-slurm"), nodes
        name = "update-cluster.json" if theirs else "create-cluster.json"
        self.request: dict[str, Any] = json.loads(self.files[name])
        self.request["InstanceGroups"] = [*theirs, *self.request["InstanceGroups"]]
        self.nodes = [
            Node(f"ip-10-255-{n}-{place}", f"10.255.{n}.{place}", *_group(group))
            for n, group in enumerate(self.request["InstanceGroups"], start=1)
            for place in range(10, 10 + self._count(group, per_group))
        ]
        self.controller = self.of("controller")[0]

    def of(self, group: str) -> list[str]:
        """The names of a group's nodes."""
        return [node.name for node in self.nodes if node.group == group]

    def _count(self, group: Mapping[str, Any], most: int) -> int:
        """All controllers, and some nodes of every other group."""
        count = int(group["InstanceCount"])
        return count if group["InstanceGroupName"] == "controller" else min(count, most)

    @property
    def entry(self) -> str:
        names = ("lifecycle/on_init_complete.sh", "lifecycle/on_create.sh")
        return next((name for name in names if name in self.files), "")

    @property
    def started_by_hyperpod(self) -> bool:
        return not self.entry.endswith("on_create.sh")

    def boot(self, settings: str = "", *, gres: bool = True) -> None:
        """What is there before the first script runs; `settings` are more lines of slurm.conf."""
        self.machines.name_hosts(
            {node.name: node.address for node in self.nodes} | dict.fromkeys(_ENDPOINTS, DATABASE)
        )
        for node in self.nodes:
            self.machines.add(node.name, node.address, node.gpus)
        self.machines.run(self.controller, "head -c 1024 /dev/urandom >/rig/shared/.munge.key")
        for table in (users.table(self.plan), accounts.table(self.plan)):
            if table:
                self.machines.put(self.controller, f"/rig/shared/{table.path}", table.text)
        with ThreadPoolExecutor() as pool:
            list(pool.map(self._prepare, self.nodes))
        if self.plan.slurm.accounting != "off":
            mariadb.add(self.machines, DATABASE)
            for name in self.of("controller"):
                mariadb.give_client(self.machines, name)
        for name in self.of("controller"):
            self.put_slurm_conf(name, settings, gres=gres)
        for node in self.nodes if gres else ():
            self.run(node.name, "touch /rig/constrained")
        if self.started_by_hyperpod:
            self._start_accounting()
            self.run(self.controller, "systemctl start slurmctld.service")
            for node in self.nodes:
                if node.group != "controller":
                    self._start_slurmd(node)

    def put_slurm_conf(self, name: str, settings: str = "", *, gres: bool = True) -> None:
        """HyperPod writes slurm.conf, as it does again when nodes come and go."""
        self.machines.put(name, f"{ETC}/slurm.conf", self._slurm_conf(settings, gres=gres))
        devices = [
            f"NodeName={node.name} Name=gpu File=/dev/nvidia[0-{node.gpus - 1}]\n"
            for node in self.nodes
            if node.gpus and gres
        ]
        self.machines.put(name, f"{ETC}/gres.conf", "".join(devices))
        self.machines.put(name, f"{ETC}/cgroup.conf", "CgroupPlugin=disabled\n")
        self.machines.put(name, f"{ETC}/plugstack.conf", f"required {debian.PYXIS}\n")

    def run(self, name: str, script: str, seconds: float = PATIENCE) -> Run:
        """Runs a script as root; it fails with the words of the script."""
        run = self.machines.run(name, script, seconds=seconds)
        assert run.status == 0, f"{name}: {script}\n{run.text}"
        return run

    def as_user(self, name: str, script: str, user: int = 2001, seconds: float = PATIENCE) -> Run:
        """Runs a script as an ordinary user."""
        environment = {"USER": "alice", "HOME": "/tmp"}
        return self.machines.run(name, script, user=user, environment=environment, seconds=seconds)

    def questions(self) -> Questions:
        """The cluster as :mod:`tests.support.slurm.answers` asks it."""
        return Questions(self)

    def lifecycle(self, *names: str) -> dict[str, Run]:
        """The set on all nodes at once, as HyperPod runs it; or on some."""
        chosen = names or [node.name for node in self.nodes]
        script = f"cd {SET} && env -i PATH=/usr/bin:/bin bash {self.entry.rpartition('/')[2]}"
        with ThreadPoolExecutor(len(chosen)) as pool:
            runs = pool.map(lambda n: self.machines.run(n, script, seconds=2 * PATIENCE), chosen)
            return dict(zip(chosen, runs, strict=True))

    def wait(self, script: str, expected: str) -> str:
        """The output on the controller once the pattern `expected` is in it."""
        return until_said(lambda: self.machines.run(self.controller, script).text, expected, script)

    def wait_until_idle(self) -> None:
        """Wait until Slurm has work for no node, and every node is ready for some."""
        self.wait("sinfo -h -N -o %T | sort -u", "^idle$")

    def _slurm_conf(self, settings: str, *, gres: bool) -> str:
        first, *others = self.nodes
        # HyperPod names the first controller; the scripts add the others.
        lines = ["ClusterName=hyperpod", f"SlurmctldHost={first.name}({first.address})"]
        lines += [*_SETTINGS.split(), *settings.splitlines()]
        computes = [node for node in others if node.group != "controller"]
        for node in computes:
            has = f" Gres=gpu:{node.gpus}" if node.gpus and gres else ""
            lines.append(f"NodeName={node.name} NodeAddr={node.address} CPUs=16{has} State=UNKNOWN")
        lines.append("PartitionName=dev Nodes=ALL Default=YES MaxTime=INFINITE State=UP")
        for partition, names in self._partitions().items():
            lines.append(f"PartitionName={partition} Nodes={','.join(names)} State=UP")
        return "\n".join(lines) + "\n"

    def _partitions(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        given = json.loads(self.files.get("lifecycle/provisioning_parameters.json", "{}"))
        for worker in given.get("worker_groups", []):
            names = self.of(worker["instance_group_name"])
            found.setdefault(worker["partition_name"], []).extend(names)
        for group in self.request["InstanceGroups"]:
            for partition in (group.get("SlurmConfig") or {}).get("PartitionNames", []):
                found.setdefault(partition, []).extend(self.of(group["InstanceGroupName"]))
        return found

    def _prepare(self, node: Node) -> None:
        for name, body in PROGRAMS.items():
            self.machines.put(node.name, f"/usr/local/sbin/{name}", f"#!/bin/bash\n{body}\n", 0o755)
        self.run(node.name, _PREPARE)
        self.machines.put(node.name, "/opt/ml/config/resource_config.json", self._resources())
        for path, text in self.files.items():
            if path.startswith("lifecycle/"):
                values = {name: f"{name.lower()}.example" for name in placeholders.names(text)}
                filled, _ = placeholders.fill(text, values) if path.endswith(".json") else (text, 0)
                self.machines.put(node.name, f"{SET}/{path.rpartition('/')[2]}", filled)
        self.run(
            node.name,
            f"for ((n = 0; n < {node.efa}; n++)); do mkdir -p /sys/class/infiniband/rdmap$n/device;"
            " ln -s /sys/bus/efa /sys/class/infiniband/rdmap$n/device/driver; done",
        )

    def _resources(self) -> str:
        groups: dict[str, list[tuple[str, str]]] = {
            group["InstanceGroupName"]: [] for group in self.request["InstanceGroups"]
        }
        for node in self.nodes:
            groups[node.group].append((node.name, node.address))
        addresses = [address for _, address in groups["controller"]]
        return resource_config(self.request["ClusterName"], groups, addresses)

    def _start_accounting(self) -> None:
        """With a database in the request, HyperPod has slurmdbd on the controller.

        How is not public; this is what Slurm needs.
        """
        given = self.request.get("Orchestrator", {}).get("Slurm", {}).get("AccountingDatabase")
        if not given:
            return
        name = self.controller
        self.machines.put(name, f"{ETC}/slurmdbd.conf", _slurmdbd_conf(name, given), 0o600)
        more = _ACCOUNTING.format(name=name)
        text = self.machines.read(name, f"{ETC}/slurm.conf") + more
        self.machines.put(name, f"{ETC}/slurm.conf", text)
        self.run(name, f"chown slurm: {ETC}/slurmdbd.conf; systemctl start slurmdbd.service")
        self.wait("sacctmgr list cluster >/dev/null && echo up", "^up$")

    def _start_slurmd(self, node: Node) -> None:
        unit = "/etc/systemd/system/slurmd.service.d/hyperpod.conf"
        address = next(each.address for each in self.nodes if each.name == self.controller)
        options = f'[Service]\nEnvironment="SLURMD_OPTIONS=--conf-server {address}"\n'
        self.machines.put(node.name, unit, options)
        self.run(node.name, "systemctl start slurmd.service")


@dataclass(frozen=True, slots=True)
class Questions:
    """What :class:`tests.support.slurm.answers.Asked` needs."""

    cluster: Cluster

    @property
    def user(self) -> str:
        known = self.cluster.plan.users
        return known[0].name if known else "ubuntu"

    @property
    def configured(self) -> bool:
        return bool(self.cluster.entry)

    def ask(self, script: str) -> str:
        return self.cluster.run(self.cluster.controller, script).text

    def as_user(self, script: str) -> Run:
        uid = int(self.ask(f"id -u {self.user}"))
        return self.cluster.as_user(self.cluster.controller, f"cd /tmp\n{script}", user=uid)

    def nodes_of(self, group: str) -> list[str]:
        return self.cluster.of(group)

    def size_of(self, group: NodeGroup) -> int:
        return len(self.cluster.of(group.name))


def _slurmdbd_conf(name: str, database: Mapping[str, Any]) -> str:
    return f"""
AuthType=auth/munge
DbdHost={name}
LogFile=/var/log/slurm/slurmdbd.log
PidFile=/run/slurmdbd.pid
SlurmUser=slurm
StorageType=accounting_storage/mysql
StorageHost={database["Endpoint"]}
StoragePort={database["Port"]}
StorageLoc={database["Name"]}
StorageUser={mariadb.USER}
StoragePass={mariadb.PASSWORD}
"""


def _group(group: Mapping[str, Any]) -> tuple[str, str]:
    several = group.get("InstanceRequirements", {}).get("InstanceTypes", [])
    name = several[0] if several else group.get("InstanceType", "")
    return group["InstanceGroupName"], str(name).removeprefix("ml.")


@contextmanager
def cluster(
    checked: Checked,
    *,
    version: str = debian.OLDEST,
    per_group: int = 2,
    theirs: Sequence[Json] = (),
) -> Iterator[Cluster]:
    """The machines of a cluster, not yet booted, with some nodes of each node group.

    A bundle that joins a cluster adds its groups to `theirs`, which begin with the controller.
    """
    with node_network(root(version)) as nodes:
        yield Cluster(checked, nodes, per_group, theirs)


def checked(spec: str) -> Checked:
    """A fragment over the example spec."""
    return Fragments("hyperpod-slurm").checked(spec)
