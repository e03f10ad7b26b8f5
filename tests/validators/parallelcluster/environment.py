"""The Python environment that ParallelCluster's validators run in, made when it is missing.

They cannot share ours: ParallelCluster wants `packaging~=25.0`, marshmallow 3 and the CDK v1
packages, which own the same `aws_cdk` name as aws-cdk-lib 2. The schema and the validators need
only the packages below, all pinned, so the rest of its dependencies stay out.
"""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clustergen.base.text_lists import words

VERSION = "3.16.1"
_PARALLELCLUSTER = f"aws-parallelcluster=={VERSION}"
_NEEDED_BY_ITS_VALIDATORS = words("""
    boto3==1.44.5 botocore==1.44.5 jmespath==1.1.0 marshmallow==3.26.2 packaging==25.0
    python-dateutil==2.9.0.post0 PyYAML==6.0.3 s3transfer==0.19.3 six==1.17.0 urllib3==2.8.0
""")


def python_for_validators(project: Path) -> Path:
    """The interpreter of `.validators/parallelcluster-<version>/` under `project`, ready to use.

    Safe when several test processes ask at once. Raises `RuntimeError` with pip's words on failure.
    """
    home = project / ".validators" / f"parallelcluster-{VERSION}"
    python = home / "bin" / "python"
    ready = home / f"ready-{_content_key()}"
    with _locked(home.with_name(home.name + ".lock")):
        if not ready.exists():
            _install(home, python)
            ready.touch()
    return python


def _content_key() -> str:
    wanted = "\n".join((sys.version, _PARALLELCLUSTER, *_NEEDED_BY_ITS_VALIDATORS))
    return hashlib.sha256(wanted.encode()).hexdigest()[:12]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _install(home: Path, python: Path) -> None:
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([sys.executable, "-m", "venv", "--clear", str(home)])
    _run([*pip, "--no-deps", *_NEEDED_BY_ITS_VALIDATORS, _PARALLELCLUSTER])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
