"""How fast clustergen is: ``python benchmarks/bench.py [--runs N]``.

Start-up is compared with two floors measured in the same run: a bare interpreter, and one that
imports the two libraries without which no spec can be read. Runs are interleaved and medians taken,
so a busy machine slows all of them alike. Exits 1 where something is over its limit.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import keystrokes

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "specs" / "p5-on-demand.yaml"
TARGETS = ("parallelcluster", "pcs")

BARE = "python -c pass"
FLOOR = "import yaml, pydantic"
CHECK = "check, both targets"
CHECK_ALL = "check, all targets of the spec"
RECOMMEND = "recommend"
RENDER = "render, both targets"
REPORT = "report, both targets"
EMPTY = "an empty stack of the CDK"
EKS = "render, EKS"
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


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement: its value as text, and the limit it is held to, if any."""

    what: str
    value: str
    limit: str = ""
    over: bool = False


def main() -> int:
    """Measure everything and print a table."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--runs", type=int, default=15, help="runs of each command (15)")
    runs = arguments.parse_args().runs
    over = False
    parts = (
        _start_up(runs),
        _further_specs(),
        _further_stacks(),
        _wide(),
        _growth(),
        _many_specs(),
        _project(),
        _preflight(),
        _keystrokes(runs),
    )
    for line in itertools.chain.from_iterable(parts):
        print(f"{line.what:<58} {line.value:>24}  {line.limit}", flush=True)
        over |= line.over
    return 1 if over else 0


def _start_up(runs: int) -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as out:
        seconds = _medians(_commands(out), runs)
    for name, taken in seconds.items():
        yield Line(name, f"{taken * 1000:.0f} ms")
    for name, floor, limit in (
        ("--help", BARE, 5),
        (CHECK, FLOOR, 2.5),
        (RENDER, FLOOR, 4),
        (REPORT, CHECK, 3),
        (RECOMMEND, CHECK_ALL, 1.5),
        (EKS, EMPTY, 1.3),
    ):
        ratio = seconds[name] / seconds[floor]
        yield Line(f"{name} / {floor}", f"{ratio:.2f} x", f"at most {limit} x", ratio > limit)


def _commands(out: str) -> Mapping[str, Sequence[str]]:
    """The commands to time; ``out`` is a folder for what they write."""
    clustergen = [str(Path(sys.executable).with_name("clustergen"))]
    if not Path(clustergen[0]).exists():
        clustergen = [sys.executable, "-m", "clustergen"]
    targets = [word for name in TARGETS for word in ("--target", name)]
    return {
        BARE: [sys.executable, "-c", "pass"],
        FLOOR: [sys.executable, "-c", FLOOR],
        "--help": [*clustergen, "--help"],
        CHECK: [*clustergen, "check", str(SPEC), *targets],
        CHECK_ALL: [*clustergen, "check", str(SPEC)],
        RECOMMEND: [*clustergen, "recommend", str(SPEC)],
        RENDER: [*clustergen, "render", str(SPEC), *targets, "-o", out],
        REPORT: [*clustergen, "report", str(SPEC), *targets, "-o", f"{out}/report.html"],
        EMPTY: [sys.executable, "-c", _EMPTY_STACK],
        EKS: [*clustergen, "render", str(SPEC), "--target", "eks", "-o", out],
    }


def _medians(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, float]:
    """Median wall seconds of each command, after one run of each that fills the caches."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    # The first run may write what users' runs write: compiled modules and templates.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for turn in range(runs + 1):
        for name, command in commands.items():
            before = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, env=environment)
            if turn:
                taken[name].append(time.perf_counter() - before)
    return {name: statistics.median(values) for name, values in taken.items()}


def _further_specs() -> Iterator[Line]:
    specs = sorted((ROOT / "specs").glob("*.yaml"))
    for spec in specs:
        _compile(spec, TARGETS)
    checks = [_seconds(_check, spec, TARGETS) * 1000 for spec in specs]
    typical = statistics.median(checks)
    what = "a further spec checked in the process, both targets, median"
    yield Line(what, f"{typical:.1f} ms", "at most 4 ms", typical > 4)
    taken = [_seconds(_compile, spec, TARGETS) * 1000 for spec in specs]
    worst = max(taken)
    yield Line(
        "a further spec rendered in the process, both targets, median",
        f"{statistics.median(taken):.1f} ms",
    )
    yield Line("the slowest of them", f"{worst:.1f} ms", "at most 15 ms", worst > 15)


