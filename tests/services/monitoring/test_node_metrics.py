"""The script that nodes run, on files of a machine and with fakes of the programs it asks."""

import ast
import functools
import importlib.util
import itertools
import os
import re
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from clustergen.services.monitoring.files import node_metrics
from tests.services.monitoring.exporters import Machine, program, write
from tests.services.monitoring.live import process
from tests.services.monitoring.script import installed, printed, samples, with_programs
from tests.support import prometheus
from tests.support.checking import Fragments
from tests.support.tiers import needs
from tests.support.waiting import PATIENCE, own_port, until

MEASURED = "monitoring: {metrics: managed-prometheus}\n"
MOUNTS = """\
/dev/nvme0n1p1 / xfs rw 0 0
10.0.0.9@tcp:/abc /fsx lustre rw 0 0
systemd-1 /home autofs rw 0 0
s3 /with\\040space fuse rw 0 0
"""


Run = Callable[..., Mapping[str, str]]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return installed(tmp_path)


@pytest.fixture
def run(script: Path, tmp_path: Path) -> Run:
    """The script on a machine whose kernel shows nothing."""
    return functools.partial(printed, script, "--sys", tmp_path, "--proc", tmp_path)


def test_python_of_the_nodes_can_read_it() -> None:
    """Amazon Linux 2023 has Python 3.9."""
    ast.parse(node_metrics(), feature_version=(3, 9))


def test_a_machine_with_efa_and_lustre(script: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "node")
    found = printed(
        script,
        *("--sys", machine.sys, "--proc", tmp_path, "--lnetctl", machine.lnetctl),
        *("--lustre-targets", "--gpus", "8", "--efa", "2"),
        *("--group", "h200", "--instance-type", "p5en.48xlarge"),
    )
    assert found["clustergen_expected_gpus"] == "8"
    assert found["clustergen_expected_efa"] == "2"
    info = 'role="compute",group="h200",instance_type="p5en.48xlarge"'
    assert found[f"clustergen_node_info{{{info}}}"] == "1"
    devices = set(re.findall(r'node_amazonefa_tx_pkts\{device="(\w+)"', str(dict(found))))
    assert devices == {"rdmap0", "rdmap1"}
    ost = 'filesystem="fsx",target="OST0001"'
    assert found[f"clustergen_lustre_target_free_bytes{{{ost}}}"] == str(100 * 1024)
    assert found[f"clustergen_lustre_target_size_bytes{{{ost}}}"] == str(1000 * 1024)
    assert found['clustergen_lnet_sent_messages_total{net="tcp"}'] == "7"
    assert 'clustergen_lnet_sent_messages_total{net="lo"}' not in found


@pytest.mark.parametrize(("devices", "missing"), [(16, "0"), (15, "1"), (0, "16")])
def test_neuron_devices(run: Run, tmp_path: Path, devices: int, missing: str) -> None:
    for number in range(devices):
        write(tmp_path / f"dev/neuron{number}", "")
    write(tmp_path / "dev/neuron_something", "")
    places = ("--dev", tmp_path / "dev")
    assert run("--neuron", "16", *places)["clustergen_missing_neuron"] == missing
    assert "clustergen_missing_neuron" not in run(*places)


def test_a_machine_without_any_of_it(run: Run) -> None:
    assert run() == {'clustergen_node_info{role="compute"}': "1"}


def test_what_is_mounted(script: Path, tmp_path: Path) -> None:
    table = MOUNTS.replace("/fsx", str(tmp_path)).replace("/with\\040", f"{tmp_path}/with\\040")
    (tmp_path / "with space").mkdir()
    write(tmp_path / "proc/1/mounts", table)
    where = [*map(str, (tmp_path, "/home", f"{tmp_path}/with space", "/nowhere"))]
    places = ("--sys", tmp_path, "--proc", tmp_path / "proc", "--mounts", ":".join(where))
    found = printed(script, *places)
    present = [found[f'clustergen_mount_present{{mountpoint="{mount}"}}'] for mount in where]
    assert present == ["1", "0", "1", "0"]
    of_mount = f'clustergen_mount_{{}}{{{{mountpoint="{tmp_path}"}}}}'.format
    assert found[of_mount("answers")] == "1"
    assert 0 < int(found[of_mount("free_bytes")]) < int(found[of_mount("size_bytes")])


@contextmanager
def listening(script: Path, folder: Path, *arguments: str | Path) -> Iterator[int]:
    """The port of the script, which serves what it measures in a folder."""
    places = ("--proc", folder, "--sys", folder, *arguments)
    with own_port() as port:
        command = [sys.executable, str(script), *map(str, places), "--listen", f"127.0.0.1:{port}"]
        with process(command, folder / "log"):
            yield port


def replace(script: Path, old: str, new: str) -> None:
    text = script.read_text()
    assert old in text
    script.write_text(text.replace(old, new))


