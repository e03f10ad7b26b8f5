#!/usr/bin/env python3
"""Metrics of a node, for Prometheus: EFA devices, file systems, what the node should have.

With --host also the host metrics that rules and dashboards read, by the names of node_exporter;
with --slurm the states of nodes and jobs, by the names of slurmctld's own endpoint, for versions of
Slurm without one. Only Python's standard library (3.9 or later): nodes download nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

# Collectors give up on a node after 10 seconds, and then have none of its metrics: what hangs must
# take less, so that its own alert fires.
MOUNT_SECONDS = 4
COMMAND_SECONDS = 2
# Connections that send or read nothing end after this time.
IDLE_SECONDS = 5
# What takes longer is asked in the background. A scrape waits for its first answer only.
FIRST_ANSWER_SECONDS = 2
SLURM_SECONDS = 60
SLURM_EVERY_SECONDS = 15
SLURM_OLD_SECONDS = 300
RESERVATION_SECONDS = 60
RESERVATION_EVERY_SECONDS = 300
# EC2 ends instances up to 60 minutes before the end of a Capacity Block:
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html
BLOCK_STARTS_SECONDS = 1800
BLOCK_ENDS_SECONDS = 3600
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
UNKNOWN_RESERVATION = "InvalidCapacityReservationId.NotFound"
TICKS = os.sysconf("SC_CLK_TCK")


class Metrics:
    """Samples by metric, in Prometheus's text format."""

    def __init__(self, *, typed: bool = False) -> None:
        self.typed = typed
        self.samples: dict[tuple[str, str], list[str]] = {}

    def add(self, name: str, kind: str, value: object, **labels: object) -> None:
        text = ",".join(f'{key}="{escaped(val)}"' for key, val in labels.items() if val is not None)
        line = f"{name}{{{text}}} {value}" if text else f"{name} {value}"
        self.samples.setdefault((name, kind), []).append(line)

    def gauge(self, name: str, value: object, **labels: object) -> None:
        self.add(name, "gauge", value, **labels)

    def counter(self, name: str, value: object, **labels: object) -> None:
        # CloudWatch's agent adds _total to the name of a counter without it when it writes to a
        # workspace. When it writes to CloudWatch, only a counter becomes the increase of a period.
        typed = self.typed or name.endswith("_total")
        self.add(name, "counter" if typed else "gauge", value, **labels)

    def text(self) -> str:
        families = self.samples.items()
        blocks = (f"# TYPE {name} {kind}\n" + "\n".join(lines) for (name, kind), lines in families)
        return "\n".join(blocks) + "\n"


