"""The smoke tests of Slurm, run with a scheduler that runs everything on this machine."""

import re
import subprocess
from pathlib import Path

import pytest

from clustergen.facts import catalog
from clustergen.services.nodes import nccl
from tests.services.hyperpod.test_lifecycle import SPEC
from tests.support.outcomes import succeeded
from tests.support.scripts import bash, programs
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
    folder: Path, text: str, answers: dict[str, str], nodes: int = 2
) -> subprocess.CompletedProcess[str]:
    """The job, with absolute paths of programs and file systems moved into `folder`."""
    programs(folder, {**PROGRAMS, **answers})
    for place in ("fsx", "home", "home/alice"):
        (folder / place).mkdir(exist_ok=True)
    moved = re.sub(r"/(fsx|home)\b", rf"{folder}/\1", text)
    moved = re.sub(r"/opt/(amazon/openmpi/bin|nccl-tests/build)/", f"{folder}/", moved)
    (folder / "job.sh").write_text(moved)
    slurm = {"SLURM_JOB_NUM_NODES": f"{nodes}", "SLURM_JOB_NODELIST": "node-[0-1]"}
    return bash(folder / "job.sh", first=folder, HOME=f"{folder}/home/alice", **slurm)


def jobs_of(type: str) -> dict[str, str]:
    return jobs(f"node_groups: [{{name: h200, instance_type: {type}, count: 2}}]")


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


@pytest.mark.parametrize(("job", "answers", "status", "words"), VERDICTS)
def test_verdicts(
    tmp_path: Path, job: str, answers: dict[str, str], status: int, words: str
) -> None:
    done = run(tmp_path, jobs()[f"{job}.sbatch"], answers)
    assert (done.returncode, words in done.stdout) == (status, True), done.stdout + done.stderr
    assert not list((tmp_path / "fsx").iterdir())


# The root of a new EFS belongs to root: users have only their own folders there.
ONLY_AT_HOME = """
[[ ${2:-} != */home/* || $2 == "$HOME"/* ]] || { echo "mktemp: Permission denied" >&2; exit 1; }
exec /usr/bin/mktemp "$@"
"""


def test_users_write_to_a_shared_home_in_their_own_folder(tmp_path: Path) -> None:
    done = run(tmp_path, jobs()["file-systems-h200.sbatch"], {"mktemp": ONLY_AT_HOME})
    succeeded(done)
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
    found = jobs_of(type)
    assert set(found) == {f"{kind}-h200.sbatch" for kind in kinds} | {"run.sh"}


@pytest.mark.parametrize(
    ("words", "ran"),
    [
        ("", ["nodes-a.sbatch", "nodes-b.sbatch"]),
        ("b", ["nodes-b.sbatch"]),
        ("--nodes=2 b a", ["--nodes=2 nodes-b.sbatch", "--nodes=2 nodes-a.sbatch"]),
    ],
)
def test_run_takes_node_groups(words: str, ran: list[str], tmp_path: Path) -> None:
    """Those of dated capacity wait until it starts."""
    script = jobs()["run.sh"]
    for name in ("nodes-a.sbatch", "nodes-b.sbatch"):
        (tmp_path / name).touch()
    script = script.replace('cd "$(dirname "${BASH_SOURCE[0]}")"', f"cd {tmp_path}")
    done = run(tmp_path, f"set -- {words}\n{script}", {"sbatch": 'echo "${*:3}" >>asked'})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "asked").read_text().splitlines() == ran


def test_neuron_nodes_use_addresses(tmp_path: Path) -> None:
    """DNS does not know Slurm's names of nodes everywhere."""
    job = jobs_of("trn1.32xlarge")["nccom-h200.sbatch"]
    answers = {
        "scontrol": "for n in 0 1; do echo NodeName=node-$n NodeAddr=10.0.0.$n Port=6818; done",
        "nccom-test": 'echo "root $NEURON_RT_ROOT_COMM_ID with $*"',
    }
    done = run(tmp_path, job, answers)
    succeeded(done)
    assert "root 10.0.0.0:48620 with -r 64 -N 2 --hosts 10.0.0.0 10.0.0.1 -b 8" in done.stdout
    assert "with -r 96 -N 3 " in run(tmp_path, job, answers, nodes=3).stdout
    unknown = run(tmp_path, job, {**answers, "scontrol": "true"})
    assert (unknown.returncode, "FAIL: Slurm does not know" in unknown.stdout) == (1, True)


LARGEST = [("g5.48xlarge", "4G"), ("p5.48xlarge", "16G"), ("p6-b300.48xlarge", "64G")]


@pytest.mark.parametrize(("type", "size"), LARGEST)
def test_messages_fit_gpu_memory(type: str, size: str) -> None:
    assert f"-e {size} " in jobs_of(type)["all-reduce-h200.sbatch"]


def test_published_figures_are_notes() -> None:
    words = "Published for 2 x p5.48xlarge: 487 GB/s at 16 GiB"
    assert words in jobs_of("p5.48xlarge")["all-reduce-h200.sbatch"]
    for name in ("p5.4xlarge", "p5en.48xlarge"):
        type = catalog.find(name)
        assert type is not None
        assert nccl.reference(type) == ""


@pytest.mark.parametrize(("user", "status"), [("alice", 0), ("mallory/none", 1)])
def test_verify_writes_in_the_home_of_the_user(tmp_path: Path, user: str, status: int) -> None:
    """A step of a job runs as the user, who may not write beside the home directories."""
    home = tmp_path / "home"
    (home / "alice").mkdir(parents=True)
    text = files_of(SPEC)["verify.sh"].replace("/home", str(home))
    refuse = 'timeout() { [[ ${@: -1} == "$HOME"/* ]] && "${@:2}"; }\n'
    script = tmp_path / "verify.sh"
    script.write_text(refuse + text.replace('main "$@"', f"takes_files {home}"))
    done = bash(script, HOME=f"{home}/{user}")
    assert done.returncode == status, done.stderr
    assert not list((home / "alice").iterdir())
