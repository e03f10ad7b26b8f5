"""Jobs on bundles of ParallelCluster and PCS in the real Slurm, and the bundle's own jobs."""

import re
from collections.abc import Iterator

import pytest

from clustergen.base.text_lists import words
from tests.services.slurm.test_real_configuration import CONFIGURATIONS
from tests.services.slurm.test_smoke import NCCL
from tests.support import debian
from tests.support.checking import Fragments
from tests.support.slurm import parallelcluster
from tests.support.slurm.cluster import Cluster, cluster
from tests.support.tiers import needs

pytestmark = [needs(debian.impossible), pytest.mark.sampled(2)]

SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf"
ACCOUNTING = {
    "parallelcluster": f"{{endpoint: db.example.com, user: slurm, secret: '{SECRET}'}}",
    "pcs": "managed",
}
# The health check of ParallelCluster is a prolog; in PCS, a prolog is a setting.
PROLOG = {
    "parallelcluster": "",
    "pcs": "Prolog: /fsx/prolog, PrologFlags: Alloc, SchedulerParameters: nohold_on_prolog_fail",
}
SPEC = """
login: {{}}
node_groups:
  - {{name: gpu, instance_type: p5.48xlarge, count: 3, health_checks: [gpu], labels: {{pool: a}}}}
  - {{name: cpu, instance_type: m7i.4xlarge, count: 2}}
queues:
  - {{name: train, node_groups: [gpu], time_limit: 2d, exclusive: true, priority: 2}}
  - {{name: data, node_groups: [cpu], time_limit: 12h}}
storage: [{{mount: /fsx, type: fsx-lustre, size: 1200GiB}}]
users: [{{name: alice, uid: 2001}}, {{name: bob, uid: 2002}}, {{name: carol, uid: 2003}}]
software: {{containers: pyxis}}
slurm:
  accounting: {accounting}
  accounts:
    - {{name: vision, fair_share: 70, users: [alice], qos: [low, high]}}
    - {{name: robots, fair_share: 30, users: [bob], qos: [low]}}
  qos: [{{name: low}}, {{name: high, priority: 100, preempts: [low]}}]
  settings:
    {{AccountingStorageEnforce: "associations,limits,qos,safe", PreemptType: preempt/qos,
     PreemptMode: REQUEUE, PriorityWeightFairshare: 10000, {prolog}}}
"""
PROGRAMS = {
    # As with ConstrainDevices: a step sees the GPUs that it asked for.
    "/usr/local/sbin/nvidia-smi": r"""
IFS=, read -ra gpus <<<"${CUDA_VISIBLE_DEVICES:-}"
for gpu in "${gpus[@]}"; do [[ ! $gpu =~ ^[0-9]+$ ]] || echo "GPU $gpu: NVIDIA H100"; done
""",
    "/opt/amazon/efa/bin/fi_info": "printf '    domain: efa%s-rdm\\n' {1..32} {1..32}",
    "/opt/amazon/openmpi/bin/mpirun": NCCL,
    "/opt/nccl-tests/build/all_reduce_perf": NCCL,
    "/usr/local/bin/torchrun": 'echo "$(hostname) $*"',
    "/fsx/prolog": parallelcluster.COUNT_GPUS,
}
PROVOKED = (
    r"(?i)prolog|cancelled at|due to time limit|no longer pending|does not have access to qos|"
    "Invalid qos|appears to have a different slurm.conf"
)
"""What tests cause; a node may register between two `scontrol reconfigure`."""
FINAL = words("COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL PREEMPTED")


