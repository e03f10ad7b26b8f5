"""How fast clustergen is, and if that is fast enough: ``python benchmarks/bench.py [--runs N]``.

Times are CPU time. A command is compared with what loads least of what it needs: the two libraries
without which no spec can be read, and one model class. Both run in turn, so a busy machine slows
both alike. The table has the median of each figure, its samples, and its limit. Exits with 1 where
a limit is missed by more than the noise of the samples.
"""

from __future__ import annotations

import argparse
import http.server
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import keystrokes
from figures import Figure

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "specs" / "p5-on-demand.yaml"
SPECS = sorted((ROOT / "specs").glob("*.yaml"))
TARGETS = ("parallelcluster", "pcs")

FLOOR = "import yaml, pydantic; one model"
ONE = "check, one target"
BOTH = "check, two targets"
OWN = "check, targets of the spec"
SIX = "check, six targets"
RECOMMEND = "recommend"
RENDER = "render, two targets"
REPORT = "report, two targets"
EMPTY = "an empty CDK stack"
EKS = "render, EKS"
_FLOOR = """
import yaml, pydantic
class Model(pydantic.BaseModel):
    name: str
"""
# Rendering EKS needs no CDK; this is what it would take at least.
_EMPTY_STACK = """
import os, tempfile
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")
import aws_cdk as cdk
with tempfile.TemporaryDirectory() as folder:
    app = cdk.App(
        analytics_reporting=False, builtin_cloud_formation_validation=False, outdir=folder
    )
    cdk.Stack(app, "Empty")
    app.synth()
"""


def main() -> int:
    """Measure everything and print a table."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--runs", type=int, default=9, help="samples of each figure (9)")
    runs = arguments.parse_args().runs
    missed = False
    parts = (
        # First: a child's peak begins with that of the process that starts it.
        _many_specs(),
        _start_up(runs),
        _further_specs(runs),
        _large_specs(runs),
        _project(runs),
        _preflight(runs),
        _keystrokes(runs),
    )
    for figure in itertools.chain.from_iterable(parts):
        print(figure, flush=True)
        missed |= figure.missed
    return 1 if missed else 0


def _start_up(runs: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as out:
        taken = _in_turn(_commands(out), runs)
    for name, seconds in taken.items():
        limit = 80 if name == "--help" else None
        yield Figure(name, [each * 1000 for each in seconds], "ms", limit)
    for name, floor, most in (
        (ONE, FLOOR, 1.0),
        (SIX, FLOOR, 1.3),
        (RENDER, FLOOR, 2),
        (RECOMMEND, OWN, 1.3),
        (REPORT, BOTH, 3),
        (EKS, EMPTY, 1.3),
    ):
        ratios = [one / other for one, other in zip(taken[name], taken[floor], strict=True)]
        yield Figure(f"{name} / {floor}", ratios, "x", most)


def _commands(out: str) -> Mapping[str, Sequence[str]]:
    """The commands to time; ``out`` is a folder for what they write."""
    clustergen = [str(Path(sys.executable).with_name("clustergen"))]
    if not Path(clustergen[0]).exists():
        clustergen = [sys.executable, "-m", "clustergen"]
    two = [word for name in TARGETS for word in ("--target", name)]
    return {
        FLOOR: [sys.executable, "-c", _FLOOR],
        "--help": [*clustergen, "--help"],
        ONE: [*clustergen, "check", str(SPEC), "--target", "pcs"],
        BOTH: [*clustergen, "check", str(SPEC), *two],
        OWN: [*clustergen, "check", str(SPEC)],
        SIX: [*clustergen, "check", str(SPEC), "--target", "all"],
        RECOMMEND: [*clustergen, "recommend", str(SPEC)],
        RENDER: [*clustergen, "render", str(SPEC), *two, "-o", out],
        REPORT: [*clustergen, "report", str(SPEC), *two, "-o", f"{out}/report.html"],
        EMPTY: [sys.executable, "-c", _EMPTY_STACK],
        EKS: [*clustergen, "render", str(SPEC), "--target", "eks", "-o", f"{out}/eks"],
    }


def _in_turn(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, list[float]]:
    """CPU seconds of each command, after one run of each that fills the caches."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    # The first run may write what users' runs write: compiled modules and templates.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for turn in range(runs + 1):
        for name, command in commands.items():
            _, seconds = _peak(command, environment=environment, allowed=(0, 1))
            if turn:
                taken[name].append(seconds)
    return taken


def _further_specs(runs: int) -> Iterator[Figure]:
    checks = _rounds(_check, TARGETS, runs)
    yield Figure("a further spec checked, two targets", _typical(checks), "ms", 2.5)
    yield Figure("the slowest of them", _slowest(checks), "ms")
    renders = _rounds(_compile, TARGETS, runs)
    yield Figure("a further spec rendered, two targets", _typical(renders), "ms", 8)
    yield Figure("the slowest of them", _slowest(renders), "ms", 15)
    eks = _rounds(_compile, ("eks",), runs)
    yield Figure("a further spec rendered, EKS", _typical(eks), "ms")
    yield Figure("the slowest of them", _slowest(eks), "ms", 30)


def _rounds(
    run: Callable[[Path, Sequence[str]], None], targets: Sequence[str], runs: int
) -> list[list[float]]:
    """Milliseconds of each spec in rounds over all specs, after one that is not counted."""
    rounds = [[_seconds(run, spec, targets) * 1000 for spec in SPECS] for _ in range(runs + 1)]
    return rounds[1:]


def _typical(rounds: Sequence[Sequence[float]]) -> list[float]:
    """The median spec of each round."""
    return [statistics.median(each) for each in rounds]


def _slowest(rounds: Sequence[Sequence[float]]) -> list[float]:
    """The samples of the spec that usually takes longest."""
    return max(map(list, zip(*rounds, strict=True)), key=statistics.median)


