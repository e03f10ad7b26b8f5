"""Job templates, smoke tests and verify.sh of every target with Slurm."""

import re
from pathlib import Path

import pytest

from clustergen.base.text_lists import word_set
from tests.support.checking import Fragments
from tests.support.outcomes import succeeded
from tests.support.scripts import bash, programs
from tests.validators.shell import script_violations

TARGETS = ("parallelcluster", "pcs", "hyperpod-slurm")
SPEC = """
node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cpu, instance_type: m7i.4xlarge, count: 4}
queues:
  - {name: all, node_groups: [h200, cpu]}
storage: [{mount: /fsx, type: fsx-lustre, size: 19200GiB}]
software: {containers: pyxis}
users: [{name: alice, uid: 2001}]
"""
SCALING = "node_groups: [{name: h200, count: {min: 0, max: 64}}]"


def files_of(target: str, spec: str = SPEC) -> dict[str, str]:
    return dict(Fragments(target).files(spec))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_scripts_that_the_shell_accepts(target: str) -> None:
    files = files_of(target)
    tests = word_set("nodes-h200 efa-h200 all-reduce-container-h200 file-systems-h200 nodes-cpu")
    jobs = {"jobs/torchrun-h200.sbatch", "jobs/mpi-cpu.sbatch"}
    smoke = {f"smoke/{name}.sbatch" for name in tests}
    assert {"verify.sh", "smoke/run.sh", *smoke, *jobs} <= set(files)
    shell = {path: text for path, text in files.items() if path.endswith((".sh", ".sbatch"))}
    assert script_violations(shell) == []


def test_a_job_names_all_types_of_its_nodes() -> None:
    spec = "node_groups: [{name: gpus, instance_types: [g6e.12xlarge, g6.12xlarge], count: 2}]"
    job = files_of("pcs", spec)["jobs/torchrun-gpus.sbatch"]
    assert "# PyTorch on all GPUs of 2 nodes g6e.12xlarge or g6.12xlarge. Copy it" in job
    assert "# 1 EFA interface on each node" in job


def test_a_job_uses_one_mig_partition() -> None:
    """NCCL joins none: a job with the partitions of whole nodes would leave most of them idle."""
    group = "{name: parts, instance_type: p4de.24xlarge, count: 2, mig: {1g.10gb: 7}}"
    spec = f"node_groups: [{group}]\nslurm: {{version: '26.05'}}"
    job = files_of("pcs", spec)["jobs/torchrun-parts.sbatch"]
    options = dict(re.findall(r"^#SBATCH --([a-z-]+)=?(.*)$", job, re.MULTILINE))
    assert (options["nodes"], options["gpus-per-node"], options["cpus-per-task"]) == ("1", "1", "1")
    assert "exclusive" not in options
    assert "a MIG partition of a node p4de.24xlarge" in job
    # Another job on the node may have the port.
    assert "torchrun --standalone --nproc-per-node=1" in job
    assert "29500" not in job


@pytest.mark.parametrize("target", ["parallelcluster", "pcs"])
def test_a_job_gets_nodes_of_its_group(target: str) -> None:
    """The constraint keeps it off the queue's other nodes."""
    files = files_of(target)
    for path in ("smoke/nodes-h200.sbatch", "jobs/torchrun-h200.sbatch"):
        assert "#SBATCH --constraint=h200\n" in files[path]


@pytest.mark.parametrize("target", ["parallelcluster", "pcs"])
def test_job_and_step_request_the_gpus(target: str) -> None:
    """Where GPUs are resources, a step that asks for none sees none."""
    files = files_of(target)
    for path, text in files.items():
        if path.startswith(("smoke/", "jobs/")) and path.endswith("-h200.sbatch"):
            assert "#SBATCH --gpus-per-node=8\n" in text
    for path in ("smoke/nodes-h200.sbatch", "smoke/all-reduce-container-h200.sbatch"):
        assert "srun --gpus-per-node=8" in files[path] or "none --gpus-per-node=8" in files[path]
    assert "--gpus" not in files["smoke/nodes-cpu.sbatch"]


TIMES = [
    *(("", "0-16:00:00"), ("time_limit: 12h", "0-12:00:00"), ("time_limit: 45m", "0-00:45:00")),
    ('time_limit: 3d, slurm: {DefaultTime: "2:30:00"}', "0-02:00:00"),
    ("time_limit: 30d", "0-16:00:00"),
]


@pytest.mark.parametrize(("queue", "expected"), TIMES)
def test_a_job_on_nodes_that_end_asks_for_a_time(queue: str, expected: str) -> None:
    """Without one, it could not start as long before the end as the limit of its queue is."""
    dates = "starts: '2026-12-10T11:30:00Z', ends: '2026-12-17T11:30:00Z'"
    block = f"count: 2, capacity: {{capacity_block: cr-0a1b2c3d4e5f67890, {dates}}}"
    files = files_of("pcs", SPEC.replace("count: 2", block).replace("cpu]}", f"cpu], {queue}}}"))
    assert re.findall("--time=(.*)", files["jobs/torchrun-h200.sbatch"]) == [expected]
    assert "--time" not in files["jobs/mpi-cpu.sbatch"]


