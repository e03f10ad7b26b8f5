"""The network between nodes: EFA."""

from __future__ import annotations

from clustergen.monitoring.panels import Board, Row, Vended, graph
from clustergen.monitoring.sources import Source

_NAME = "{{node}}"


def _efa(*counters: str, function: str = "rate", window: str = "$rate") -> str:
    summed = " + ".join(
        f"{function}(node_amazonefa_{counter}{{$nodes}}[{window}])" for counter in counters
    )
    return f"sum by (node) ({summed})"


_QUIET = "by (node) (rate(node_amazonefa_tx_bytes{$nodes}[$rate]))"

BOARD = Board(
    "clustergen-network",
    "Network",
    (
        Row(
            "Traffic",
            (
                graph(
                    "Sent",
                    "Bps",
                    (_efa("tx_bytes"), _NAME),
                    vended=(Vended("node_amazonefa_tx_bytes", "Sum"),),
                ),
                graph(
                    "Received",
                    "Bps",
                    (_efa("rx_bytes"), _NAME),
                    vended=(Vended("node_amazonefa_rx_bytes", "Sum"),),
                ),
                graph(
                    "RDMA reads and writes",
                    "Bps",
                    (_efa("rdma_read_bytes", "rdma_write_bytes"), _NAME),
                ),
                graph(
                    "Quietest device against the busiest",
                    "percentunit",
                    (f"min {_QUIET} / (max {_QUIET} > 0)", _NAME),
                    help="Far below 100 % while a job runs: it does not use all devices.",
                ),
            ),
        ),
        Row(
            "Faults",
            (
                graph(
                    "Packets sent again",
                    "percentunit",
                    ("efa:retransmitted:ratio5m{$nodes}", _NAME),
                ),
                graph(
                    "Timeouts, impaired and unresponsive peers in 10 minutes",
                    "short",
                    (
                        _efa(
                            "retrans_timeout_events",
                            "impaired_remote_conn_events",
                            "unresponsive_remote_events",
                            function="increase",
                            window="10m",
                        ),
                        _NAME,
                    ),
                    vended=(
                        Vended("node_amazonefa_retrans_timeout_events", "Sum"),
                        Vended("node_amazonefa_unresponsive_remote_events", "Sum"),
                    ),
                ),
                graph(
                    "Dropped on receipt",
                    "pps",
                    (_efa("rx_drops"), _NAME),
                    vended=(Vended("node_amazonefa_rx_drops", "Sum"),),
                ),
                graph(
                    "Failed RDMA requests per second",
                    "short",
                    (_efa("rdma_read_wr_err", "rdma_write_wr_err"), _NAME),
                ),
            ),
        ),
    ),
    needs=frozenset({Source.EFA}),
)
