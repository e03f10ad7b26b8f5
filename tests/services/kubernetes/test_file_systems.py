"""The test of the file systems, run as the pods run it, over a folder that they share."""

import os
import subprocess
from pathlib import Path

from tests.services.kubernetes.planned import objects_of
from tests.support.scripts import programs
from tests.support.waiting import PATIENCE

SPEC = "storage: [{mount: /fsx, type: efs}]"


def start(folder: Path, index: int, bin: Path) -> subprocess.Popen[str]:
    """The pod of this index, with a `sleep` of a tenth of what is asked for."""
    [job] = objects_of(SPEC, "smoke/h200-file-systems.yaml")
    [container] = job["spec"]["template"]["spec"]["containers"]
    program, option, script = container["command"]
    search = f"{bin}{os.pathsep}/usr/bin:/bin"
    return subprocess.Popen(
        [program, option, script.replace("/fsx", str(folder))],
        env={"PATH": search, "RUN": "7f3c", "JOB_COMPLETION_INDEX": str(index)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_pods_see_each_others_files(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    bin = programs(tmp_path / "bin", {"sleep": "exec /bin/sleep 0.05"})
    pods = [start(shared, index, bin) for index in (0, 1)]
    output = [pod.communicate(timeout=PATIENCE) for pod in pods]
    assert [pod.returncode for pod in pods] == [0, 0], output
    assert all("written, and read from all of 2" in out for out, _ in output)
    assert list(shared.iterdir()) == []


def test_a_pod_without_shared_storage_fails(tmp_path: Path) -> None:
    """Two mounts that are not the same file system."""
    shared = tmp_path / "shared"
    shared.mkdir()
    pod = start(shared, 0, programs(tmp_path / "bin", {"sleep": "exit 0"}))
    _, output = pod.communicate(timeout=PATIENCE)
    assert pod.returncode != 0
    assert "is not visible from here" in output
