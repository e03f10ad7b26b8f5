"""The smoke tests of Slurm, run with a scheduler that runs everything on this machine."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from clustergen import catalog, nccl
from tests.hyperpod.test_lifecycle import SPEC
from tests.targets.hyperpod_slurm.planned import files_of

NCCL = r"""
echo "n1: NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)"
echo "#       size count type redop root time algbw busbw #wrong time algbw busbw #wrong"
echo "  8589934592 2147483648 float sum -1 33511 256.33 480.62 0 33480 256.57 481.07 0"
echo " 17179869184 4294967296 float sum -1 66020 260.22 487.92 0 66110 259.86 487.26 0"
echo "# Out of bounds values : 0 OK"
"""
# Two nodes: everything is run twice, under two names.
SRUN = r"""
[[ $* != *--mpi=list* ]] || { echo pmix; exit; }
while [[ ${1:-} == --* ]]; do shift; done
for n in 0 1; do SLURM_PROCID=$n NODE=node-$n "$@" || exit; done
"""
PROGRAMS = {
    "srun": SRUN,
    "hostname": 'echo "${NODE:-node-0}"',
    "nvidia-smi": 'for n in 0 1 2 3 4 5 6 7; do echo "GPU $n: NVIDIA H200"; done',
    "fi_info": 'for n in {1..16} {1..16}; do echo "    domain: rdmap$n-rdm"; done',
    "scontrol": "printf 'node-0\\nnode-1\\n'",
    "all_reduce_perf": NCCL,
    "mpirun": NCCL,
}


def jobs(spec: str = SPEC) -> dict[str, str]:
    """The batch jobs of a bundle, by file name."""
    files = files_of(spec).items()
    return {path.removeprefix("smoke/"): text for path, text in files if path.startswith("smoke/")}


def run(
    folder: Path, text: str, programs: dict[str, str], shared: str = "/fsx"
) -> subprocess.CompletedProcess[str]:
    """The job, with absolute paths of programs and file systems moved into `folder`."""
    for name, body in {**PROGRAMS, **programs}.items():
        (folder / name).write_text(f"#!/bin/bash\n{body}\n")
        (folder / name).chmod(0o755)
    for place in ("fsx", "home", "home/alice"):
        (folder / place).mkdir(exist_ok=True)
    moved = re.sub(r"/(fsx|home)\b", rf"{folder}/\1", text)
    moved = re.sub(r"/opt/(amazon/openmpi/bin|nccl-tests/build)/", f"{folder}/", moved)
    script = folder / "job.sh"
    script.write_text(moved)
    environment = {
        "PATH": f"{folder}{os.pathsep}/usr/bin:/bin",
        "SLURM_JOB_NUM_NODES": "2",
        "SLURM_JOB_NODELIST": "node-[0-1]",
        "HOME": f"{folder}/home/alice",
    }
    return subprocess.run(
        ["/bin/bash", str(script)], env=environment, capture_output=True, text=True, check=False
    )


VERDICTS = [
    # Job, a program and what it does instead, exit status, words of the output.
    ("nodes-h200", {}, 0, "PASS: 2 nodes with 8 accelerators each"),
    ("nodes-h200", {"nvidia-smi": "echo GPU 0"}, 1, "FAIL: not 8 accelerators on:\nnode-0\t1"),
    ("nodes-h200", {"hostname": "echo same"}, 1, "FAIL: 1 nodes answered, not 2"),
    ("efa-h200", {}, 0, "PASS: 16 EFA devices on every node"),
    ("efa-h200", {"fi_info": "echo '  domain: x'"}, 1, "FAIL: not 16 EFA devices on:"),
    ("all-reduce-h200", {}, 0, "PASS: bus bandwidth of the largest size 487.26 GB/s"),
    ("all-reduce-h200", {"mpirun": NCCL.replace("0 OK", "3 FAILED")}, 1, "FAIL: all_reduce_perf"),
    ("all-reduce-h200", {"mpirun": NCCL.replace("is efa,", "is tcp,")}, 1, "did not use EFA"),
    ("all-reduce-container-h200", {}, 0, "PASS: bus bandwidth of the largest size 487.26 GB/s"),
    ("all-reduce-container-h200", {"all_reduce_perf": "exit 1"}, 1, ""),
    ("file-systems-h200", {}, 0, "PASS: every node reads what the others wrote"),
    ("file-systems-h200", {"hostname": "echo same"}, 1, "FAIL: files of other nodes are missing"),
]


@pytest.mark.parametrize(("job", "programs", "status", "words"), VERDICTS)
def test_verdicts(
    tmp_path: Path, job: str, programs: dict[str, str], status: int, words: str
) -> None:
    done = run(tmp_path, jobs()[f"{job}.sbatch"], programs)
    assert (done.returncode, words in done.stdout) == (status, True), done.stdout + done.stderr
    assert not list((tmp_path / "fsx").iterdir())


# The root of a new EFS belongs to root: users have only their own folders there.
ONLY_AT_HOME = """
[[ ${2:-} != */home/* || $2 == "$HOME"/* ]] || { echo "mktemp: Permission denied" >&2; exit 1; }
exec /usr/bin/mktemp "$@"
"""


def test_users_write_to_a_shared_home_in_their_own_folder(tmp_path: Path) -> None:
    done = run(tmp_path, jobs()["file-systems-h200.sbatch"], {"mktemp": ONLY_AT_HOME})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{tmp_path}/home/alice/smoke-" in done.stdout
    assert not list((tmp_path / "home/alice").iterdir())


def test_jobs_are_sized_from_the_plan() -> None:
    found = jobs()
    for line in ("#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=8\n"):
        assert line in found["all-reduce-h200.sbatch"]
    assert "#SBATCH --partition=train\n" in found["nodes-h200.sbatch"]
    for text in found.values():
        # HyperPod's Slurm has no GPUs as resources: such a job would never start.
        assert "--gpus" not in text
        assert "--gres" not in text


KINDS = [
    # Instance type, jobs.
    ("m7i.4xlarge", {"nodes"}),
    ("trn1.32xlarge", {"nodes", "efa", "nccom"}),
    ("p5.48xlarge", {"nodes", "efa", "all-reduce"}),
    ("g5.xlarge", {"nodes", "all-reduce"}),
]


@pytest.mark.parametrize(("type", "kinds"), KINDS)
def test_jobs_of_each_type(type: str, kinds: set[str]) -> None:
    found = jobs(f"node_groups: [{{name: h200, instance_type: {type}, count: 2}}]")
    assert set(found) == {f"{kind}-h200.sbatch" for kind in kinds} | {"run.sh"}


def test_neuron_nodes_use_addresses(tmp_path: Path) -> None:
    """DNS does not know Slurm's names of nodes everywhere."""
    job = jobs("node_groups: [{name: h200, instance_type: trn1.32xlarge, count: 2}]")
    programs = {
        "scontrol": "for n in 0 1; do echo NodeName=node-$n NodeAddr=10.0.0.$n Port=6818; done",
        "nccom-test": 'echo "root $NEURON_RT_ROOT_COMM_ID with $*"',
    }
    done = run(tmp_path, job["nccom-h200.sbatch"], programs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "root 10.0.0.0:48620 with -r 64 -N 2 --hosts 10.0.0.0 10.0.0.1 -b 8" in done.stdout
    unknown = run(tmp_path, job["nccom-h200.sbatch"], {**programs, "scontrol": "true"})
    assert (unknown.returncode, "FAIL: Slurm does not know" in unknown.stdout) == (1, True)


SIZES = [
    # Instance type, largest message.
    ("g5.48xlarge", "-e 4G "),
    ("p5.48xlarge", "-e 16G "),
    ("p6-b300.48xlarge", "-e 64G "),
]


@pytest.mark.parametrize(("type", "words"), SIZES)
def test_messages_fit_gpu_memory(type: str, words: str) -> None:
    found = jobs(f"node_groups: [{{name: h200, instance_type: {type}, count: 2}}]")
    assert words in found["all-reduce-h200.sbatch"]


def test_published_figures_are_notes() -> None:
    text = jobs("node_groups: [{name: h200, instance_type: p5.48xlarge, count: 2}]")
    assert "Published for 2 x p5.48xlarge: 487 GB/s at 16 GiB" in text["all-reduce-h200.sbatch"]
    for name in ("p5.4xlarge", "p5en.48xlarge"):
        type = catalog.find(name)
        assert type is not None
        assert nccl.reference(type) == ""


def test_verify_writes_to_a_shared_home_in_the_folder_of_the_user(tmp_path: Path) -> None:
    """A step of a job runs as the user, who may not write beside the home directories."""
    home = tmp_path / "home"
    (home / "alice").mkdir(parents=True)
    text = files_of(SPEC)["verify.sh"]
    text = text.replace("/home", str(home)).replace('main "$@"', "takes_files " + str(home))
    refuse = 'timeout() { [[ ${@: -1} == "$HOME"/* ]] && "${@:2}"; }\n'
    for user, status in (("alice", 0), ("mallory/none", 1)):
        environment = {"PATH": "/usr/bin:/bin", "HOME": f"{home}/{user}"}
        script = tmp_path / "verify.sh"
        script.write_text(refuse + text)
        done = subprocess.run(["bash", script], env=environment, capture_output=True, check=False)
        assert done.returncode == status, done.stderr
    assert not list((home / "alice").iterdir())
