"""With a real Prometheus: faults reach a webhook, and every panel of every dashboard shows data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from clustergen.monitoring.cost import EFA_COUNTERS, HOST_SERIES, MOUNT_SERIES
from clustergen.monitoring.counters import COUNTERS
from clustergen.monitoring.dashboards import dashboards
from tests.monitoring.cases import KUBERNETES, SLURM
from tests.monitoring.live import WINDOW, Live, eventually, running
from tests.monitoring.promtool import plan_of
from tests.support import prometheus

pytestmark = pytest.mark.skipif(bool(prometheus.impossible()), reason=prometheus.impossible())

FAULTS = {
    "GpuXidReplace": {"node": "n2", "gpu": "0", "xid": "79", "severity": "page"},
    "ExporterDown": {"node": "n1", "job": "dcgm", "severity": "ticket"},
    "SlurmNodesDrained": {"severity": "ticket"},
    "EfaRetransmits": {"node": "n1", "severity": "ticket"},
}
"""Alerts that reach the webhook, with some of their labels."""
NEEDED = {
    **dict.fromkeys(("$__rate_interval",), WINDOW),
    **dict.fromkeys(("$node", "$hpc_job", "$pod"), ".+"),
}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live")
    with running(plan_of(SLURM), plan_of(KUBERNETES), folder) as live:
        eventually(lambda: len(live.query("count by (job) (up == 1)")) == 4, "all are scraped")
        yield live


@pytest.fixture(scope="module")
def broken(live: Live) -> Live:
    """After a GPU fell off the bus, an exporter was lost, a node drained, packets lost."""
    eventually(lambda: bool(live.query("efa:retransmitted:ratio5m")), "rates are known")
    assert set(live.alerts()) <= {"Watchdog"}
    live.cluster.xids.update({"n2": 79, "k1": 31})
    live.cluster.lost.add("n1")
    live.cluster.drained = 1
    live.machine.storm = True
    eventually(lambda: set(live.alerts()) >= FAULTS.keys(), f"the webhook got {list(FAULTS)}")
    return live


@pytest.mark.parametrize("alert", FAULTS)
def test_a_fault_reaches_the_webhook(broken: Live, alert: str) -> None:
    firing = [one for one in broken.alerts()[alert] if one["status"] == "firing"]
    assert any(FAULTS[alert].items() <= one["labels"].items() for one in firing)
    assert all(one["labels"]["cluster"] for one in firing)
    assert firing[0]["annotations"]["runbook"].endswith(f"#{alert.lower()}")


def test_an_error_of_a_job_pages_nobody(broken: Live) -> None:
    assert broken.query('ALERTS{alertname="GpuXidApplication",alertstate="firing"}')
    assert "GpuXidApplication" not in broken.alerts()


@pytest.mark.parametrize("cluster", [SLURM, KUBERNETES])
def test_every_panel_shows_data(broken: Live, cluster: str) -> None:
    plan = plan_of(cluster)
    empty = [
        (uid, panel["title"], target["expr"])
        for uid, dashboard in dashboards(plan).items()
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
        if not values(broken.query(filled(target["expr"], plan.name)))
    ]
    assert empty == []


def test_a_node_has_the_series_that_the_cost_is_made_of(broken: Live) -> None:
    """A small machine: two GPUs, two EFA devices, one file system."""
    name = plan_of(SLURM).name
    gpus = broken.query(f'count({{cluster="{name}",node="n2",job="dcgm",gpu="1"}})')
    assert values(gpus) == [len(COUNTERS) - 1]
    efa = f'count({{cluster="{name}",node="n1",__name__=~"node_amazonefa_.*"}})'
    assert values(broken.query(efa)) == [2 * EFA_COUNTERS]
    mounts = f'count({{cluster="{name}",node="n1",__name__=~"clustergen_mount_.*"}})'
    assert values(broken.query(mounts)) == [MOUNT_SERIES]
    once = "clustergen_(mount|reservation|lustre)_.*|node_amazonefa_.*|ALERTS.*|.*:.*"
    others = f'count({{cluster="{name}",node="n1",job="node",__name__!~"{once}"}})'
    [host] = values(broken.query(others))
    assert HOST_SERIES * 0.8 <= host <= HOST_SERIES


@pytest.mark.parametrize("cluster", [SLURM, KUBERNETES])
def test_every_choice_has_values(broken: Live, cluster: str) -> None:
    plan = plan_of(cluster)
    for uid, dashboard in dashboards(plan).items():
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                series, _, label = variable["definition"][len("label_values(") : -1].rpartition(
                    ", "
                )
                found = broken.query(f"count by ({label}) ({filled(series, plan.name)})")
                assert [one for one in found if one["metric"].get(label)], (uid, variable["name"])


def filled(expr: str, cluster: str) -> str:
    for name, value in NEEDED.items():
        expr = expr.replace(name, value)
    return expr.replace("$cluster", cluster)


def values(found: list[dict[str, Any]]) -> list[float]:
    """What the series say; a number that is none counts as no data."""
    numbers = [float(one["value"][1]) for one in found]
    return [number for number in numbers if not math.isnan(number)]