def test_a_mount_that_hangs_holds_up_nothing(script: Path, tmp_path: Path) -> None:
    write(tmp_path / "1/mounts", "server:/x /hangs nfs4 rw 0 0\n")
    replace(script, "MOUNT_SECONDS = 4", "MOUNT_SECONDS = 0.2")
    hangs = "answer = os.statvfs(self.path)"
    replace(script, hangs, f"time.sleep(600); {hangs}")
    with listening(script, tmp_path, "--mounts", "/hangs") as port:
        for _ in range(2):
            found = scraped(port)
            assert found['clustergen_mount_present{mountpoint="/hangs"}'] == "1"
            assert found['clustergen_mount_answers{mountpoint="/hangs"}'] == "0"


class Clock:
    """The time of the script, which only waiting moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


class Hangs:
    """A thread that never ends."""

    clock = Clock()

    def __init__(self, **_: object) -> None: ...

    def start(self) -> None: ...

    def is_alive(self) -> bool:
        return True

    def join(self, seconds: float) -> None:
        self.clock.now += seconds


def test_what_hangs_leaves_the_collector_time_for_the_answer(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the node counts as down, and the alerts of its mounts never fire."""
    script.write_text(node_metrics())
    module = imported(script)
    monkeypatch.setattr(module, "time", Hangs.clock)
    monkeypatch.setattr(module, "threading", SimpleNamespace(Thread=Hangs))
    watched = [module.Mount(path) for path in ("/fsx", "/home", "/data")]
    module.mounts(module.Metrics(), watched, script.parent)
    # Beside mounts, lnetctl and chronyc may wait.
    waits = Hangs.clock.now + 2 * module.COMMAND_SECONDS
    # Their time runs while mounts are asked.
    assert 0 < module.FIRST_ANSWER_SECONDS < module.MOUNT_SECONDS
    text = Fragments("pcs").files(MEASURED)["scripts/monitoring.sh"]
    [limit] = re.findall(r"scrape_timeout: (\d+)s", text)
    assert 0 < waits < int(limit)


