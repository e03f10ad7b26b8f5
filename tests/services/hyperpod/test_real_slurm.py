"""Bundles on the real Slurm: what users and administrators then see."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.services.hyperpod.real_slurm import ETC, Cluster, checked, cluster
from tests.services.monitoring.script import installed, printed, with_programs
from tests.support import debian
from tests.support.tiers import needs
from tests.support.waiting import PATIENCE

pytestmark = [needs(debian.impossible), pytest.mark.sampled(2)]

SPEC = """
login: {instance_type: m7i.xlarge}
node_groups: [{name: h200, instance_type: p5.48xlarge, count: 2}]
queues: [{name: train, node_groups: [h200], time_limit: 2d, priority: 3}]
storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]
users: [{name: alice, uid: 2001}]
slurm: {settings: {SlurmctldParameters: idle_on_node_suspend, SchedulerParameters: bf_window=20}}
"""
SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"
DATABASE = f"""
slurm: {{accounting: {{endpoint: db.example.com, user: slurm, secret: "{SECRET}"}}}}
targets: {{hyperpod-slurm: {{mode: legacy, controllers: 2}}}}
"""
BASE = "SchedulerParameters=bf_continue,bf_window=10"
# A job that was put back waits for two minutes, which a test does not; one that is held stays held.
QUEUED = """
for job in $(squeue --noheader --states=pending --format='%i %r' | sed -n 's/ BeginTime//p'); do
  # It may have started by now.
  scontrol update "jobid=$job" starttime=now 2>/dev/null
done
squeue --noheader --user=alice | wc -l
"""


@contextmanager
def ready(*, gres: bool = True) -> Iterator[Cluster]:
    """A cluster that HyperPod set up first; with ``gres``, GPUs are resources of its Slurm."""
    with cluster(checked(SPEC)) as made:
        made.boot(BASE, gres=gres)
        runs = made.lifecycle()
        assert {name: run.text for name, run in runs.items() if run.status} == {}
        yield made


COLUMNS = "NodeList:256,StateComplete:256,PartitionName:256"
ASKED = {
    "sinfo": f"sinfo --noheader --Node --Format={COLUMNS} --all",
    "squeue": "squeue --noheader --all --states=all '--format=%P|%T'",
    "sdiag": "sdiag",
}
"""What the script of nodes asks Slurm."""
OF_PARTITIONS = ASKED["sinfo"].replace("--all", "--partition=%s")
"""The same in a cluster that has nodes of others too."""
COUNTED = {
    "nodes": "3",
    "nodes_drained": "1",
    "nodes_draining": "0",
    "nodes_mixed": "1",
    "nodes_idle": "2",
    "nodes_noresp": "0",
    "jobs_running": "1",
    "jobs_pending": "1",
    'partition_jobs_pending{partition="train"}': "1",
    'partition_nodes_idle{partition="train"}': "1",
    'partition_nodes_drained{partition="train"}': "1",
    "slurmdbd_queue_size": "0",
    "agent_queue_size": "0",
}


@pytest.fixture(scope="module")
def api() -> Iterator[Cluster]:
    with ready() as made:
        yield made


def bring(made: Cluster, folder: str) -> None:
    """Copies a folder of the bundle to /fsx, for alice."""
    login = made.of("login")[0]
    for path, text in made.files.items():
        if path.startswith(f"{folder}/"):
            made.machines.put(login, f"/fsx/{path}", text, 0o755)
    made.run(login, f"chown -R 2001:2001 /fsx/{folder}")


def submit(made: Cluster, options: str, command: str = "hostname") -> str:
    """The id of a job of alice's, or what sbatch says."""
    script = f"cd /fsx && sbatch --parsable --output=/fsx/%j.out {options} --wrap '{command}'"
    return made.as_user(made.of("login")[0], script).text.strip()


def settle(made: Cluster) -> None:
    made.run(made.controller, "scancel --user=alice; rm -f /fsx/*.out")
    for name in made.of("h200"):
        made.run(name, "rm -f /rig/lost-gpu /rig/hung-gpu")
        made.machines.run(made.controller, f"scontrol update nodename={name} state=resume")
    made.wait_until_idle()


