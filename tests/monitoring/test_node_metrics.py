"""The script that nodes run, on files of a machine and with fakes of the programs it asks."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from clustergen.monitoring.files import node_metrics
from clustergen.monitoring.names import HOST_TEXTFILE
from tests.checking import Fragments
from tests.monitoring.exporters import Machine, program, write
from tests.monitoring.live import free_port, process
from tests.monitoring.script import installed, printed, samples, with_programs
from tests.support import prometheus

MEASURED = "monitoring: {metrics: managed-prometheus}\n"
MOUNTS = """\
/dev/nvme0n1p1 / xfs rw 0 0
10.0.0.9@tcp:/abc /fsx lustre rw 0 0
systemd-1 /home autofs rw 0 0
s3 /with\\040space fuse rw 0 0
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return installed(tmp_path)


def test_python_of_the_nodes_can_read_it() -> None:
    """Amazon Linux 2023 has Python 3.9."""
    ast.parse(node_metrics(), feature_version=(3, 9))


def test_a_machine_with_efa_and_lustre(script: Path, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "node")
    found = printed(
        script,
        *("--sys", machine.sys, "--proc", tmp_path, "--lnetctl", machine.lnetctl),
        *(
            "--lustre-targets",
            "--gpus",
            "8",
            "--efa",
            "2",
            "--group",
            "h200",
            "--instance-type",
            "p5en.48xlarge",
        ),
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


def test_a_machine_without_any_of_it(script: Path, tmp_path: Path) -> None:
    found = printed(script, "--sys", tmp_path, "--proc", tmp_path)
    assert found == {'clustergen_node_info{role="compute"}': "1"}


def test_what_is_mounted(script: Path, tmp_path: Path) -> None:
    table = MOUNTS.replace("/fsx", str(tmp_path)).replace("/with\\040", f"{tmp_path}/with\\040")
    (tmp_path / "with space").mkdir()
    write(tmp_path / "proc/1/mounts", table)
    where = (tmp_path, "/home", f"{tmp_path}/with space", "/nowhere")
    found = printed(
        script,
        *("--sys", tmp_path, "--proc", tmp_path / "proc"),
        *(word for mount in where for word in ("--mount", mount)),
    )
    present = [found[f'clustergen_mount_present{{mountpoint="{mount}"}}'] for mount in where]
    assert present == ["1", "0", "1", "0"]
    assert found[f'clustergen_mount_answers{{mountpoint="{tmp_path}"}}'] == "1"
    size, free = (
        int(found[f'clustergen_mount_{what}_bytes{{mountpoint="{tmp_path}"}}'])
        for what in ("size", "free")
    )
    assert 0 < free < size


def test_a_mount_that_hangs_holds_up_nothing(script: Path, tmp_path: Path) -> None:
    write(tmp_path / "proc/1/mounts", "server:/x /hangs nfs4 rw 0 0\n")
    changed = script.read_text().replace("MOUNT_SECONDS = 4", "MOUNT_SECONDS = 0.2")
    hangs = "answer = os.statvfs(self.path)"
    assert hangs in changed
    script.write_text(changed.replace(hangs, f"time.sleep(600); {hangs}"))
    port = free_port()
    command = [sys.executable, str(script), "--listen", f"127.0.0.1:{port}", "--mount", "/hangs"]
    command += ["--proc", str(tmp_path / "proc"), "--sys", str(tmp_path)]
    with process(command, tmp_path / "log"):
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
    module = imported(script)
    monkeypatch.setattr(module, "time", Hangs.clock)
    monkeypatch.setattr(module, "threading", SimpleNamespace(Thread=Hangs))
    metrics = module.Metrics()
    watched = [module.Mount(path) for path in ("/fsx", "/home", "/data")]
    module.mounts(metrics, watched, script.parent)
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
    for _ in range(100):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                return samples(answer.read().decode())
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the script does not listen")


def of_reservations(folder: Path, *ids: str) -> tuple[str | Path, ...]:
    asked = (word for id in ids for word in ("--reservation", id))
    places = ("--sys", folder, "--proc", folder, "--seen", folder / "seen")
    return (*places, *asked, "--region", "eu")


def test_ec2_forgets_a_reservation(script: Path, tmp_path: Path) -> None:
    """It rejects a call with an id that it does not know, whatever else the call asks for."""
    aws = Machine(tmp_path / "node").aws
    forgets = tmp_path / "forgets"
    error = "An error occurred (InvalidCapacityReservationId.NotFound) when calling it: no cr-1"
    program(forgets, f'case "$*" in *cr-1*) echo "{error}" >&2; exit 254;; esac; {aws}')
    both = of_reservations(tmp_path, "cr-1", "cr-2")

    def active_and_failed(aws: Path) -> tuple[str, ...]:
        found = printed(script, *both, "--aws", aws)
        active = (found[f'clustergen_reservation_active{{reservation="cr-{n}"}}'] for n in (1, 2))
        return (*active, found["clustergen_reservation_lookup_failed"])

    assert active_and_failed(forgets) == ("0", "1", "1")  # a wrong id, or one that is not shared
    assert active_and_failed(aws) == ("1", "1", "0")
    assert active_and_failed(forgets) == ("0", "1", "0")  # also after a reboot


def test_a_reservation(script: Path, tmp_path: Path) -> None:
    arguments = of_reservations(tmp_path, "cr-1")
    machine = Machine(tmp_path / "node")
    found = printed(script, *arguments, "--aws", machine.aws)
    assert found['clustergen_reservation_total_instances{reservation="cr-1"}'] == "4"
    assert found['clustergen_reservation_available_instances{reservation="cr-1"}'] == "1"
    assert found['clustergen_reservation_end_seconds{reservation="cr-1"}'] == "4070950200"
    assert found["clustergen_reservation_lookup_failed"] == "0"
    denied = program(tmp_path / "denied", "exit 254")
    found = printed(script, *arguments, "--aws", denied)
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


def test_commands_of_slurm_run_at_the_same_time(script: Path, tmp_path: Path) -> None:
    """Each waits until all have begun: one after the other would wait forever."""
    folder = tmp_path / "bin"
    for name, text in (("sinfo", "n1 idle"), ("squeue", "train|RUNNING"), ("sdiag", "")):
        wait = "until [ $(ls started | wc -l) = 3 ]; do sleep 0.02; done"
        program(folder / name, f"cd {tmp_path}; mkdir -p started/{name}; {wait}; echo '{text}'")
    found = printed(script, "--sys", tmp_path, "--proc", tmp_path, "--slurm", path=folder)
    assert (found["slurm_nodes"], found["slurm_jobs_running"]) == ("1", "1")
    assert 0 <= float(found["clustergen_slurm_age_seconds"]) < 60


def test_without_an_answer_about_jobs_there_are_none(script: Path, tmp_path: Path) -> None:
    folder = with_programs(tmp_path / "bin", sinfo="n1 idle\n", squeue="", sdiag="")
    arguments = ("--sys", tmp_path, "--proc", tmp_path, "--slurm")
    assert printed(script, *arguments, path=folder)["slurm_jobs_pending"] == "0"
    program(folder / "squeue", "exit 1")
    assert "slurm_jobs_pending" not in printed(script, *arguments, path=folder)


def test_slurm_without_nodes_has_an_answer(script: Path, tmp_path: Path) -> None:
    """Before all capacity starts, and after it ends: the controller is not absent."""
    path = with_programs(tmp_path / "bin", sinfo="", squeue="train|PENDING\n", sdiag="")
    found = printed(script, "--sys", tmp_path, "--proc", tmp_path, "--slurm", path=path)
    assert (found["slurm_nodes"], found["slurm_jobs_pending"]) == ("0", "1")


def test_only_nodes_of_the_queues_count(script: Path, tmp_path: Path) -> None:
    """HyperPod's own partition can have login nodes, which are not measured as compute nodes.

    sinfo fails with both options at once.
    """
    path = with_programs(tmp_path / "bin", squeue="", sdiag="")
    login = "case $* in *--partition=train,tune*) ;; *) echo login idle ;; esac"
    both = "case $* in *--all*--partition* | *--partition*--all*) exit 1 ;; esac"
    program(path / "sinfo", f"{both}; {login}; echo n1 idle")
    arguments = ("--sys", tmp_path, "--proc", tmp_path, "--slurm")
    assert printed(script, *arguments, path=path)["slurm_nodes"] == "2"
    chosen = printed(script, *arguments, "--partitions", "train,tune", path=path)
    assert chosen["slurm_nodes"] == "1"


def test_a_file_for_a_collector(script: Path, tmp_path: Path) -> None:
    out = tmp_path / "metrics" / Path(HOST_TEXTFILE).name
    arguments = ("--sys", tmp_path, "--proc", tmp_path, "--out", out, "--once")
    assert printed(script, *arguments) == {}
    assert samples(out.read_text()) == {'clustergen_node_info{role="compute"}': "1"}
    assert list(out.parent.iterdir()) == [out]


SINFO = """\
n1 allocated
n1 allocated
n2 mixed
n3 idle+cloud+powered_down
n4 idle+drain+not_responding
n5 allocated+drain
n6 down+not_responding
n7 idle+cloud+powering_up
"""


def test_slurm_without_an_endpoint(script: Path, tmp_path: Path) -> None:
    jobs = "train|RUNNING\ntrain|PENDING\ntrain|NODE_FAIL\nsmall|RUNNING\n"
    sdiag = "Server thread count:  1\nAgent queue size:     0\nDBD Agent queue size: 12\n"
    path = with_programs(tmp_path / "bin", sinfo=SINFO, squeue=jobs, sdiag=sdiag)
    found = printed(script, "--sys", tmp_path, "--proc", tmp_path, "--slurm", path=path)
    counts = {series[6:]: value for series, value in found.items() if series.startswith("slurm_")}
    assert (counts["nodes_fail"], counts["jobs_failed"]) == ("0", "0")
    assert {name: value for name, value in counts.items() if value != "0"} == {
        "nodes": "7",
        "nodes_alloc": "2",
        "nodes_mixed": "1",
        "nodes_idle": "3",
        "nodes_powered_down": "1",
        "nodes_power_up": "1",
        "nodes_drain": "2",
        "nodes_drained": "1",
        "nodes_draining": "1",
        "nodes_down": "1",
        "nodes_noresp": "2",
        "jobs_running": "2",
        "jobs_pending": "1",
        "jobs_node_failed": "1",
        'partition_jobs{partition="train"}': "2",
        'partition_jobs{partition="small"}': "1",
        "slurmdbd_queue_size": "12",
    }


def test_a_controller_that_is_silent_has_no_metrics(script: Path, tmp_path: Path) -> None:
    for name in ("sinfo", "squeue", "sdiag"):
        program(tmp_path / f"bin/{name}", "exit 1")
    arguments = ("--sys", tmp_path, "--proc", tmp_path, "--slurm")
    found = printed(script, *arguments, path=tmp_path / "bin")
    assert not any(series.startswith("slurm_") for series in found)


@pytest.mark.skipif(bool(prometheus.impossible()), reason=prometheus.impossible())
def test_the_host_as_node_exporter_has_it(script: Path, tmp_path: Path) -> None:
    """The same names, labels and values as the original, but for the average of the CPUs."""
    port = free_port()
    command = prometheus.program(
        "prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{port}"
    )
    with process(command, tmp_path / "log"):
        original = scraped(port)
    ours = printed(script, "--host")
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
        if "load" not in name:
            assert float(value) == pytest.approx(same[0], rel=0.1), series
    idle = 'node_cpu_seconds_total{cpu="%s",mode="idle"}'
    cpus = [float(original[idle % cpu]) for cpu in range(os.cpu_count() or 1)]
    assert float(ours[idle % "average"]) == pytest.approx(sum(cpus) / len(cpus), rel=0.05)
