"""The scripts of the nodes, run: what they do, that a second run changes nothing, how they fail."""

import subprocess
from pathlib import Path

import pytest

from clustergen.base.shell import render
from tests.support.scripts import Rig


def _fixed(name: str) -> str:
    folder = "scripts" if name == "check-accelerators.sh" else "pcs"
    return render(f"{folder}/{name}.j2", linger=20, consequence="...")


def test_baseline(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {})
    (tmp_path / "etc/needrestart/conf.d").mkdir(parents=True)
    rig.twice(_fixed("baseline.sh"), "/slurm/bin")
    guard = rig.files()["etc/needrestart/conf.d/90-slurmd.conf"]
    assert guard == "$nrconf{override_rc}{qr(^slurmd)} = 0;\n"


def test_login_shells_find_slurm(tmp_path: Path) -> None:
    """Shells of an image without Slurm in the PATH get it; those of others keep theirs."""
    rig = Rig(tmp_path, {})
    for folder in ("image", "slurm"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "scontrol").write_text(f"#!/bin/sh\necho {folder}\n")
        (tmp_path / folder / "scontrol").chmod(0o755)
    rig.run(_fixed("baseline.sh"), f"{tmp_path}/slurm")
    profile = tmp_path / "etc/profile.d/zz-clustergen-slurm.sh"
    for path, answer in (("/usr/bin:/bin", "slurm"), (f"{tmp_path}/image:/usr/bin:/bin", "image")):
        shell = ["sh", "-c", f". {profile}; scontrol"]
        done = subprocess.run(shell, env={"PATH": path}, capture_output=True, text=True, check=True)
        assert done.stdout == f"{answer}\n"


EIGHT = 'for n in 0 1 2 3 4 5 6 7; do echo "GPU $n: NVIDIA H200 (UUID: GPU-$n)"; done'
HEALTHY = f'case "$*" in --list-gpus) {EIGHT} ;; *) echo 0 ;; esac'
BROKEN = f'case "$*" in --list-gpus) {EIGHT} ;; *) echo 3 ;; esac'


@pytest.mark.parametrize(
    ("answer", "count", "status", "message"),
    [
        (HEALTHY, "8", 0, ""),
        (HEALTHY, "4", 1, "4 accelerators expected, 8 found"),
        (BROKEN, "8", 1, "1 GPUs have uncorrected memory errors"),
        ("exit 9", "8", 1, "8 accelerators expected, 0 found"),
    ],
)
def test_check_of_gpus(tmp_path: Path, answer: str, count: str, status: int, message: str) -> None:
    """A failing check waits until the log agent has sent the reason."""
    run = Rig(tmp_path, {"nvidia-smi": answer}).run(_fixed("check-accelerators.sh"), "gpu", count)
    assert run.status == status
    assert message in run.output
    assert ("sleep 20" in run.calls) is bool(status)


@pytest.mark.parametrize(("count", "status"), [("2", 0), ("16", 1)])
def test_check_of_neuron_devices(tmp_path: Path, count: str, status: int) -> None:
    rig = Rig(tmp_path, {})
    for name in ("neuron0", "neuron1", "nvme0"):
        (tmp_path / "dev" / name).touch()
    find = "find /dev -maxdepth"
    script = _fixed("check-accelerators.sh").replace(find, f"find {tmp_path}/dev -maxdepth")
    assert rig.run(script, "neuron", count).status == status


def _mig() -> str:
    return render("pcs/mig.sh.j2", profiles="1g.18gb,1g.18gb", gpus=2)


def test_mig_partitions_each_gpu(tmp_path: Path) -> None:
    run = Rig(tmp_path, {}).twice(_mig())
    assert [call for call in run.calls if "--create-gpu-instance" in call] == [
        f"nvidia-smi mig -i {gpu} --create-gpu-instance 1g.18gb,1g.18gb --default-compute-instance"
        for gpu in (0, 1)
    ]


def test_correct_partitions_are_not_changed(tmp_path: Path) -> None:
    run = Rig(tmp_path, {"nvidia-smi": 'echo "  MIG 1g.18gb Device 0:"'}).run(_mig())
    assert not any("--create-gpu-instance" in call for call in run.calls)


def test_failed_partitioning_is_reported(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"nvidia-smi": "exit 3"})
    run = rig.run(_mig())
    assert run.status != 0
    assert "could not be partitioned" in (tmp_path / "dev/console").read_text(encoding="utf-8")