def test_every_node_takes_part_in_the_test(api: Cluster) -> None:
    api.wait_until_idle()
    login = api.of("login")[0]
    ran = api.as_user(login, "cd /fsx && srun --nodes=2 hostname")
    assert sorted(ran.text.split()) == sorted(api.of("h200"))


def test_metrics_of_nodes_and_jobs(api: Cluster, tmp_path: Path) -> None:
    """The script of nodes reads what this version of Slurm prints."""
    first, second = api.of("h200")
    api.run(api.controller, f"scontrol update nodename={first} state=drain reason=test")
    for node in (second, first):
        submit(api, f"--nodelist={node}", "/usr/bin/sleep 600")
    api.wait("squeue --noheader --format=%T | sort", "^PENDING\nRUNNING$")
    programs = with_programs(
        tmp_path / "bin",
        **{name: api.run(api.controller, command).text for name, command in ASKED.items()},
    )
    arguments = ("--sys", tmp_path, "--proc", tmp_path, "--slurm")
    found = printed(installed(tmp_path), *arguments, path=programs)
    assert {name: found[f"slurm_{name}"] for name in COUNTED} == COUNTED
    text = api.run(api.controller, OF_PARTITIONS % "train").text
    assert {line.split()[0]: line.split()[1] for line in text.splitlines()} == {
        first: "idle+drain",
        second: "mixed",
    }
    settle(api)


def test_a_second_run_changes_nothing(api: Cluster) -> None:
    files = f"find {ETC} /etc/systemd/system -type f -exec md5sum {{}} + | sort"
    names = [node.name for node in api.nodes]
    before = {name: api.run(name, files).text for name in names}
    runs = api.lifecycle()
    assert {name: run.text for name, run in runs.items() if run.status} == {}
    assert before == {name: api.run(name, files).text for name in names}


def test_options_of_hyperpod_are_kept(api: Cluster) -> None:
    shown = api.run(api.controller, "scontrol show config").text
    values = dict(line.split("= ") for line in shown.splitlines() if "= " in line)
    found = {name.strip(): value.strip() for name, value in values.items()}
    assert found["SlurmctldParameters"] == "idle_on_node_suspend,enable_configless"
    assert found["SchedulerParameters"] == "bf_continue,bf_window=20,nohold_on_prolog_fail"
    assert found["PrologFlags"] == "DeferBatch"
    assert found["ReturnToService"] == "2"


def test_limits_of_queues_cannot_be_bypassed(api: Cluster) -> None:
    assert "time limit is invalid" in submit(api, "--time=30-0")
    assert "not permitted to use this partition" in submit(api, "--partition=dev --time=30-0")
    assert api.run(api.controller, "srun --partition=dev hostname").text


def assert_smoke_tests_pass(made: Cluster) -> None:
    bring(made, "smoke")
    ran = made.as_user(made.of("login")[0], "cd /fsx/smoke && ./run.sh; cat *.out")
    for test in ("nodes", "efa", "file-systems"):
        assert f"PASS  {test}-h200.sbatch" in ran.text, ran.text
    assert "2 nodes with 8 accelerators each" in ran.text


def test_smoke_tests_see_gpus_that_are_resources(api: Cluster) -> None:
    assert_smoke_tests_pass(api)


def test_smoke_tests_see_gpus_that_slurm_does_not_know() -> None:
    with ready(gres=False) as made:
        assert_smoke_tests_pass(made)


def test_jobs_see_gpus_that_are_resources(api: Cluster) -> None:
    bring(api, "jobs")
    for name in api.of("h200"):
        body = "#!/bin/bash\nnvidia-smi --list-gpus | wc -l\n"
        api.machines.put(name, "/usr/local/sbin/torchrun", body, 0o755)
    script = "cd /fsx/jobs && sbatch --wait torchrun-h200.sbatch train.py; cat *.out"
    ran = api.as_user(api.of("login")[0], script)
    assert ran.text.split()[-2:] == ["8", "8"], ran.text


@pytest.mark.parametrize("sick", ["lost-gpu", "hung-gpu"])
def test_a_job_is_requeued_when_a_node_has_lost_a_gpu(api: Cluster, sick: str) -> None:
    first, second = api.of("h200")
    settle(api)
    api.run(first, f"touch /rig/{sick}")
    jobs = [submit(api, "--nodes=1 --exclusive", "hostname; sleep 1") for _ in range(2)]
    api.wait(QUEUED, "^0$")
    outputs = [api.run(api.controller, f"cat /fsx/{job}.out").text.strip() for job in jobs]
    assert outputs == [second, second]
    assert "prolog: 8 GPUs" in api.run(api.controller, f"sinfo -h -R -n {first}").text
    settle(api)


