"""A real Prometheus and Alertmanager with the rules of two plans, and exporters to watch.

Time is short: what rules call a minute is a second here, and they wait a tenth of that.
"""

import json
import re
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from clustergen.base.resources import tree
from clustergen.plan.model import Plan
from clustergen.services.monitoring import alertmanager, names
from clustergen.services.monitoring.dashboards import dashboards
from clustergen.services.monitoring.files import NODE_METRICS
from clustergen.services.monitoring.rules import rule_groups
from clustergen.services.monitoring.sources import Source, sources
from tests.services.monitoring.exporters import Cluster, Machine, serve
from tests.support import prometheus
from tests.support.waiting import own_port, until

INTERVAL = "1s"
WINDOW = "8s"
Json = dict[str, Any]


class Live:
    """What runs."""

    def __init__(self, url: str, cluster: Cluster, machine: Machine) -> None:
        self.url, self.cluster, self.machine = url, cluster, machine

    def query(self, expr: str) -> list[Json]:
        """The series that an expression has now."""
        question = urllib.parse.urlencode({"query": expr})
        with urllib.request.urlopen(f"{self.url}/api/v1/query?{question}") as answer:
            data = json.load(answer)["data"]
        return [data] if data["resultType"] == "scalar" else data["result"]

    def alerts(self) -> dict[str, list[Json]]:
        """Alerts that reached the webhook, by name."""
        found: dict[str, list[Json]] = {}
        for alert in list(self.cluster.received):
            found.setdefault(alert["labels"]["alertname"], []).append(alert)
        return found


@contextmanager
def running(slurm: Plan, kubernetes: Plan, folder: Path) -> Iterator[Live]:
    """All of it, until the end of the block."""
    cluster, machine = Cluster(), Machine(folder / "node")
    with ExitStack() as stack:
        server = serve(cluster)
        stack.callback(server.shutdown)
        exporters = f"127.0.0.1:{server.server_port}"
        node, own, sender = (stack.enter_context(own_port()) for _ in range(3))
        stack.enter_context(process(node_command(machine, node), folder / "node.log"))
        stack.enter_context(ticking(machine))
        write(folder / "alertmanager.json", to_webhook(f"http://{exporters}/"))
        sends = prometheus.alertmanager(
            f"--config.file={folder / 'alertmanager.json'}",
            f"--storage.path={folder / 'alertmanager'}",
            f"--web.listen-address=127.0.0.1:{sender}",
            "--cluster.listen-address=",
        )
        stack.enter_context(process(sends, folder / "alertmanager.log"))
        for plan in (slurm, kubernetes):
            for name, rules in rule_groups(plan).items():
                write(folder / f"{plan.name}-{name}.rules.json", quick(rules))
        scrapes = [*of_slurm(slurm, exporters, node), *of_kubernetes(kubernetes, exporters, node)]
        write(folder / "prometheus.json", configuration(folder, scrapes, f"127.0.0.1:{sender}"))
        command = prometheus.program(
            "prometheus",
            f"--config.file={folder / 'prometheus.json'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{own}",
        )
        stack.enter_context(process(command, folder / "prometheus.log"))
        live = Live(f"http://127.0.0.1:{own}", cluster, machine)
        eventually(lambda: answers(own), "Prometheus is ready")
        yield live


def eventually(true: Callable[[], bool], what: str) -> None:
    until(true, bool, what)


def node_command(machine: Machine, port: int) -> list[str]:
    """The real script, on the files of the machine."""
    script = tree("templates") / NODE_METRICS
    return [
        *(sys.executable, str(script), "--listen", f"127.0.0.1:{port}", "--host"),
        *("--gpus", "2", "--efa", "2", "--mounts", "/", "--lustre-targets", "--group", "h200"),
        *("--instance-type", "p5en.48xlarge"),
        *("--reservations", "cr-1", "--region", "us-east-2", "--sys", str(machine.sys)),
        *("--seen", str(machine.sys / "seen")),
        *("--lnetctl", str(machine.lnetctl), "--aws", str(machine.aws)),
    ]