@pytest.mark.parametrize("target", ["parallelcluster", "pcs"])
def test_tests_do_not_start_a_whole_scaling_group(target: str) -> None:
    assert "#SBATCH --nodes=2\n" in files_of(target, SCALING)["smoke/nodes-h200.sbatch"]


def test_the_template_starts_a_process_for_each_gpu(tmp_path: Path) -> None:
    """The arguments of srun."""
    (tmp_path / "job").write_text(files_of("pcs")["jobs/torchrun-h200.sbatch"])
    first = programs(tmp_path, {"srun": 'printf "%s\\n" "$@"', "hostname": "echo node-0"})
    slurm = {"SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_ID": "7", "IMAGE": "/fsx/pytorch.sqsh"}
    done = bash(tmp_path / "job", "train.py", "--lr", "1e-4", first=first, **slurm)
    succeeded(done)
    assert done.stdout.splitlines() == [
        *("--cpu-bind=none", "--gpus-per-node=8", "--container-image=/fsx/pytorch.sqsh"),
        *("--container-mounts=/fsx:/fsx", "torchrun", "--nnodes=2", "--nproc-per-node=8"),
        *("--rdzv-id=7", "--rdzv-backend=c10d", "--rdzv-endpoint=node-0:29500"),
        *("train.py", "--lr", "1e-4"),
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_only_hyperpod_resumes_steps(target: str) -> None:
    """Elsewhere, srun rejects the option."""
    for resume in ("", "resilience: {auto_resume: true}"):
        job = files_of(target, SPEC + resume)["jobs/torchrun-h200.sbatch"]
        resumes = bool(resume) and target == "hyperpod-slurm"
        assert ("step=(--cpu-bind=none --auto-resume=1" in job) is resumes


PC_NODES = ("all-st-h200-2", "all-dy-h200-1")
NODES = [("pcs", "h200-2"), *(("parallelcluster", name) for name in PC_NODES)]
HEALTHY = {
    "systemctl": "",
    "mountpoint": "",
    "timeout": '[[ $* != *--help* ]] || echo --container-image; [[ $2 != nvidia-smi ]] || "${@:2}"',
    "nvidia-smi": 'for n in 0 1 2 3 4 5 6 7; do echo "GPU $n: NVIDIA H200"; done',
    "id": "echo 2001",
    "readlink": "echo /sys/bus/pci/drivers/efa",
}


@pytest.mark.parametrize("target", ["parallelcluster", "pcs"])
def test_verify_names_the_groups_that_it_knows(target: str) -> None:
    text = files_of(target)["verify.sh"]
    [named] = re.findall(r"^# GROUP is one of: (.*); a step", text, re.MULTILINE)
    body = text.partition("checks_of() {")[2].partition("esac")[0]
    assert named.split(", ") == re.findall(r"^ +(\S+)\)$", body, re.MULTILINE)
    assert ("--head" in named) == (target == "parallelcluster")


@pytest.mark.parametrize("target", ["parallelcluster", "pcs"])
@pytest.mark.parametrize(("type", "asks"), [("p5.48xlarge", True), ("hpc7a.96xlarge", False)])
def test_verify_asks_for_gpus_where_there_are_any(target: str, type: str, asks: bool) -> None:
    text = Fragments(target).files(f"node_groups: [{{name: h200, instance_type: {type}}}]")
    [usage] = re.findall(r"^#   (srun .*)$", text["verify.sh"], re.MULTILINE)
    assert usage.startswith("srun --partition=QUEUE --nodelist=NODE ")
    assert ("--gpus-per-node" in usage) == asks


BROKEN: list[tuple[dict[str, str], str]] = [
    ({}, ""),
    ({"nvidia-smi": "echo GPU 0: x"}, "WRONG   8 accelerators, found 1"),
    ({"mountpoint": "[[ $2 != /fsx ]]"}, "WRONG   /fsx is mounted"),
    ({"systemctl": "[[ $3 != slurmd.service ]]"}, "WRONG   slurmd runs"),
    ({"id": "echo 1000"}, "WRONG   alice has the id 2001"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("target", "node"), NODES)
@pytest.mark.parametrize(("broken", "words"), BROKEN)
def test_verify_reports_problems_of_a_node(
    tmp_path: Path, target: str, node: str, broken: dict[str, str], words: str
) -> None:
    programs(tmp_path, {**HEALTHY, **broken})
    devices = tmp_path / "infiniband"
    for number in range(16):
        (devices / f"rdmap{number}").mkdir(parents=True)
    text = files_of(target)["verify.sh"].replace("/sys/class/infiniband", str(devices))
    text = text.replace("PATH=/usr/local/sbin", f"PATH={tmp_path}:/usr/local/sbin")
    (tmp_path / "verify.sh").write_text(text)
    done = bash(tmp_path / "verify.sh", SLURMD_NODENAME=node)
    printed = done.stdout + done.stderr
    assert (done.returncode, words in done.stdout) == (1 if words else 0, True), printed
