"""What dcgm-exporter measures: its file of counters.

Names: https://docs.nvidia.com/datacenter/dcgm/latest/dcgm-api/dcgm-api-field-ids.html; the exporter
takes the type as written, so it has to be right here: PCIe is bytes per second, hence a gauge.
"""

from pathlib import Path
from typing import Final, NamedTuple


class Counter(NamedTuple):
    """One field of DCGM for each GPU."""

    name: str
    type: str
    """gauge or counter."""
    help: str


_LINES: Final = Path(__file__).with_suffix(".csv").read_text(encoding="ascii").splitlines()
COUNTERS: Final = tuple(Counter(*line.split(",")) for line in _LINES)
"""Each is a series for every GPU, so only what an alert or a panel reads is here."""

ADD_ON_FIELDS: Final = 48
"""Of each GPU by HyperPod's add-on with the level ADVANCED: all lines of
https://github.com/NVIDIA/dcgm-exporter/blob/main/etc/dcp-metrics-included.csv, comments included;
2026-11-23."""

PATH: Final = "monitoring/dcgm-counters.csv"


def csv() -> str:
    """The file for dcgm-exporter's ``-f``.

    All are gauges there: the CloudWatch agent adds ``_total`` to the name of a counter without it,
    and Prometheus's functions do not ask for the type.
    https://github.com/aws/amazon-cloudwatch-agent/blob/main/translator/tocwconfig/sampleConfig/prometheus_otel_config_linux.yaml
    """
    lines = (f"{counter.name}, gauge, {counter.help}" for counter in COUNTERS)
    return "\n".join(("# field, type, help", *lines)) + "\n"
