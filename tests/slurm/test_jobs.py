"""Job templates, smoke tests and verify.sh of every target with Slurm."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.checking import Fragments
from tests.oracles.shell import script_violations

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


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_scripts_that_the_shell_accepts(target: str) -> None:
    files = files_of(target)
    assert {
        "verify.sh",
        "smoke/run.sh",
        "smoke/nodes-h200.sbatch",
        "smoke/efa-h200.sbatch",
        "smoke/all-reduce-container-h200.sbatch",
        "smoke/file-systems-h200.sbatch",
        "smoke/nodes-cpu.sbatch",
        "jobs/torchrun-h200.sbatch",
        "jobs/mpi-cpu.sbatch",
    } <= set(files)
    shell = {path: text for path, text in files.items() if path.endswith((".sh", ".sbatch"))}
    assert script_violations(shell) == []


ONE_GROUP = [
    # Target, what keeps a job off the queue's other nodes.
    ("parallelcluster", "#SBATCH --constraint=h200\n"),
    ("pcs", "#SBATCH --exclude=cpu-[1-4]\n"),
]


@pytest.mark.parametrize(("target", "line"), ONE_GROUP)
def test_a_job_gets_nodes_of_its_group(target: str, line: str) -> None:
    files = files_of(target)
    for path in ("smoke/nodes-h200.sbatch", "jobs/torchrun-h200.sbatch"):
        assert line in files[path]


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


@pytest.mark.parametrize("target", ["parallelcluster", "pcs"])
def test_tests_do_not_start_a_whole_scaling_group(target: str) -> None:
    assert "#SBATCH --nodes=2\n" in files_of(target, SCALING)["smoke/nodes-h200.sbatch"]


def run(folder: Path, text: str, *arguments: str, **programs: str) -> list[str]:
    """The arguments of srun in a job, one a line."""
    programs = {"srun": 'printf "%s\\n" "$@"', "hostname": "echo node-0", **programs}
    for name, body in programs.items():
        (folder / name).write_text(f"#!/bin/bash\n{body}\n")
        (folder / name).chmod(0o755)
    (folder / "job").write_text(text)
    done = subprocess.run(
        ["/bin/bash", str(folder / "job"), *arguments],
        env={
            "PATH": f"{folder}{os.pathsep}/usr/bin:/bin",
            "SLURM_JOB_NUM_NODES": "2",
            "SLURM_JOB_ID": "7",
            "IMAGE": "/fsx/pytorch.sqsh",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_the_template_starts_a_process_for_each_gpu(tmp_path: Path) -> None:
    text = files_of("pcs")["jobs/torchrun-h200.sbatch"]
    assert run(tmp_path, text, "train.py", "--lr", "1e-4") == [
        "--cpu-bind=none",
        "--gpus-per-node=8",
        "--container-image=/fsx/pytorch.sqsh",
        "--container-mounts=/fsx:/fsx",
        "torchrun",
        "--nnodes=2",
        "--nproc-per-node=8",
        "--rdzv-id=7",
        "--rdzv-backend=c10d",
        "--rdzv-endpoint=node-0:29500",
        "train.py",
        "--lr",
        "1e-4",
    ]


NODES = [
    ("pcs", "h200-2"),
    ("parallelcluster", "all-st-h200-2"),
    ("parallelcluster", "all-dy-h200-1"),
]
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


@pytest.mark.parametrize(("target", "node"), NODES)
@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({}, ""),
        ({"nvidia-smi": "echo GPU 0: x"}, "WRONG   8 accelerators, found 1"),
        ({"mountpoint": "[[ $2 != /fsx ]]"}, "WRONG   /fsx is mounted"),
        ({"systemctl": "[[ $3 != slurmd.service ]]"}, "WRONG   slurmd runs"),
        ({"id": "echo 1000"}, "WRONG   alice has the id 2001"),
    ],
)
def test_verify_reports_problems_of_a_node(
    tmp_path: Path, target: str, node: str, broken: dict[str, str], words: str
) -> None:
    for name, body in {**HEALTHY, **broken}.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{body}\n")
        (tmp_path / name).chmod(0o755)
    devices = tmp_path / "infiniband"
    for number in range(16):
        (devices / f"rdmap{number}").mkdir(parents=True)
    text = files_of(target)["verify.sh"].replace("/sys/class/infiniband", str(devices))
    text = text.replace("PATH=/usr/local/sbin", f"PATH={tmp_path}:/usr/local/sbin")
    (tmp_path / "verify.sh").write_text(text)
    done = subprocess.run(
        ["/bin/bash", str(tmp_path / "verify.sh")],
        env={"SLURMD_NODENAME": node, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, words in done.stdout) == (1 if words else 0, True), (
        done.stdout + done.stderr
    )