def imported(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("node_metrics", script)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["node_metrics"] = module
    spec.loader.exec_module(module)
    return module


def scraped(port: int) -> Mapping[str, str]:
    def answered() -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                return str(answer.read().decode())
        except OSError:
            return ""

    return samples(until(answered, bool, f"port {port} answers"))


def test_an_idle_connection_holds_up_nothing_and_ends(script: Path, tmp_path: Path) -> None:
    replace(script, "IDLE_SECONDS = 5\n", "IDLE_SECONDS = 0.5\n")
    with listening(script, tmp_path) as port:
        scraped(port)
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as idle:
            url = f"http://127.0.0.1:{port}/metrics"
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                assert answer.status == 200
            assert idle.recv(1) == b""


def test_requests_at_the_same_time_share_an_answer(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else they would change the state of mounts under each other, or wait in a row."""
    module = imported(script)
    node = module.Node(module.arguments([]))
    answers, go_on, asked = itertools.count(1), threading.Event(), []

    def monotonic() -> int:
        asked.append(1)
        return len(asked)

    def text() -> str:
        assert go_on.wait(PATIENCE)
        return f"answer {next(answers)}"

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=monotonic))
    monkeypatch.setattr(node, "text", text)
    with ThreadPoolExecutor(3) as pool:
        requests = [pool.submit(node.shared) for _ in range(3)]
        until(lambda: len(asked) == 3, bool, "three requests have begun")
        go_on.set()
        assert {request.result() for request in requests} == {"answer 1"}
    assert node.shared() == "answer 2"


def of_reservations(folder: Path, *ids: str) -> tuple[str | Path, ...]:
    return ("--seen", folder / "seen", "--reservations", ",".join(ids), "--region", "eu")


def test_ec2_forgets_a_reservation(run: Run, tmp_path: Path) -> None:
    """It rejects a call with an id that it does not know, whatever else the call asks for."""
    aws = Machine(tmp_path / "node").aws
    error = "An error occurred (InvalidCapacityReservationId.NotFound) when calling it: no cr-1"
    answer = f'case "$*" in *cr-1*) echo "{error}" >&2; exit 254;; esac; {aws}'
    forgets = program(tmp_path / "forgets", answer)

    def active_and_failed(aws: Path) -> tuple[str, ...]:
        found = run(*of_reservations(tmp_path, "cr-1", "cr-2"), "--aws", aws)
        active = (found[f'clustergen_reservation_active{{reservation="cr-{n}"}}'] for n in (1, 2))
        return (*active, found["clustergen_reservation_lookup_failed"])

    assert active_and_failed(forgets) == ("0", "1", "1")  # a wrong id, or one that is not shared
    assert active_and_failed(aws) == ("1", "1", "0")
    assert active_and_failed(forgets) == ("0", "1", "0")  # also after a reboot


def test_a_reservation(run: Run, tmp_path: Path) -> None:
    arguments = of_reservations(tmp_path, "cr-1")
    found = run(*arguments, "--aws", Machine(tmp_path / "node").aws)
    of_block = 'clustergen_reservation_{}{{reservation="cr-1"}}'.format
    assert found[of_block("total_instances")] == "4"
    assert found[of_block("available_instances")] == "1"
    assert found[of_block("end_seconds")] == "4070950200"
    assert found["clustergen_reservation_lookup_failed"] == "0"
    found = run(*arguments, "--aws", program(tmp_path / "denied", "exit 254"))
    assert found["clustergen_reservation_lookup_failed"] == "1"
    assert not any("instances" in series for series in found)


@pytest.mark.parametrize(
    ("state", "start", "end", "active"),
    [
        ("active", -3600, 7200, True),
        ("active", -3600, None, True),
        ("active", -60, 7200, False),  # nodes boot
        ("active", -3600, 3000, False),  # EC2 begins to end them
        ("scheduled", 3600, 7200, False),
        ("expired", -7200, -60, False),
    ],
)
def test_when_the_nodes_of_a_block_are_due(
    script: Path, state: str, start: int, end: int | None, *, active: bool
) -> None:
    def at(seconds: int) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() + seconds))

    block = {"State": state, "StartDate": at(start), **({"EndDate": at(end)} if end else {})}
    assert imported(script).is_active(block) is active


def test_a_slow_answer_holds_up_nothing_and_is_kept(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = imported(script)
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    answers = iter(([1], None, [3]))
    known = module.Background(lambda: next(answers), every=15, patience=2)

    def latest() -> tuple[object, bool, float]:
        found = known.latest()
        known.thread.join()
        return found, known.failed, known.age

    assert latest() == ([1], False, 0)  # the first one is waited for
    clock.now = 14
    assert latest() == ([1], False, 14)
    clock.now = 15
    assert latest() == ([1], True, 15)  # no answer: the last one is older
    clock.now = 30
    latest()
    assert latest() == ([3], False, 0)


def test_commands_of_slurm_run_at_the_same_time(run: Run, tmp_path: Path) -> None:
    """Each waits until all have begun: one after the other would wait forever."""
    folder = tmp_path / "bin"
    for name, text in (("sinfo", "n1 idle train"), ("squeue", "train|RUNNING"), ("sdiag", "")):
        wait = "until [ $(ls started | wc -l) = 3 ]; do sleep 0.02; done"
        program(folder / name, f"cd {tmp_path}; mkdir -p started/{name}; {wait}; echo '{text}'")
    found = run("--slurm", path=folder)
    assert (found["slurm_nodes"], found["slurm_jobs_running"]) == ("1", "1")
    assert 0 <= float(found["clustergen_slurm_age_seconds"]) < 60


def test_without_an_answer_about_jobs_there_are_none(run: Run, tmp_path: Path) -> None:
    folder = with_programs(tmp_path / "bin", sinfo="n1 idle train\n", squeue="", sdiag="")
    assert run("--slurm", path=folder)["slurm_jobs_pending"] == "0"
    program(folder / "squeue", "exit 1")
    assert "slurm_jobs_pending" not in run("--slurm", path=folder)


def test_slurm_without_nodes_has_an_answer(run: Run, tmp_path: Path) -> None:
    """Before all capacity starts, and after it ends: the controller is not absent."""
    path = with_programs(tmp_path / "bin", sinfo="", squeue="train|PENDING\n", sdiag="")
    found = run("--slurm", path=path)
    assert (found["slurm_nodes"], found["slurm_jobs_pending"]) == ("0", "1")


def test_only_nodes_of_the_queues_count(run: Run, tmp_path: Path) -> None:
    """HyperPod's own partition can have login nodes, which are not measured as compute nodes.

    sinfo fails with both options at once.
    """
    path = with_programs(tmp_path / "bin", squeue="", sdiag="")
    login = "case $* in *--partition=train,tune*) ;; *) echo login idle dev ;; esac"
    both = "case $* in *--all*--partition* | *--partition*--all*) exit 1 ;; esac"
    program(path / "sinfo", f"{both}; {login}; echo n1 idle train")
    for more, nodes in (((), "2"), (("--partitions", "train,tune"), "1")):
        assert run("--slurm", *more, path=path)["slurm_nodes"] == nodes


def test_only_jobs_of_the_queues_count_in_a_cluster_of_others(run: Run, tmp_path: Path) -> None:
    path = with_programs(tmp_path / "bin", sinfo="n1 idle train\n", sdiag="")
    theirs = "case $* in *--partition=train,tune*) ;; *--all*) echo 'theirs|PENDING' ;; esac"
    program(path / "squeue", f"{theirs}; echo 'train|RUNNING'")
    arguments = ("--slurm", "--partitions", "train", "--partitions", "tune")
    for more, pending in (((), "1"), (("--own-jobs",), "0")):
        assert run(*arguments, *more, path=path)["slurm_jobs_pending"] == pending


def test_a_file_for_a_collector(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "metrics" / "node.prom"
    assert run("--out", out, "--once") == {}
    assert samples(out.read_text()) == {'clustergen_node_info{role="compute"}': "1"}
    assert list(out.parent.iterdir()) == [out]


SINFO = """\
n1 allocated train
n1 allocated small
n2 mixed train
n3 idle+cloud+powered_down small
n4 idle+drain+not_responding small
n5 allocated+drain train
n6 down+not_responding train
n7 idle+cloud+not_responding+powering_up train
"""


COUNTED = samples("""\
nodes 7\nnodes_alloc 2\nnodes_mixed 1\nnodes_idle 3\nnodes_powered_down 1\nnodes_powering_up 1
nodes_drain 2\nnodes_drained 1\nnodes_draining 1\nnodes_down 1\nnodes_noresp 3
jobs_running 2\njobs_pending 1\njobs_node_failed 1\nslurmdbd_queue_size 12
partition_jobs{partition="train"} 2\npartition_jobs{partition="small"} 2
partition_jobs_pending{partition="train"} 1\npartition_jobs_pending{partition="small"} 1
partition_nodes_idle{partition="train"} 1\npartition_nodes_idle{partition="small"} 2
partition_nodes_powered_down{partition="small"} 1\npartition_nodes_drained{partition="small"} 1
""")


def test_slurm_without_an_endpoint(run: Run, tmp_path: Path) -> None:
    jobs = "train|RUNNING\ntrain,small|PENDING\ntrain|NODE_FAIL\nsmall|RUNNING\n"
    sdiag = "Server thread count:  1\nAgent queue size:     0\nDBD Agent queue size: 12\n"
    path = with_programs(tmp_path / "bin", sinfo=SINFO, squeue=jobs, sdiag=sdiag)
    found = run("--slurm", path=path)
    counts = {series[6:]: value for series, value in found.items() if series.startswith("slurm_")}
    assert (counts["nodes_fail"], counts["jobs_failed"]) == ("0", "0")
    assert {name: value for name, value in counts.items() if value != "0"} == COUNTED


def test_a_controller_that_is_silent_has_no_metrics(run: Run, tmp_path: Path) -> None:
    for name in ("sinfo", "squeue", "sdiag"):
        program(tmp_path / f"bin/{name}", "exit 1")
    found = run("--slurm", path=tmp_path / "bin")
    assert not any(series.startswith("slurm_") for series in found)


@needs(prometheus.impossible)
def test_the_host_as_node_exporter_has_it(script: Path, tmp_path: Path) -> None:
    """The same names, labels and values as the original, but for the average of the CPUs."""
    with own_port() as port:
        address = f"--web.listen-address=127.0.0.1:{port}"
        command = prometheus.program("prometheus-node-exporter", address)
        with process(command, tmp_path / "log"):
            # Between two answers, other programs take memory and time.
            until(
                lambda: list(differing(printed(script, "--host"), scraped(port))),
                lambda found: not found,
                "the values are the same",
            )


def test_the_root_volume_is_that_of_the_node(script: Path) -> None:
    """The root of a container may be on local disks; what the option names here has no size."""
    [size] = [
        value
        for series, value in printed(script, "--host", "--root", "/proc").items()
        if series.startswith('node_filesystem_size_bytes{mountpoint="/"')
    ]
    assert size == "0"


def differing(ours: Mapping[str, str], original: Mapping[str, str]) -> Iterator[str]:
    for series, value in ours.items():
        if not series.startswith(("node_memory", "node_filesystem", "node_load", "node_vmstat")):
            continue
        name, _, labels = series.partition("{")
        wanted = set(labels.rstrip("}").split(",")) - {""}
        same = [
            float(theirs)
            for key, theirs in original.items()
            if key.partition("{")[0] == name and wanted <= set(re.findall(r'\w+="[^"]*"', key))
        ]
        assert len(same) == 1, series
        if "load" not in name and float(value) != pytest.approx(same[0], rel=0.1):
            yield f"{series}: {value}, not {same[0]}"
    idle = 'node_cpu_seconds_total{cpu="%s",mode="idle"}'
    cpus = [float(original[idle % cpu]) for cpu in range(os.cpu_count() or 1)]
    if float(ours[idle % "average"]) != pytest.approx(sum(cpus) / len(cpus), rel=0.05):
        yield f"idle: {ours[idle % 'average']}, not {cpus}"