def configuration(folder: Path, scrapes: list[Json], alertmanager: str) -> Json:
    often = ("scrape_interval", "scrape_timeout", "evaluation_interval")
    return {
        "global": dict.fromkeys(often, INTERVAL),
        "rule_files": [str(folder / "*.rules.json")],
        "alerting": {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]},
        "scrape_configs": scrapes,
    }


def scrape(plan: Plan, job: str, path: str, target: str, node: str) -> Json:
    """One target with the three labels; the name of the job has to be unique here."""
    labels = {names.CLUSTER: plan.name, names.NODE: node, names.JOB: job}
    dropped = {"action": "labeldrop", "regex": "|".join(names.DROPPED_LABELS)}
    return {
        "job_name": f"{plan.name} {job} {node}",
        "metrics_path": path,
        "honor_labels": True,
        "static_configs": [{"targets": [target], "labels": labels}],
        "metric_relabel_configs": [dropped] if job == names.DCGM else [],
    }


def of_slurm(plan: Plan, exporters: str, node: int) -> Iterator[Json]:
    for name in ("n1", "n2"):
        yield scrape(plan, names.HOST, "/metrics", f"127.0.0.1:{node}", name)
        yield scrape(plan, names.DCGM, f"/dcgm/{name}", exporters, name)
    yield scrape(plan, names.SLURM, "/slurm", exporters, "controller")


def of_kubernetes(plan: Plan, exporters: str, node: int) -> Iterator[Json]:
    yield scrape(plan, names.HOST, "/metrics", f"127.0.0.1:{node}", "n1")
    yield scrape(plan, names.DCGM, "/dcgm/k1", exporters, "n1")
    yield scrape(plan, names.KUBE_STATE, "/kubernetes", exporters, "")


def quick(rules: Json) -> Json:
    """The rules with windows of seconds instead of minutes, and a tenth of that to wait."""

    def waits(found: re.Match[str]) -> str:
        milliseconds = int(found[1]) * {"m": 100, "h": 6000}[found[2]]
        return f'"for": "{milliseconds}ms"'

    # At least as long as a few collections.
    text = re.sub(r"(\[| offset )(\d+)m", r"\g<1>1\2s", json.dumps(rules))
    text = re.sub(r'"for": "(\d+)([mh])"', waits, text)
    made: Json = json.loads(re.sub(r'"interval": "\d+s"', f'"interval": "{INTERVAL}"', text))
    return made


def to_webhook(url: str) -> Json:
    """Alertmanager's configuration with a webhook instead of the topic, and without waiting."""
    made = alertmanager.configuration(sns_topic="", region="")
    route = {**made["route"], "group_wait": "0s", "group_interval": "1s"}
    sends = {"webhook_configs": [{"url": url, "send_resolved": True}]}
    receivers = [
        {"name": each["name"], **(sends if "sns_configs" in each else {})}
        for each in made["receivers"]
    ]
    return {**made, "route": route, "receivers": receivers}


def write(path: Path, document: Json) -> None:
    path.write_text(json.dumps(document))


def answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready").close()
    except OSError:
        return False
    return True


@contextmanager
def process(command: list[str], log: Path) -> Iterator[None]:
    with log.open("w") as output:
        started = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        started.terminate()
        started.wait()


@contextmanager
def ticking(machine: Machine) -> Iterator[None]:
    """Counters that grow."""
    end = threading.Event()

    def tick() -> None:
        while not end.wait(0.2):
            machine.tick()

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def every_dashboard(plan: Plan) -> Mapping[str, Json]:
    """The dashboards of a plan, and that of jobs: the exporters here know the job of each GPU."""
    fed = sources(plan) | ({Source.JOB_FILES} if Source.SLURM in sources(plan) else set())
    with mock.patch("clustergen.services.monitoring.dashboards.sources", return_value=fed):
        return dashboards(plan)