def _further_stacks() -> Iterator[Line]:
    specs = sorted((ROOT / "specs").glob("*.yaml"))
    _compile(SPEC, ["eks"])
    worst = max(_seconds(_compile, spec, ["eks"]) for spec in specs) * 1000
    yield Line(
        "a further spec for EKS, the slowest", f"{worst:.0f} ms", "at most 50 ms", worst > 50
    )


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


def _wide() -> Iterator[Line]:
    every = [f"g{i}" for i in range(50)]
    shapes = {
        "50 queues, 50 node groups, one each": [[name] for name in every],
        "50 queues of all 50 node groups": [every] * 50,
    }
    for what, queues in shapes.items():
        with _written(_spec("wide", 50, queues)) as path:
            taken = _seconds(_compile, path, TARGETS)
        yield Line(f"{what}, both targets", f"{taken * 1000:.0f} ms", "at most 400 ms", taken > 0.4)


def _growth() -> Iterator[Line]:
    for count in (25, 50, 100, 200, 400):
        with _written(_spec("growth", count, [[f"g{i}"] for i in range(count)])) as path:
            taken = min(_seconds(_compile, path, TARGETS) for _ in range(3))
        each = f"{taken * 1000:.0f} ms, {taken / count * 1000:.2f} ms each"
        yield Line(f"{count} node groups, both targets", each)


def _many_specs() -> Iterator[Line]:
    peaks = {}
    for count in (10, 100, 1000):
        with tempfile.TemporaryDirectory() as folder:
            for index in range(count):
                text = SPEC.read_text(encoding="utf-8").replace("llm-p5", f"llm-p5-{index}")
                Path(folder, f"{index:04}.yaml").write_text(text, encoding="utf-8")
            command = [sys.executable, "-m", "clustergen", "check", folder]
            peaks[count], taken = _peak(command)
        each = f"{peaks[count]:.0f} MB, {taken / count * 1000:.1f} ms each"
        over = peaks[count] > 60
        yield Line(f"{count} specs checked in one call", each, "at most 60 MB", over)


def _project() -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as folder:
        text = SPEC.read_text(encoding="utf-8")
        for index in range(300):
            spec = text.replace("llm-p5", f"llm-p5-{index}")
            Path(folder, f"{index}.yaml").write_text(spec, encoding="utf-8")
        clusters = (f'[clusters.c{index}]\nfiles = ["{index}.yaml"]\n' for index in range(300))
        Path(folder, "clustergen.toml").write_text("".join(clusters), encoding="utf-8")
        _, taken = _peak([sys.executable, "-m", "clustergen", "check"], folder)
    what = "300 clusters of a project file, for all their targets"
    yield Line(what, f"{taken:.2f} s", "at most 1.2 s", taken > 1.2)


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


def _preflight() -> Iterator[Line]:
    spec = ROOT / "specs" / "everything-existing.yaml"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Denying) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
        url = f"http://127.0.0.1:{server.server_port}"
        asked = {**os.environ, **keys, "AWS_ENDPOINT_URL": url, "PYTHONWARNINGS": "ignore"}
        command = [sys.executable, "-m", "clustergen", "preflight", str(spec), "--target", "pcs"]
        _, floor = _peak([sys.executable, "-c", _BOTOCORE])
        _, taken = _peak(command, environment=asked)
        server.shutdown()
    what = "preflight of one spec, CPU beyond the import of botocore"
    yield Line(what, f"{taken - floor:.2f} s", "at most 1 s", taken - floor > 1)


def _keystrokes(runs: int) -> Iterator[Line]:
    for what, median, worst in keystrokes.medians(SPEC.read_text(encoding="utf-8"), 2 * runs):
        value = f"{median:.0f} ms, at worst {worst:.0f} ms"
        yield Line(f"language server: {what}", value, "at most 50 ms", median > 50)


def _peak(
    command: Sequence[str],
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[float, float]:
    """Peak resident memory of ``command`` in MB, and its CPU time in seconds."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, cwd=folder, env=environment
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
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