def escaped(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def completed(*command: str, seconds: float) -> subprocess.CompletedProcess[str] | None:
    """None if the command is not there or takes too long."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None


def output(*command: str, seconds: float = COMMAND_SECONDS) -> str | None:
    """What a command prints; None if it fails or takes too long."""
    ran = completed(*command, seconds=seconds)
    return ran.stdout if ran and ran.returncode == 0 else None


class Background:
    """Asks what may take long in a thread, and keeps the last answer; None is no answer."""

    def __init__(self, ask: Callable[[], Any], every: float, patience: float) -> None:
        self.ask, self.every, self.patience = ask, every, patience
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.asked: float | None = None
        self.answered: float | None = None
        self.answer: Any = None
        self.failed = False

    def begin(self) -> None:
        """Ask again if it is time, unless an earlier question is still open."""
        now = time.monotonic()
        if self.thread.is_alive() or (self.asked is not None and now - self.asked < self.every):
            return
        self.asked = now
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def latest(self) -> Any:
        """The last answer; the first one is waited for."""
        self.begin()
        if self.answered is None and self.asked is not None:
            self.thread.join(max(0, self.asked + self.patience - time.monotonic()))
        return self.answer

    def _run(self) -> None:
        answer = self.ask()
        self.failed = answer is None
        if answer is not None:
            self.answer, self.answered = answer, time.monotonic()

    @property
    def age(self) -> float:
        """Seconds since the last answer."""
        return float("inf") if self.answered is None else time.monotonic() - self.answered


def number(path: Path) -> int | None:
    """The number in a file of the kernel; None if there is none."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


# ---- EFA

# Of 22 or more: each is a series for every device, and a node may have 32.
EFA_COUNTERS = (
    "tx_bytes",
    "tx_pkts",
    "rx_bytes",
    "rx_drops",
    "rdma_read_bytes",
    "rdma_read_wr_err",
    "rdma_write_bytes",
    "rdma_write_wr_err",
    "retrans_pkts",
    "retrans_timeout_events",
    "impaired_remote_conn_events",
    "unresponsive_remote_events",
)


def efa(metrics: Metrics, sys_root: Path) -> None:
    for device in sorted((sys_root / "class/infiniband").glob("*")):
        if not is_efa(device):
            continue
        for port in sorted(device.glob("ports/*")):
            for name in EFA_COUNTERS:
                value = number(port / "hw_counters" / name)
                if value is not None:
                    labels = {"device": device.name, "port": port.name}
                    metrics.counter(f"node_amazonefa_{name}", value, **labels)


def is_efa(device: Path) -> bool:
    """Amazon's PCI vendor id; other InfiniBand devices have other counters."""
    try:
        return (device / "device/vendor").read_text().strip() == "0x1d0f"
    except OSError:
        return False


# ---- What the node should have


def expected(metrics: Metrics, options: argparse.Namespace) -> None:
    if options.unfinished is not None:
        folder = options.unfinished
        count = len(list(folder.iterdir())) if folder.is_dir() else 0
        metrics.gauge("clustergen_unfinished_steps", count)
    if options.gpus is not None:
        metrics.gauge("clustergen_expected_gpus", options.gpus)
    if options.efa is not None:
        metrics.gauge("clustergen_expected_efa", options.efa)
    if options.neuron is not None:
        found = len(list(options.dev.glob("neuron[0-9]*")))
        metrics.gauge("clustergen_missing_neuron", options.neuron - found)
    if options.lustre_efa is not None:
        metrics.gauge("clustergen_expected_lustre_efa", options.lustre_efa)
    metrics.gauge(
        "clustergen_node_info",
        1,
        role=options.role,
        group=options.group,
        instance_type=options.instance_type,
    )


# ---- File systems


class Mount:
    """A file system that is asked in a thread: one that hangs would never return."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.thread: threading.Thread | None = None
        self.usage: tuple[int, int] | None = None

    def ask(self) -> threading.Thread:
        """Ask for size and free bytes, unless an earlier question is still open."""
        if self.thread is None or not self.thread.is_alive():
            self.usage = None
            self.thread = threading.Thread(target=self._ask, daemon=True)
            self.thread.start()
        return self.thread

    def _ask(self) -> None:
        try:
            answer = os.statvfs(self.path)
        except OSError:
            return
        self.usage = answer.f_blocks * answer.f_frsize, answer.f_bavail * answer.f_frsize


def answers(watched: list[Mount]) -> list[tuple[int, int] | None]:
    """Size and free bytes of each; None if it does not answer. All have the same time."""
    end = time.monotonic() + MOUNT_SECONDS
    asked = [mount.ask() for mount in watched]
    for thread in asked:
        thread.join(max(0, end - time.monotonic()))
    return [None if thread.is_alive() else mount.usage for mount, thread in zip(watched, asked)]


def mounts(metrics: Metrics, watched: list[Mount], proc_root: Path) -> None:
    # An automount mounts when it is asked, so the table is read afterwards.
    usages = answers(watched)
    types = {fields[1]: fields[2] for fields in mount_table(proc_root)}
    for mount, usage in zip(watched, usages):
        there = types.get(mount.path, "autofs") != "autofs"
        metrics.gauge("clustergen_mount_present", int(there), mountpoint=mount.path)
        if not there:
            continue
        metrics.gauge("clustergen_mount_answers", int(usage is not None), mountpoint=mount.path)
        if usage:
            metrics.gauge("clustergen_mount_size_bytes", usage[0], mountpoint=mount.path)
            metrics.gauge("clustergen_mount_free_bytes", usage[1], mountpoint=mount.path)


def mount_table(proc_root: Path) -> Iterator[list[str]]:
    """Lines of the mounts of process 1, which are the node's also in a container."""
    try:
        lines = (proc_root / "1/mounts").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        fields = line.split()
        if len(fields) > 2:
            yield [field.replace("\\040", " ") for field in fields]


def lustre(metrics: Metrics, options: argparse.Namespace) -> None:
    """Storage targets as the client knows them, where asked for, and messages by network."""
    roots = (options.sys, options.proc)
    clients = [client for root in roots for client in root.glob("fs/lustre/osc/*-OST*")]
    if options.lustre_targets:
        targets(metrics, clients)
    if clients:
        messages(metrics, output(options.lnetctl, "net", "show", "--verbose") or "")


def targets(metrics: Metrics, clients: list[Path]) -> None:
    for client in clients:
        found = re.match(r"(?P<fs>.+)-(?P<ost>OST[0-9a-fA-F]+)-osc", client.name)
        total, free = number(client / "kbytestotal"), number(client / "kbytesavail")
        if not found or total is None or free is None:
            continue
        labels = {"filesystem": found["fs"], "target": found["ost"]}
        metrics.gauge("clustergen_lustre_target_size_bytes", total * 1024, **labels)
        metrics.gauge("clustergen_lustre_target_free_bytes", free * 1024, **labels)


def messages(metrics: Metrics, shown: str) -> None:
    """Sent and received messages of ``lnetctl net show --verbose``, a sum for each network."""
    totals: Counter[tuple[str, str]] = Counter()
    net = ""
    for line in shown.splitlines():
        key, _, value = (part.strip() for part in line.strip().lstrip("- ").partition(":"))
        if key == "net type":
            net = value.rstrip("0123456789")
        elif key in ("send_count", "recv_count") and net and net != "lo":
            totals[net, key] += int(value)
    for (network, key), count in totals.items():
        what = {"send_count": "sent", "recv_count": "received"}[key]
        metrics.counter(f"clustergen_lnet_{what}_messages_total", count, net=network)


# ---- Reservations


class Reservation:
    """What EC2 says of one, asked every few minutes: the call is rate limited.

    Each has a call of its own: EC2 rejects one that has an id it does not know.
    """

    def __init__(self, id: str, options: argparse.Namespace, patience: float) -> None:
        self.id = id
        self.command = [options.aws, "ec2", "describe-capacity-reservations", "--output", "json"]
        self.command += ["--region", options.region, "--capacity-reservation-ids", id]
        self.seen = options.seen / id
        self.known = Background(self._ask, RESERVATION_EVERY_SECONDS, patience)

    def _ask(self) -> dict[str, Any] | None:
        """Empty if EC2 does not know it, None without an answer."""
        ran = completed(*self.command, seconds=RESERVATION_SECONDS)
        if ran and UNKNOWN_RESERVATION in ran.stderr:
            return {}
        if not ran or ran.returncode:
            return None
        found: dict[str, Any] = json.loads(ran.stdout)["CapacityReservations"][0]
        self._remember()
        return found

    def _remember(self) -> None:
        """In a file: EC2 forgets reservations that ended, and nodes reboot."""
        with contextlib.suppress(OSError):
            self.seen.parent.mkdir(parents=True, exist_ok=True)
            self.seen.touch()

    @property
    def failed(self) -> bool:
        """Whether nobody can tell: an id that EC2 never knew is a wrong one, or is not shared."""
        return self.known.failed or (self.known.answer == {} and not self.seen.exists())

    def write(self, metrics: Metrics) -> None:
        """Old numbers are better than none; that they are old is a metric too."""
        answer = self.known.latest()
        if answer is None:
            return
        active = bool(answer) and is_active(answer)
        metrics.gauge("clustergen_reservation_active", int(active), reservation=self.id)
        if answer:
            self._counts(metrics, answer)

    def _counts(self, metrics: Metrics, answer: dict[str, Any]) -> None:
        for what in ("Total", "Available"):
            count = answer.get(f"{what}InstanceCount", 0)
            metric = f"clustergen_reservation_{what.lower()}_instances"
            metrics.gauge(metric, count, reservation=self.id)
        if end := answer.get("EndDate"):
            seconds = int(timestamp(end))
            metrics.gauge("clustergen_reservation_end_seconds", seconds, reservation=self.id)


def is_active(reservation: dict[str, Any]) -> bool:
    """Whether its nodes should be there: it has begun, they had time to boot, it does not end."""
    now, start, end = time.time(), reservation.get("StartDate"), reservation.get("EndDate")
    begun = not start or now >= timestamp(start) + BLOCK_STARTS_SECONDS
    ends = end and now >= timestamp(end) - BLOCK_ENDS_SECONDS
    return reservation.get("State", "active") == "active" and bool(begun) and not ends


def timestamp(text: str) -> float:
    """Seconds of an ISO 8601 time; ``fromisoformat`` reads a Z from Python 3.11 on only."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


# ---- Host


def host(metrics: Metrics, proc_root: Path, root_volume: Path) -> None:
    cpu(metrics, proc_root)
    memory(metrics, proc_root)
    root = os.statvfs(root_volume)
    labels = {"mountpoint": "/", "fstype": root_type(proc_root)}
    metrics.gauge("node_filesystem_size_bytes", root.f_blocks * root.f_frsize, **labels)
    metrics.gauge("node_filesystem_avail_bytes", root.f_bavail * root.f_frsize, **labels)
    metrics.gauge("node_load1", (proc_root / "loadavg").read_text().split()[0])
    for line in (proc_root / "vmstat").read_text().splitlines():
        if line.startswith("oom_kill "):
            metrics.counter("node_vmstat_oom_kill", line.split()[1])
    offset = clock_offset()
    if offset is not None:
        metrics.gauge("node_timex_offset_seconds", offset)


def cpu(metrics: Metrics, proc_root: Path) -> None:
    """Seconds of an average CPU: one series for each mode, not one for each of 192 CPUs too."""
    lines = (proc_root / "stat").read_text().splitlines()
    count = sum(re.match(r"cpu\d", line) is not None for line in lines)
    modes = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    for mode, ticks in zip(modes, lines[0].split()[1:]):
        seconds = int(ticks) / TICKS / max(count, 1)
        metrics.counter("node_cpu_seconds_total", round(seconds, 2), cpu="average", mode=mode)


def memory(metrics: Metrics, proc_root: Path) -> None:
    for line in (proc_root / "meminfo").read_text().splitlines():
        name, value, *_ = line.replace(":", "").split()
        if name in ("MemTotal", "MemAvailable"):
            metrics.gauge(f"node_memory_{name}_bytes", int(value) * 1024)


def root_type(proc_root: Path) -> str:
    types = [fields[2] for fields in mount_table(proc_root) if fields[1] == "/"]
    return types[-1] if types else "unknown"


def clock_offset() -> float | None:
    """Seconds between the clock and its time server, by chrony; None without chrony."""
    fields = (output("chronyc", "-c", "tracking") or "").split(",")
    try:
        return float(fields[4])
    except (IndexError, ValueError):
        return None


# ---- Slurm without an endpoint of its own

BASE_STATES = {"allocated": "alloc", "mixed": "mixed", "idle": "idle", "down": "down"}
FLAGS = {
    "completing": "completing",
    "drain": "drain",
    "fail": "fail",
    "not_responding": "noresp",
    "powered_down": "powered_down",
    "powering_up": "powering_up",
}
JOB_STATES = {
    "PENDING": "pending",
    "RUNNING": "running",
    "FAILED": "failed",
    "NODE_FAIL": "node_failed",
    "TIMEOUT": "timeout",
    "PREEMPTED": "preempted",
    "OUT_OF_MEMORY": "outofmemory",
}
QUEUES = {
    "Agent queue size": "slurm_agent_queue_size",
    "DBD Agent queue size": "slurm_slurmdbd_queue_size",
}


SINFO = (
    "sinfo",
    "--noheader",
    "--Node",
    "--Format=NodeList:256,StateComplete:256,PartitionName:256",
)
SQUEUE = ("squeue", "--noheader", "--states=all", "--format=%P|%T")
SDIAG = ("sdiag",)


class Slurm:
    """What slurmctld says; a busy one takes longer than a scrape may."""

    def __init__(self, options: argparse.Namespace, patience: float) -> None:
        # sinfo takes one of the two; a partition that is named is shown, hidden or not.
        names = ",".join(options.partitions)
        chosen = f"--partition={names}" if names else "--all"
        self.sinfo = (*SINFO, chosen)
        self.squeue = (*SQUEUE, chosen if options.own_jobs else "--all")
        self.known = Background(self._ask, SLURM_EVERY_SECONDS, patience)

    def _ask(self) -> list[str | None] | None:
        """What the commands print, which run at the same time; None if the nodes are unknown."""
        printed: list[str | None] = [None, None, None]

        def run(place: int, command: tuple[str, ...]) -> None:
            printed[place] = output(*command, seconds=SLURM_SECONDS)

        commands = enumerate((self.sinfo, self.squeue, SDIAG))
        threads = [threading.Thread(target=run, args=one, daemon=True) for one in commands]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # Slurm may have no nodes, such as before all capacity starts: that is an answer too.
        return None if printed[0] is None else printed

    def write(self, metrics: Metrics) -> None:
        """No metrics if the answer is too old: the alert for a silent controller fires."""
        printed = self.known.latest()
        if self.known.age > SLURM_OLD_SECONDS:
            return
        metrics.gauge("clustergen_slurm_age_seconds", round(self.known.age, 1))
        nodes(metrics, printed[0])
        if printed[1] is not None:
            jobs(metrics, printed[1])
        queues(metrics, printed[2] or "")


def nodes(metrics: Metrics, shown: str) -> None:
    """A line is a node in one of its partitions."""
    lines = [line.split() for line in shown.splitlines() if line.strip()]
    found = {node: state for node, state, _ in lines}
    states = Counter(name for state in found.values() for name in node_states(state))
    metrics.gauge("slurm_nodes", len(found))
    for name in (*BASE_STATES.values(), *FLAGS.values(), "drained", "draining"):
        metrics.gauge(f"slurm_nodes_{name}", states[name])
    parts = Counter((part, name) for _, state, part in lines for name in node_states(state))
    for part in dict.fromkeys(part for _, _, part in lines):
        for name in ("idle", "powered_down", "drained"):
            metrics.gauge(f"slurm_partition_nodes_{name}", parts[part, name], partition=part)


def pairs(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        left, _, right = line.partition("|")
        yield left.strip(), right.strip()


def node_states(state: str) -> Iterator[str]:
    """What a node counts as, as slurmctld counts: ``idle+drain`` is idle, drain and drained."""
    base, *flags = state.lower().split("+")
    yield BASE_STATES.get(base, base)
    yield from (FLAGS[flag] for flag in flags if flag in FLAGS)
    if "drain" in flags:
        works = base in ("allocated", "mixed") or "completing" in flags
        yield "draining" if works else "drained"


def jobs(metrics: Metrics, shown: str) -> None:
    found = list(pairs(shown))
    states = Counter(state for _, state in found)
    for state, name in JOB_STATES.items():
        metrics.gauge(f"slurm_jobs_{name}", states[state])
    # A pending job may ask for several partitions.
    each = Counter((part, state) for names, state in found for part in names.split(","))
    for part in dict.fromkeys(part for part, _ in each):
        pending, running = each[part, "PENDING"], each[part, "RUNNING"]
        metrics.gauge("slurm_partition_jobs", pending + running, partition=part)
        metrics.gauge("slurm_partition_jobs_pending", pending, partition=part)


def queues(metrics: Metrics, shown: str) -> None:
    for line in shown.splitlines():
        key, _, value = (part.strip() for part in line.partition(":"))
        if key in QUEUES:
            metrics.gauge(QUEUES[key], value)


# ---- All of it


class Node:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.mounts = [Mount(path) for paths in options.mounts for path in paths.split(":")]
        patience = FIRST_ANSWER_SECONDS if options.listen else RESERVATION_SECONDS
        self.slurm = Slurm(options, patience) if options.slurm else None
        ids = (id for part in options.reservations for id in part.split(","))
        self.reservations = [Reservation(id, options, patience) for id in ids]
        self.lock = threading.Lock()
        self.answer, self.answered = "", 0.0

    def shared(self) -> str:
        """The text; requests that wait for the same collection share its answer."""
        asked = time.monotonic()
        with self.lock:
            if self.answered < asked:
                self.answer = self.text()
                self.answered = time.monotonic()
            return self.answer

    def text(self) -> str:
        options, metrics = self.options, Metrics(typed=self.options.typed)
        for slow in (self.slurm, *self.reservations):
            if slow:
                slow.known.begin()
        expected(metrics, options)
        efa(metrics, options.sys)
        mounts(metrics, self.mounts, options.proc)
        lustre(metrics, options)
        if options.host:
            host(metrics, options.proc, options.root)
        if self.slurm:
            self.slurm.write(metrics)
        if self.reservations:
            for reservation in self.reservations:
                reservation.write(metrics)
            failed = any(reservation.failed for reservation in self.reservations)
            metrics.gauge("clustergen_reservation_lookup_failed", int(failed))
        return metrics.text()


def serve(node: Node, address: str) -> None:
    class Handler(BaseHTTPRequestHandler):
        timeout = IDLE_SECONDS

        def do_GET(self) -> None:
            body = node.shared().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass  # one line for each scrape would fill the journal

    host_name, _, port = address.rpartition(":")
    ThreadingHTTPServer((host_name, int(port)), Handler).serve_forever()


def write(path: Path, text: str) -> None:
    """Replace the file at once: the collector never reads half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(text)
    new.chmod(0o644)
    new.replace(path)


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Metrics of a node, for Prometheus.")
    parser.add_argument("--listen", metavar="ADDRESS:PORT", help="answer Prometheus there")
    parser.add_argument("--out", type=Path, help="write this file, for a textfile collector")
    parser.add_argument("--every", type=float, default=15, help="seconds between two writes")
    parser.add_argument("--once", action="store_true", help="write once and end")
    parser.add_argument("--gpus", type=int, help="GPUs that the node should have")
    parser.add_argument("--efa", type=int, help="EFA devices that the node should have")
    parser.add_argument("--neuron", type=int, help="Neuron devices that the node should have")
    parser.add_argument("--lustre-efa", type=int, help="interfaces that Lustre should use")
    parser.add_argument(
        "--mounts", action="append", default=[], metavar="PATH:...", help="file systems to watch"
    )
    parser.add_argument(
        "--lustre-targets",
        action="store_true",
        help="free space of each storage target too; the same on every node, so one is enough",
    )
    parser.add_argument("--unfinished", type=Path, help="folder of steps of the set-up that failed")
    parser.add_argument("--role", default="compute")
    parser.add_argument("--group", help="name of the node group")
    parser.add_argument("--instance-type")
    parser.add_argument(
        "--reservations", action="append", default=[], metavar="ID,...", help="ask EC2 about them"
    )
    parser.add_argument("--region")
    parser.add_argument(
        "--seen",
        type=Path,
        default=Path("/var/lib/clustergen/reservations"),
        help="folder with a file for each reservation that EC2 once knew",
    )
    parser.add_argument("--host", action="store_true", help="host metrics too")
    parser.add_argument(
        "--typed", action="store_true", help="counters have that type, for CloudWatch"
    )
    parser.add_argument("--slurm", action="store_true", help="nodes and jobs by sinfo and squeue")
    parser.add_argument(
        "--partitions",
        action="append",
        default=[],
        metavar="NAME,...",
        help="count only their nodes",
    )
    parser.add_argument("--own-jobs", action="store_true", help="and only their jobs")
    parser.add_argument("--sys", type=Path, default=Path("/sys"))
    parser.add_argument("--dev", type=Path, default=Path("/dev"))
    parser.add_argument("--proc", type=Path, default=Path("/proc"))
    parser.add_argument(
        "--root", type=Path, default=Path("/"), help="a folder on the root volume of the node"
    )
    parser.add_argument("--lnetctl", default="lnetctl")
    parser.add_argument("--aws", default="aws")
    return parser.parse_args(words)


def main(words: list[str]) -> None:
    options = arguments(words)
    node = Node(options)
    if options.listen:
        serve(node, options.listen)
    while options.out:
        write(options.out, node.text())
        if options.once:
            return
        time.sleep(options.every)
    sys.stdout.write(node.text())


if __name__ == "__main__":
    main(sys.argv[1:])
