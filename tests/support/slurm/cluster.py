"""A cluster of one machine: slurmctld, slurmdbd and several slurmd, as Debian's packages allow."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from clustergen.plan.model import NodeGroup
from tests.support import control, debian, mariadb
from tests.support.node_network import NodeNetwork, Run, node_network
from tests.support.slurm import noise
from tests.support.slurm.configuration import Configuration, Nodes, instance_type, lines, text
from tests.support.waiting import PATIENCE, until_said

HEAD, ADDRESS = "head", "10.255.0.1"
DATABASE = "10.255.0.2"
FIRST_PORT = 17001
USERS: Mapping[str, int] = {"alice": 2001, "bob": 2002, "carol": 2003, "ubuntu": 1000}
"""Accounts of the machine; jobs run as one of them."""

# What belongs to this machine and not to a service. The last value of a key is the one that Slurm
# uses, so these come last.
_RIG = """
ClusterName=cluster
SlurmctldHost=head(10.255.0.1)
SlurmUser=slurm
AuthType=auth/munge
StateSaveLocation=/var/spool/slurmctld
SlurmctldPidFile=/run/slurmctld.pid
SlurmctldLogFile=/var/log/slurm/slurmctld.log
SlurmdPidFile=/run/slurmd-%n.pid
SlurmdLogFile=/var/log/slurm/slurmd-%n.log
SlurmdSpoolDir=/var/spool/slurmd/%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SuspendTime=-1
"""
_SLURMDBD = f"""
AuthType=auth/munge
DbdHost=head
LogFile=/var/log/slurm/slurmdbd.log
PidFile=/run/slurmdbd.pid
SlurmUser=slurm
StorageType=accounting_storage/mysql
StorageHost={DATABASE}
StorageUser={mariadb.USER}
StoragePass={mariadb.PASSWORD}
"""
_PREPARE = r"""
# The last one as the unit does (RuntimeDirectory).
install -d -o slurm -g slurm /var/log/slurm /var/spool/slurmctld /run/slurmctld
install -d -m 1777 /fsx /scratch
mkdir -p /opt/slurm
ln -s ../../etc/slurm /opt/slurm/etc
head -c 1024 /dev/urandom >/etc/munge/munge.key
install -d -o munge -g munge -m 700 /etc/munge /var/log/munge /var/lib/munge
install -d -o munge -g munge -m 755 /run/munge
chown munge: /etc/munge/munge.key
chmod 400 /etc/munge/munge.key
setpriv --reuid munge --regid munge --clear-groups munged >/dev/null 2>&1
"""
_START_SLURMDBD = f"""
chown slurm: /etc/slurm/slurmdbd.conf
chmod 600 /etc/slurm/slurmdbd.conf
LD_LIBRARY_PATH={mariadb.CLIENT} slurmdbd || exit
for ((n = 0; n < 3600; n++)); do
  (: <>/dev/tcp/{ADDRESS}/6819) 2>/dev/null && exit
  # pgrep may miss a daemon that has just forked.
  pgrep '^slurmdbd' >/dev/null || {{ sleep 0.5; pgrep '^slurmdbd' >/dev/null || exit; }}
  sleep 0.05
done
exit 1
"""
_START_SLURMCTLD = r"""
slurmctld -i >/var/log/slurm/start 2>&1 </dev/null || { cat /var/log/slurm/start; exit 3; }
for ((n = 0; n < 3600; n++)); do
  timeout 5 scontrol ping 2>/dev/null | grep -q 'is UP' && exit
  pgrep '^slurmctld' >/dev/null || { sleep 0.5; pgrep '^slurmctld' >/dev/null || break; }
  sleep 0.05