def _check(path: Path, targets: Sequence[str]) -> None:
    import clustergen

    clustergen.check([path], targets=targets)


def _compile(path: Path, targets: Sequence[str] = ()) -> None:
    """Check a spec, and render it for those of its targets that can be."""
    import clustergen

    checked = clustergen.check([path], targets=targets)
    for target in checked.plans:
        if target and not checked.blocking(target):
            clustergen.render(checked, target)


def _seconds(run: Callable[..., object], *arguments: object) -> float:
    """The CPU time of a call: other programs on the machine change it least."""
    before = time.process_time()
    run(*arguments)
    return time.process_time() - before


def _large_specs(runs: int) -> Iterator[Figure]:
    every = [f"g{i}" for i in range(50)]
    shapes = {
        "50 queues, 50 node groups, one each": [[name] for name in every],
        "50 queues of all 50 node groups": [every] * 50,
    }
    for what, queues in shapes.items():
        taken = _of_text(_spec("wide", 50, queues), runs)
        yield Figure(f"{what}, two targets", taken, "ms", 400)
    for count in (25, 50, 100, 200, 400):
        taken = _of_text(_spec("growth", count, [[f"g{i}"] for i in range(count)]), min(runs, 3))
        each = [milliseconds / count for milliseconds in taken]
        yield Figure(f"{count} node groups, two targets, each", each, "ms")


def _of_text(text: str, runs: int) -> list[float]:
    """Milliseconds that the spec in ``text`` takes to render."""
    with _written(text) as path:
        return [_seconds(_compile, path, TARGETS) * 1000 for _ in range(runs)]


def _many_specs() -> Iterator[Figure]:
    for count in (10, 100, 1000):
        with _copies(count) as folder:
            peak, taken = _peak([sys.executable, "-m", "clustergen", "check", folder])
        yield Figure(f"{count} specs checked in one call, memory", [peak], "MB", 60)
        yield Figure(f"{count} specs checked in one call, each", [taken / count * 1000], "ms")


def _project(runs: int) -> Iterator[Figure]:
    with _copies(300) as folder:
        clusters = (f'[clusters.c{i}]\nfiles = ["{i:04}.yaml"]\n' for i in range(300))
        Path(folder, "clustergen.toml").write_text("".join(clusters), encoding="utf-8")
        command = [sys.executable, "-m", "clustergen", "check"]
        taken = [_peak(command, folder)[1] for _ in range(runs)]
    yield Figure("300 clusters of a project file, for four targets", taken, "s", 1.2)


@contextmanager
def _copies(count: int) -> Iterator[str]:
    """A folder with copies of a spec under other names, for as long as the context lasts."""
    text = SPEC.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for index in range(count):
            spec = text.replace("llm-p5", f"llm-p5-{index}")
            Path(folder, f"{index:04}.yaml").write_text(spec, encoding="utf-8")
        yield folder


_BOTOCORE = "import botocore.session, botocore.client, botocore.endpoint, botocore.signers"

_ERROR = "<Error><Code>AccessDenied</Code><Message>no</Message></Error>"
_DENIED = f"<Response>{_ERROR}<Errors>{_ERROR}</Errors><RequestID>1</RequestID></Response>".encode()


class _Denying(http.server.BaseHTTPRequestHandler):
    """An AWS that denies every call, so that preflight makes all of them."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(403)
        self.send_header("Content-Length", str(len(_DENIED)))
        self.end_headers()
        self.wfile.write(_DENIED)

    do_POST = do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _preflight(runs: int) -> Iterator[Figure]:
    spec = ROOT / "specs" / "everything-existing.yaml"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Denying) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
        url = f"http://127.0.0.1:{server.server_port}"
        asked = {**os.environ, **keys, "AWS_ENDPOINT_URL": url, "PYTHONWARNINGS": "ignore"}
        command = [sys.executable, "-m", "clustergen", "preflight", str(spec), "--target", "pcs"]
        floor = [sys.executable, "-c", _BOTOCORE]
        taken = [
            _peak(command, environment=asked)[1] - _peak(floor, environment=asked)[1]
            for _ in range(runs)
        ]
        server.shutdown()
    yield Figure("preflight of one spec, beyond the import of botocore", taken, "s", 1)


def _keystrokes(runs: int) -> Iterator[Figure]:
    """Waits are real time; each sample is the longest of several keystrokes."""
    for what, seconds in keystrokes.longest(SPEC.read_text(encoding="utf-8"), runs):
        yield Figure(f"editor: {what}", [each * 1000 for each in seconds], "ms", 50)


def _peak(
    command: Sequence[str],
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
    allowed: Collection[int] = (0,),
) -> tuple[float, float]:
    """Peak resident memory of ``command`` in MB, and its CPU time in seconds."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, stdout=quiet, stderr=quiet, cwd=folder, env=environment
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in allowed:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def _spec(name: str, groups: int, queues: Sequence[Sequence[str]]) -> str:
    machines = [
        f"  - {{name: g{index}, instance_type: c7i.4xlarge, count: {{max: 4}}}}"
        for index in range(groups)
    ]
    lists = [
        f"  - {{name: q{index}, node_groups: [{', '.join(members)}]}}"
        for index, members in enumerate(queues)
    ]
    head = ["version: 1", f"name: {name}", "region: us-east-2", "network: {zone: use2-az2}"]
    return "\n".join([*head, "node_groups:", *machines, "queues:", *lists, ""])


@contextmanager
def _written(text: str) -> Iterator[Path]:
    """A file with ``text`` for as long as the context lasts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cluster.yaml")
        path.write_text(text, encoding="utf-8")
        yield path


if __name__ == "__main__":
    sys.exit(main())
