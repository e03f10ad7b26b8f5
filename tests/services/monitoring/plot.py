"""The dashboards as pictures, with the data of the tests: ``python -m
tests.services.monitoring.plot``.

No package index has Grafana. The pictures show its layout and what the panels query, not its looks.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from tests.services.monitoring.cases import KUBERNETES, SLURM
from tests.services.monitoring.live import Live, eventually, every_dashboard, running
from tests.services.monitoring.promtool import plan_of
from tests.services.monitoring.test_live import filled

SHOWN = ("clustergen-cluster", "clustergen-jobs", "clustergen-gpu", "clustergen-network")
SECONDS = 45
UNIT = 52
"""Pixels of a unit of Grafana's grid."""
TALL = 30
COLORS = ("#3274d9", "#56a64b", "#e0752d", "#a352cc", "#e02f44", "#f2cc0c", "#37872d", "#8ab8ff")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as work,
        running(plan_of(SLURM), plan_of(KUBERNETES), Path(work)) as live,
    ):
        eventually(lambda: len(live.query("count by (job) (up == 1)")) == 4, "all are scraped")
        time.sleep(SECONDS / 2)
        live.cluster.xids["n2"] = 79
        live.machine.storm = True
        live.cluster.drained = 1
        time.sleep(SECONDS / 2)
        plan = plan_of(SLURM)
        for uid in SHOWN:
            picture = "\n".join(_picture(live, every_dashboard(plan)[uid], plan.name))
            (folder / f"{uid.partition('-')[2]}.svg").write_text(picture + "\n")


def _picture(live: Live, dashboard: Any, cluster: str) -> Iterator[str]:
    panels = dashboard["panels"]
    bottom = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels)
    size = f'width="{24 * UNIT}" height="{bottom * TALL + 10}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    yield '<rect width="100%" height="100%" fill="#f4f5f5"/>'
    for panel in panels:
        place = panel["gridPos"]
        x, y = place["x"] * UNIT + 4, place["y"] * TALL + 4
        width, height = place["w"] * UNIT - 8, place["h"] * TALL - 8
        yield f'<g transform="translate({x},{y})">'
        if panel["type"] == "row":
            yield f'<text y="16" font-weight="bold" font-size="15">{escape(panel["title"])}</text>'
        else:
            yield f'<rect width="{width}" height="{height}" fill="white" stroke="#ddd"/>'
            yield f'<text x="8" y="18" font-weight="bold">{escape(panel["title"])}</text>'
            yield from _content(live, panel, cluster, width, height)
        yield "</g>"
    yield "</svg>"


def _content(live: Live, panel: Any, cluster: str, width: int, height: int) -> Iterator[str]:
    found = [
        (_name(target["legendFormat"], one["metric"]), one["values"])
        for target in panel["targets"]
        for one in _range(live, filled(target["expr"], cluster))
    ]
    unit = panel["fieldConfig"]["defaults"]["unit"]
    if panel["type"] != "timeseries":
        for place, (name, points) in enumerate(found[:4]):
            text = f"{name} {_text(float(points[-1][1]), unit)}".strip()
            yield f'<text x="8" y="{50 + 26 * place}" font-size="20">{escape(text)}</text>'
        return
    numbers = [float(value) for _, points in found for _, value in points if value != "NaN"]
    low, high = min([0.0, *numbers]), max([0.0, *numbers]) or 1.0
    yield f'<text x="8" y="36" fill="#888">{escape(_text(high, unit))}</text>'
    base = height - 34
    yield f'<line x1="8" x2="{width - 8}" y1="{base}" y2="{base}" stroke="#ccc"/>'
    start = min(float(points[0][0]) for _, points in found) if found else 0.0
    for number, (name, points) in enumerate(found[:8]):
        color = COLORS[number % len(COLORS)]
        line = " ".join(
            f"{8 + (float(at) - start) / SECONDS * (width - 16):.1f},"
            f"{base - (float(value) - low) / (high - low) * (base - 44):.1f}"
            for at, value in points
            if value != "NaN"
        )
        yield f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5"/>'
        if number < 3:
            x = 8 + number * (width - 16) // 3
            short = name if len(name) < 22 else f"{name[:20]}..."
            yield f'<text x="{x}" y="{height - 10}" fill="{color}">{escape(short)}</text>'


def _range(live: Live, expr: str) -> list[Any]:
    now = time.time()
    asked = {"query": expr, "start": str(now - SECONDS), "end": str(now), "step": "1"}
    question = urllib.parse.urlencode(asked)
    with urllib.request.urlopen(f"{live.url}/api/v1/query_range?{question}") as answer:
        found: list[Any] = json.load(answer)["data"]["result"]
    return found


def _name(legend: str, labels: dict[str, str]) -> str:
    if legend == "__auto":
        return ", ".join(f"{key} {value}" for key, value in labels.items())
    for key, value in labels.items():
        legend = legend.replace("{{" + key + "}}", value)
    return legend


def _text(value: float, unit: str) -> str:
    if unit == "percentunit":
        return f"{value:.0%}"
    for factor, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.3g} {letter}{_UNITS.get(unit, '')}"
    return f"{value:.3g} {_UNITS.get(unit, '')}".strip()


_UNITS = {"bytes": "B", "Bps": "B/s", "watt": "W", "celsius": "C", "currencyUSD": "USD", "s": "s"}

if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/dashboards"))