def test_settings_are_restored_when_hyperpod_rewrites_slurm_conf(api: Cluster) -> None:
    api.put_slurm_conf(api.controller, BASE)
    api.run(api.controller, "bash /opt/clustergen/lifecycle/slurm-settings.sh")
    assert "AllowGroups=root" in api.run(api.controller, "scontrol show partition dev").text


REJECTED = [
    # A setting: the first two are rejected by clients of Slurm, the last one by slurmctld alone.
    "PrologFlags=Aloc",
    "AccountingStorageEnforce=limitz",
    "PriorityType=priority/multifactorr",
]


@pytest.mark.parametrize("setting", REJECTED)
def test_slurm_keeps_running_if_it_rejects_a_setting(api: Cluster, setting: str) -> None:
    files = f"find {ETC} -type f -exec md5sum {{}} + | sort"
    before = api.run(api.controller, files).text
    script = api.machines.read(api.controller, "/opt/clustergen/lifecycle/slurm-settings.sh")
    wrong = script.replace("  print_options\n}", f"  print_options\n  echo {setting}\n}}")
    api.machines.put(api.controller, "/opt/clustergen/lifecycle/wrong.sh", wrong)
    run = api.machines.run(api.controller, "bash /opt/clustergen/lifecycle/wrong.sh")
    assert (run.status, "is unchanged" in run.text) == (1, True), run.text
    assert api.run(api.controller, files).text == before
    assert api.run(api.controller, "scontrol ping").text
    api.wait_until_idle()


@pytest.mark.parametrize("first", [0, 1])
def test_two_controllers_start_in_any_order(first: int) -> None:
    with cluster(checked(SPEC.partition("slurm:")[0] + DATABASE)) as made:
        made.boot("SlurmctldTimeout=5")
        controllers = made.of("controller")
        # The other one comes somewhat later.
        late = controllers[1 - first]
        made.run(late, "sed -i '2i /usr/bin/sleep 3' /tmp/sagemaker/set/on_create.sh")
        # On this image slurmd must not run on login nodes.
        made.run(made.of("login")[0], "touch /rig/masked-slurmd")
        runs = made.lifecycle()
        assert {name: run.text for name, run in runs.items() if run.status} == {}
        ping = made.wait("scontrol ping", rf"\(backup\) at {controllers[1]} is UP")
        assert f"(primary) at {controllers[0]} is UP" in ping
        for name in controllers:
            made.run(name, "pgrep -x slurmdbd")
        login = made.of("login")[0]
        made.run(login, "chmod 1777 /fsx")
        ran = made.as_user(login, "bash -lc 'cd /fsx && srun --partition=train hostname'")
        assert ran.text.strip() in made.of("h200")
        if first == 0:
            lose(made, controllers[0])


def lose(made: Cluster, controller: str) -> None:
    """The first controller dies at once: a job goes on, and the other one starts the next."""
    login = made.of("login")[0]
    batch = 'sbatch --parsable --partition=train --output=/fsx/%j.out --wrap "/usr/bin/sleep 9"'
    running = made.as_user(login, f"bash -lc 'cd /fsx && {batch}'").text.strip()
    made.wait(f"squeue --noheader --jobs={running} --format=%T", "RUNNING")
    # Slurm saves its state some seconds later.
    made.run(made.controller, "touch /tmp/running")
    made.wait("find /fsx/ -name job_state -newer /tmp/running", "job_state")
    made.run(controller, "pkill -KILL '^slurm(ctld|dbd)'")
    srun = "timeout --signal=KILL 20 srun --overlap --partition=train hostname"
    tries = f"for n in {{1..12}}; do {srun} && exit; /usr/bin/sleep 1; done"
    ran = made.as_user(login, f"bash -lc 'cd /fsx; {tries}'", seconds=2 * PATIENCE)
    assert ran.text.split()[-1] in made.of("h200"), ran.text
    states = f"scontrol show job {running} | grep -oE 'JobState=(RUNNING|COMPLETED)'"
    assert "JobState" in made.run(made.of("controller")[1], states).text