@pytest.fixture(scope="module")
def machine(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    target, version = request.param
    spec = SPEC.format(accounting=ACCOUNTING[target], prolog=PROLOG[target])
    files = Fragments(target).files(spec)
    with cluster(version) as made:
        for path, body in PROGRAMS.items():
            made.put(path, f"#!/bin/bash\n{body}\n", 0o755)
        made.put("/etc/slurm/plugstack.conf", f"required {debian.PYXIS}\n")
        made.start(CONFIGURATIONS[target](files), per_group=3)
        for path, text in files.items():
            if path.startswith(("smoke/", "jobs/")):
                made.put(f"/fsx/{path}", text)
        made.ask("chmod 1777 /fsx/smoke /fsx/jobs")
        yield made


CLUSTERS = [(target, version) for target in CONFIGURATIONS for version in debian.SUITES]
on_every_cluster = pytest.mark.parametrize("machine", CLUSTERS, indirect=True, ids="-".join)
# It takes a minute, and no bundle changes it.
on_one_cluster = pytest.mark.parametrize("machine", CLUSTERS[-1:], indirect=True, ids="-".join)


def submit(made: Cluster, options: str, command: str = "hostname", user: str = "alice") -> str:
    """The id of a job, or what sbatch says."""
    script = f"sbatch --parsable --output=/fsx/%j-%a.out {options} --wrap '{command}'"
    return made.as_user(script, user).text.strip()


def shown(made: Cluster, job: str) -> dict[str, str]:
    line = made.run(f"scontrol show job --oneliner {job}").text.splitlines()[0]
    return dict(re.findall(r"(\S+?)=(\S*)", line))


def ended(made: Cluster, *jobs: str) -> dict[str, str]:
    """The state of every job, once all have ended.

    One that was put back waits for two minutes, so the test starts it; that takes a second.
    """
    squeue = f"squeue --noheader --jobs={','.join(jobs)} --states"
    # A job that is to be started may have started by now.
    left = f"""
for job in $({squeue}=pending --format='%i %S' | sed -n 's/ [^N].*//p'); do
  scontrol update "jobid=$job" starttime=now 2>/dev/null
done
{squeue}=all --format=%T | grep -vcE '{"|".join(FINAL)}'"""
    made.wait(left, "^0$")
    return {job: shown(made, job)["JobState"] for job in jobs}


def settle(made: Cluster) -> None:
    made.run("scancel --user=alice; scancel --user=bob; rm -f /fsx/*.out /rig/lost-gpu-*")
    made.run(
        "for node in $(sinfo -h -N -t drain -o %N); do"
        " scontrol update nodename=$node state=resume; done"
    )
    made.wait("squeue --noheader | wc -l", "^0$")


@on_every_cluster
def test_array_and_several_nodes(machine: Cluster) -> None:
    settle(machine)
    wide = submit(machine, "--partition=train --nodes=3 --constraint=pool=a", "srun hostname")
    array = submit(machine, "--partition=data --array=1-4", "echo task $SLURM_ARRAY_TASK_ID")
    assert set(ended(machine, wide, array).values()) == {"COMPLETED"}
    nodes = machine.ask(f"cat /fsx/{wide}-*.out").split()
    assert sorted(nodes) == sorted(machine.nodes_of("gpu"))
    tasks = machine.ask("grep -h ^task /fsx/*.out | sort").splitlines()
    assert tasks == [f"task {n}" for n in range(1, 5)]


@on_every_cluster
def test_a_node_of_an_exclusive_queue_has_one_job(machine: Cluster) -> None:
    settle(machine)
    node = machine.nodes_of("gpu")[0]
    options = f"--partition=train --nodelist={node} --ntasks=1"
    first = submit(machine, options, "/usr/bin/sleep 600")
    machine.wait_for_job(first, "RUNNING")
    second = submit(machine, options)
    machine.wait_for_job(second, "PENDING", "(Resources|Priority)")
    assert shown(machine, first)["TimeLimit"] == "2-00:00:00"


@on_every_cluster
def test_only_members_of_an_account_submit(machine: Cluster) -> None:
    assert "Invalid qos" in submit(machine, "--partition=data --qos=high", user="bob")
    assert "time limit is invalid" in submit(machine, "--partition=data --time=13:00:00")
    shares = machine.ask("sshare --all --parsable2 --noheader --format=account,user,rawshares")
    assert {"vision||70", "robots||30"} <= set(shares.replace(" ", "").splitlines())


@on_every_cluster
def test_a_job_of_higher_qos_takes_the_nodes_and_gives_them_back(machine: Cluster) -> None:
    settle(machine)
    low = submit(
        machine,
        "--partition=train --nodes=3 --qos=low",
        "[ ${SLURM_RESTART_COUNT:-0} = 1 ] || /usr/bin/sleep 600",
        user="bob",
    )
    machine.wait_for_job(low, "RUNNING")
    high = submit(machine, "--partition=train --nodes=3 --qos=high", "/usr/bin/sleep 1")
    assert ended(machine, high) == {high: "COMPLETED"}
    assert ended(machine, low) == {low: "COMPLETED"}
    assert shown(machine, low)["Restarts"] == "1"


@on_every_cluster
def test_a_node_that_lost_a_gpu_is_drained_and_its_job_runs_elsewhere(machine: Cluster) -> None:
    settle(machine)
    sick, *healthy = machine.nodes_of("gpu")
    machine.ask(f"touch /rig/lost-gpu-{sick}")
    jobs = [submit(machine, "--partition=train --nodes=1", "hostname") for _ in range(3)]
    assert set(ended(machine, *jobs).values()) == {"COMPLETED"}
    ran = {machine.ask(f"cat /fsx/{job}-*.out").strip() for job in jobs}
    assert ran <= set(healthy)
    assert "drain" in machine.ask(f"sinfo --noheader --format=%T --nodes={sick}")


@on_every_cluster
def test_smoke_jobs_pass(machine: Cluster) -> None:
    settle(machine)
    paths = machine.ask("ls /fsx/smoke/*.sbatch").split()
    assert len(paths) >= 5
    said = machine.as_user("cd smoke; for job in *.sbatch; do sbatch --parsable $job; done").text
    jobs = said.split()
    assert len(jobs) == len(paths), said
    states = ended(machine, *jobs)
    assert set(states.values()) == {"COMPLETED"}, machine.ask("tail -n 5 /fsx/smoke/*.out")
    passed = machine.ask("grep -l ^PASS: /fsx/smoke/*.out").splitlines()
    assert len(passed) == len(paths)


@on_every_cluster
def test_job_templates_start(machine: Cluster) -> None:
    settle(machine)
    said = machine.as_user("cd jobs && sbatch --parsable --nodes=2 torchrun-gpu.sbatch train.py")
    job = said.text.strip()
    assert ended(machine, job) == {job: "COMPLETED"}, said.text
    output = machine.ask(f"cat {shown(machine, job)['StdOut']}")
    for node in machine.nodes_of("gpu")[:2]:
        assert f"{node} --nnodes=2 --nproc-per-node=8" in output
    assert "train.py" in output


@on_one_cluster
def test_a_job_ends_at_its_time_limit(machine: Cluster) -> None:
    """Slurm looks every half minute, and a time limit is a minute at least."""
    settle(machine)
    job = submit(machine, "--partition=data --time=1", "/usr/bin/sleep 600")
    state = machine.wait(f"scontrol show job --oneliner {job}", "JobState=(TIMEOUT|FAILED)")
    assert "JobState=TIMEOUT" in state
    assert "TimeLimit=00:01:00" in state


@on_one_cluster
def test_a_queue_whose_nodes_have_left_takes_jobs_while_it_is_down(machine: Cluster) -> None:
    """As README says of a pause of PCS, which takes the nodes out of Slurm."""
    kept, file = "/etc/slurm/kept", "/etc/slurm/slurm.conf"
    machine.ask(f"cp {file} {kept}; sed -i '/^PartitionName=data/s/ Nodes=[^ ]*//' {file}")
    job = "sbatch --parsable --partition=data --wrap=true"
    try:
        machine.ask("scontrol reconfigure")
        assert "More processors requested than permitted" in machine.as_user(job).text
        machine.ask("scontrol update partitionname=data state=down")
        assert machine.as_user(job).status == 0
    finally:
        machine.ask(f"mv {kept} {file}; scontrol update partitionname=data state=up")
        machine.ask("scontrol reconfigure")
    machine.wait("squeue --noheader --partition=data", "^$")


@on_every_cluster
def test_no_daemon_complains(machine: Cluster) -> None:
    found = machine.complaints()
    assert [line for line in found if not re.search(PROVOKED, line)] == []
