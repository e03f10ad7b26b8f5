"""With a real Prometheus: faults reach a webhook, and every panel of every dashboard shows data.

It is one test: two workers would start everything twice.
"""

import math
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clustergen.plan.model import Plan
from clustergen.services.monitoring.counters import COUNTERS
from clustergen.services.monitoring.samples import EFA_COUNTERS, HOST_SERIES, MOUNT_SERIES
from tests.services.monitoring.cases import KUBERNETES, SLURM
from tests.services.monitoring.live import WINDOW, Live, eventually, every_dashboard, running
from tests.services.monitoring.promtool import plan_of
from tests.support import prometheus
from tests.support.tiers import needs
from tests.support.waiting import until

FAULTS = {
    "GpuXidReplace": {"node": "n2", "gpu": "0", "xid": "79", "severity": "page"},
    "ExporterDown": {"node": "n1", "job": "dcgm", "severity": "ticket"},
    "SlurmNodesDrained": {"severity": "ticket"},
    "EfaRetransmits": {"node": "n1", "severity": "ticket"},
}
"""Alerts that reach the webhook, with some of their labels."""
CHOSEN = {"$__rate_interval": WINDOW, **dict.fromkeys(("$node", "$hpc_job", "$pod"), ".+")}


@needs(prometheus.impossible)
def test_faults_reach_a_webhook_and_panels_show_data(tmp_path: Path) -> None:
    slurm, kubernetes = plan_of(SLURM), plan_of(KUBERNETES)
    with running(slurm, kubernetes, tmp_path) as live:
        eventually(lambda: len(live.query("count by (job) (up == 1)")) == 4, "all are scraped")
        eventually(lambda: bool(live.query("efa:retransmitted:ratio5m")), "rates are known")
        assert not live.alerts()
        break_things(live)
        eventually(lambda: set(live.alerts()) >= FAULTS.keys(), f"the webhook got {list(FAULTS)}")
        eventually(lambda: jobs_error(live), "an Xid of a job is known")
        assert "GpuXidApplication" not in live.alerts()
        assert [name for name in FAULTS if not reached(live, name)] == []
        # Where this machine is busy, a scrape is late and its series are absent for a moment.
        until(lambda: without_data(live, slurm, kubernetes), operator.not_, "all have data")
        eventually(lambda: series_are_as_many(live, slurm.name), "series are as many as they cost")


def break_things(live: Live) -> None:
    """A GPU falls off the bus, an exporter is lost, a node drained, packets lost; a job errs."""
    live.cluster.xids.update({"n2": 79, "k1": 31})
    live.cluster.lost.add("n1")
    live.cluster.drained = 1
    live.machine.storm = True


def jobs_error(live: Live) -> bool:
    return bool(live.query('ALERTS{alertname="GpuXidApplication",alertstate="firing"}'))


def reached(live: Live, alert: str) -> bool:
    """Whether an alert reached the webhook with its labels and the section of the runbook."""
    firing = [one for one in live.alerts()[alert] if one["status"] == "firing"]
    links = {one["annotations"]["runbook"].rpartition("#")[2] for one in firing}
    labelled = any(FAULTS[alert].items() <= one["labels"].items() for one in firing)
    return labelled and links == {alert.lower()} and all(one["labels"]["cluster"] for one in firing)


def without_data(live: Live, *plans: Plan) -> list[tuple[str, str, str]]:
    """Panels without series, and variables without values."""
    return [one for plan in plans for one in (*empty(live, plan), *without_choice(live, plan))]


def empty(live: Live, plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Panels without data."""
    for uid, dashboard in every_dashboard(plan).items():
        for panel in dashboard["panels"]:
            for target in panel.get("targets", ()):
                if not values(live.query(filled(target["expr"], plan.name))):
                    yield uid, panel["title"], target["expr"]


def without_choice(live: Live, plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Variables without values."""
    for uid, dashboard in every_dashboard(plan).items():
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                inside = variable["definition"].removeprefix("label_values(").removesuffix(")")
                series, _, label = inside.rpartition(", ")
                found = live.query(f"count by ({label}) ({filled(series, plan.name)})")
                if not [one for one in found if one["metric"].get(label)]:
                    yield uid, variable["name"], variable["definition"]


def series_are_as_many(live: Live, cluster: str) -> bool:
    """Those of a machine with two EFA devices and one file system, and of one GPU."""

    def count(matchers: str) -> float:
        found = values(live.query(f'count({{cluster="{cluster}",{matchers}}})'))
        return found[0] if found else 0

    apart = "clustergen_(mount|reservation|lustre)_.*|node_amazonefa_.*|ALERTS.*|.*:.*"
    host = count(f'node="n1",job="node",__name__!~"{apart}"')
    return (
        count('node="n2",job="dcgm",gpu="1"') == len(COUNTERS) - 1
        and count('node="n1",__name__=~"node_amazonefa_.*"') == 2 * EFA_COUNTERS
        and count('node="n1",__name__=~"clustergen_mount_.*"') == MOUNT_SERIES
        and HOST_SERIES * 0.8 <= host <= HOST_SERIES
    )


def filled(expr: str, cluster: str) -> str:
    for name, value in CHOSEN.items():
        expr = expr.replace(name, value)
    return expr.replace("$cluster", cluster)


def values(found: list[dict[str, Any]]) -> list[float]:
    """What the series say; a number that is none counts as no data."""
    numbers = [float(one["value"][1]) for one in found]
    return [number for number in numbers if not math.isnan(number)]
