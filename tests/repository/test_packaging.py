"""Every way to install: the commands, the templates and the example specs are there in each."""

import json
import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import clustergen
from clustergen.base.text_lists import word_set, words
from tests.support.paths import ROOT
from tests.support.scripts import completed
from tests.support.tiers import IN_REAL

pytestmark = IN_REAL

TREES = ("specs", "templates")
BIN = Path(sys.executable).parent
# Prints where the package is, then where its trees are.
ASK = (
    "import clustergen.base.resources as r; print(r.__file__, r.tree('specs'), r.tree('templates'))"
)
NOT_SOURCE = words("""
    __pycache__ .git .venv .validators .cache .*_cache .hypothesis out
    cdk.out node_modules
""")


def run(*command: object, cwd: Path, path: str = "", **variables: str) -> str:
    """What `command` prints; `path` is put before what Python imports from."""
    environment = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    environment |= {"PYTHONPATH": path, "UV_PYTHON": sys.executable, "UV_NO_PROGRESS": "1"}
    environment |= variables
    done = completed(*map(str, command), cwd=cwd, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources as they are in the repository."""
    made = tmp_path_factory.mktemp("checkout") / "clustergen"
    shutil.copytree(ROOT, made, ignore=shutil.ignore_patterns(*NOT_SOURCE))
    return made


@pytest.fixture(scope="module")
def built(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist."""
    made = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", made, cwd=checkout)
    return made


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def installed(wheel: Path, folder: Path) -> Path:
    """The wheel unpacked where Python can import it: what pip does, less the dependencies."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """The contents of every file in ``folder``, by relative path."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_version_is_in_one_place(wheel: Path) -> None:
    assert wheel.name == f"clustergen-{clustergen.__version__}-py3-none-any.whl"


def test_a_wheel_carries_the_trees(wheel: Path, checkout: Path) -> None:
    names = set(contents(wheel))
    assert "clustergen/py.typed" in names
    for tree in TREES:
        files = {str(p.relative_to(checkout)) for p in (checkout / tree).rglob("*") if p.is_file()}
        assert files
        assert {f"clustergen/_bundled/{file}" for file in files} - names == set()


def test_a_wheel_carries_nothing_else(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in contents(wheel)}
    assert tops == {"clustergen", f"clustergen-{clustergen.__version__}.dist-info"}


def test_a_wheel_finds_its_own_trees(wheel: Path, tmp_path: Path) -> None:
    home = installed(wheel, tmp_path / "site")
    package, *trees = run(sys.executable, "-c", ASK, cwd=tmp_path, path=str(home)).split()
    assert package == str(home / "clustergen" / "base" / "resources.py")
    assert trees == [str(home / "clustergen" / "_bundled" / tree) for tree in TREES]


def test_a_wheel_starts_checks_and_renders(wheel: Path, tmp_path: Path) -> None:
    home = str(installed(wheel, tmp_path / "site"))
    command = (sys.executable, "-m", "clustergen")
    run(*command, "init", "demo", cwd=tmp_path, path=home)
    run(*command, "check", "demo", cwd=tmp_path, path=home)
    run(*command, "render", "demo", "-o", "out", cwd=tmp_path, path=home)
    run(*command, "render", "demo", "-o", "checkout", cwd=tmp_path, path=str(ROOT))
    assert files(tmp_path / "out") == files(tmp_path / "checkout")


def test_a_wheel_carries_the_cdk_app(wheel: Path, tmp_path: Path) -> None:
    """The app that `clustergen cdk init` names makes the templates that app.py makes."""
    home = installed(wheel, tmp_path / "site")
    run(sys.executable, "-m", "clustergen", "cdk", "init", cwd=tmp_path, path=str(home))
    settings = json.loads((tmp_path / "cdk.json").read_text(encoding="utf-8"))
    python, *app = settings["app"].split()
    assert python == "python3"
    assert settings["context"] == json.loads((ROOT / "cdk.json").read_text("utf-8"))["context"]
    assert (tmp_path / "package.json").read_bytes() == (ROOT / "package.json").read_bytes()
    assert {path.name for path in (home / "clustergen" / "stacks").iterdir()} == {
        path.name for path in (ROOT / "stacks").glob("*.py")
    }
    spec = ROOT / "specs" / "p5-on-demand.yaml"
    context = json.dumps({"spec": str(spec), "target": "pcs"})
    commands = {
        "wheel": ((sys.executable, *app), str(home)),
        "checkout": ((sys.executable, ROOT / "app.py"), str(ROOT)),
    }
    templates = {}
    for name, (command, path) in commands.items():
        folder = tmp_path / name
        cdk = {"CDK_CONTEXT_JSON": context, "CDK_OUTDIR": str(folder)}
        run(*command, cwd=tmp_path, path=path, **cdk)
        templates[name] = {p.name: p.read_text() for p in folder.glob("*.template.json")}
    assert set(templates["wheel"]) == {
        "llm-p5-foundation.template.json",
        "llm-p5-pcs.template.json",
    }
    assert templates["wheel"] == templates["checkout"]


def test_an_sdist_builds_the_same_wheel(built: Path, wheel: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist")
    run(*build, cwd=source)
    assert contents(tmp_path / "dist" / wheel.name) == contents(wheel)


def test_an_sdist_carries_its_tests_and_docs(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    expected = word_set(
        "tests/repository/test_packaging.py tools/docs/build.py .ci/run benchmarks/bench.py"
    )
    expected |= {"app.py", "cdk.json", "package.json", "package-lock.json", "stacks/eks.py"}
    assert expected - names == set()


def test_uv_sync(checkout: Path, tmp_path: Path) -> None:
    """An editable install of a checkout, from the lock file, which is up to date."""
    run(BIN / "uv", "sync", "--locked", "--quiet", cwd=checkout)
    python = checkout / ".venv" / "bin" / "python"
    package, *trees = run(python, "-c", ASK, cwd=tmp_path).split()
    assert package == str(checkout / "clustergen" / "base" / "resources.py")
    assert trees == [str(checkout / tree) for tree in TREES]


def test_uvx_from_a_wheel(wheel: Path, tmp_path: Path) -> None:
    command = (BIN / "uvx", "--quiet", "--from", wheel, "clustergen")
    run(*command, "init", "demo", cwd=tmp_path)
    run(*command, "render", "demo", "-o", "out", cwd=tmp_path)
    assert list(tmp_path.glob("out/*/pcs/cluster.template.json"))