done
grep -E 'fatal|error' /var/log/slurm/slurmctld.log
exit 3
"""
_STOP = r"""
pkill -KILL '^slurm(d|ctld|dbd|stepd)'
while pgrep '^slurm(d|ctld|dbd|stepd)' >/dev/null; do sleep 0.02; done
rm -rf /etc/slurm/{slurm,gres,cgroup,topology,slurmdbd}.conf /var/log/slurm/*
rm -rf /var/spool/slurmctld/* /var/spool/slurmd
"""


class Refused(Exception):
    """Slurm does not start with a configuration."""


class Cluster:
    """A machine that runs Slurm with one configuration after the other."""

    user, configured = "alice", True

    def __init__(self, machine: NodeNetwork, version: str) -> None:
        self._machine, self.version = machine, version
        self.configuration: Configuration
        self.running: list[str] = []
        self._databases = 0

    def start(self, configuration: Configuration, *, per_group: int = 1) -> None:
        """Start slurmctld and, of each group, some nodes.

        :raises Refused: with what Slurm says.
        """
        self.stop()
        self.configuration = configuration
        self._write(configuration)
        if configuration.accounting:
            self._start_database()
        started = self.run(_START_SLURMCTLD)
        if started.status:
            raise Refused(started.text)
        if configuration.accounts:
            self.make_accounts()
        if per_group:
            self._start_nodes(per_group)

    def said_at_start(self, configuration: Configuration) -> str:
        """What slurmctld says in its first seconds; it waits a minute for some missing files."""
        self.stop()
        self._write(configuration)
        return self.run(
            "timeout --signal KILL 5 slurmctld -D -i 2>&1; cat /var/log/slurm/slurmctld.log"
        ).text

    def stop(self) -> None:
        self.run(_STOP)
        self.running = []

    def run(self, script: str, seconds: float = PATIENCE) -> Run:
        """A script as root."""
        return self._machine.run(HEAD, script, seconds=seconds)

    def ask(self, script: str, seconds: float = PATIENCE) -> str:
        """What a script that succeeds says to root."""
        run = self.run(script, seconds)
        assert run.status == 0, f"{script}\n{run.text}"
        return run.text

    def as_user(self, script: str, user: str = "alice", seconds: float = PATIENCE) -> Run:
        environment = {"USER": user, "HOME": "/tmp"}
        script = f"cd /fsx\n{script}"
        return self._machine.run(
            HEAD, script, user=USERS[user], environment=environment, seconds=seconds
        )

    def put(self, path: str, content: str, mode: int = 0o644) -> None:
        self._machine.put(HEAD, path, content, mode)

    def read(self, path: str) -> str:
        return self._machine.read(HEAD, path)

    def wait(self, script: str, expected: str) -> str:
        """The output of a script once the pattern `expected` is in it."""
        return until_said(lambda: self.run(script).text, expected, script)

    def wait_for_job(self, job: str, state: str, reason: str = "") -> None:
        """Wait until a job is in a state, for a reason that a pattern describes."""
        self.wait(f"squeue --noheader --jobs {job} --format '%T %r'", f"^{state} .*{reason}")

    def nodes_of(self, group: str) -> list[str]:
        """The nodes of a group that run slurmd, or the first one if none do."""
        names = [each.name for each in self.configuration.nodes if each.group == group]
        running = [node for node in self.running if node.rpartition("-")[0] in names]
        return running or [f"{name}-1" for name in names[:1]]

    def size_of(self, group: NodeGroup) -> int:
        return group.max

    def make_accounts(self) -> None:
        """What the head node of ParallelCluster and PCS's login nodes do when they start."""
        self.wait("sacctmgr -n list cluster format=cluster", "cluster")
        self.put("/rig/accounts.sh", self.configuration.accounts)
        self.put("/rig/accounts.tsv", self.configuration.accounts_table)
        self.ask("bash /rig/accounts.sh /rig/accounts.tsv")

    def complaints(self) -> list[str]:
        """What the daemons log about their configuration and each other."""
        logs = self.run("cat /var/log/slurm/start /var/log/slurm/*.log").text
        return noise.complaints(logs)

    def _write(self, given: Configuration) -> None:
        ports = FIRST_PORT
        nodes = []
        for each in given.nodes:
            nodes.append(_node_line(each, ports))
            ports += each.count
        self.put("/etc/slurm/slurm.conf", text(given.cluster, lines(_RIG), nodes, given.partitions))
        self.put("/etc/slurm/gres.conf", text(given.gres))
        self.put("/etc/slurm/cgroup.conf", text(["CgroupPlugin=disabled"], given.cgroup))
        if given.topology:
            self.put("/etc/slurm/topology.conf", text(given.topology))
        for path, program in given.programs.items():
            self.put(path, program, 0o755)

    def _start_database(self) -> None:
        if not self._databases:
            mariadb.add(self._machine, DATABASE)
            mariadb.give_client(self._machine, HEAD)
        self._databases += 1
        place = f"StorageLoc=accounting{self._databases}"
        written = text(lines(_SLURMDBD), [place], self.configuration.slurmdbd)
        self.put("/etc/slurm/slurmdbd.conf", written)
        if self.run(_START_SLURMDBD).status:
            raise Refused(self.read("/var/log/slurm/slurmdbd.log"))

    def _start_nodes(self, per_group: int) -> None:
        started = [
            f"{each.name}-{number}"
            for each in self.configuration.nodes
            for number in range(1, 1 + min(per_group, each.count))
        ]
        absent = [
            f"{each.name}-[{1 + per_group}-{each.count}]"
            for each in self.configuration.nodes
            if each.count > per_group
        ]
        script = "".join(_START_SLURMD.format(name=name) for name in started)
        if absent:
            script += f"scontrol update nodename={','.join(absent)} state=down reason=absent\n"
        self.ask(script)
        self.running = started
        states = "sinfo -h -N -o '%N %T: %E' -n " + ",".join(started) + " | sort -u"
        idle = "\n".join(f"{name} idle: none" for name in sorted(started))
        self.wait(states, f"^{re.escape(idle)}$")


# Nodes have the name and /tmp of their own; devices, /run and file systems are the machine's.
_START_SLURMD = """
mkdir -p /var/spool/slurmd/{name}
unshare --uts --mount bash -c '
  hostname {name}; mount -t tmpfs -o mode=1777 tmpfs /tmp; exec slurmd -N {name}' || exit
"""


def _node_line(nodes: Nodes, port: int) -> str:
    place = f"NodeHostname={HEAD} NodeAddr={ADDRESS} Port=[{port}-{port + nodes.count - 1}]"
    words = " ".join(f"{key}={value}" for key, value in nodes.words.items())
    return f"NodeName={nodes.all} {place} {words}"


_PLAIN = Configuration(
    cluster=(
        "SelectType=select/cons_tres",
        "AccountingStorageType=accounting_storage/slurmdbd",
        f"AccountingStorageHost={HEAD}",
    ),
    nodes=(Nodes("plain", "plain", 1, instance_type("m7i.4xlarge"), {"CPUs": "1"}),),
    partitions=("PartitionName=plain Nodes=ALL Default=YES State=UP",),
    accounting=True,
)


def _failure(version: str) -> str:
    """Why Slurm of `version` does not run a job with a configuration that is not ours."""
    with _machine(version) as made:
        said = made.run("slurmctld -V").text.strip()
        if f" {version}." not in f"{said}.":
            return f"Debian's {debian.SUITES[version]} has {said or 'no Slurm'}, not {version}"
        try:
            made.start(_PLAIN)
            made.ask("srun hostname")
        except (Refused, AssertionError) as failed:
            last = (str(failed).splitlines() or ["it does not start"])[-1]
            return f"{said} of Debian's {debian.SUITES[version]}: {noise.without_time(last)}"
    return ""


def root(version: str) -> Path:
    """The root file system with Slurm of `version`, which has run a job; see `control`."""
    control.need(_failure, version)
    return debian.root(version)


@contextmanager
def cluster(version: str, *, gpus: int = 8) -> Iterator[Cluster]:
    """A machine with Slurm of `version`."""
    root(version)
    with _machine(version, gpus) as made:
        yield made


@contextmanager
def _machine(version: str, gpus: int = 8) -> Iterator[Cluster]:
    with node_network(debian.root(version)) as made:
        made.name_hosts({HEAD: ADDRESS, mariadb.NAME: DATABASE})
        made.add(HEAD, ADDRESS, gpus)
        made.run(HEAD, _PREPARE)
        users = "".join(f"{name}:x:{uid}:{uid}::/tmp:/bin/bash\n" for name, uid in USERS.items())
        groups = "".join(f"{name}:x:{uid}:\n" for name, uid in USERS.items())
        for path, more in (("/etc/passwd", users), ("/etc/group", groups)):
            made.put(HEAD, path, made.read(HEAD, path) + more)
        yield Cluster(made, version)
