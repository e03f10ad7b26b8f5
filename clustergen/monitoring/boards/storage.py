"""File systems."""

from __future__ import annotations

from clustergen.monitoring.panels import Board, Row, Vended, graph
from clustergen.monitoring.sources import Source

_FREE = "min by (mountpoint) (clustergen_mount_free_bytes{$scope})"
_SIZE = "max by (mountpoint) (clustergen_mount_size_bytes{$scope})"
_OST = "by (filesystem, target)"
LUSTRE = frozenset({Source.LUSTRE})


OPENZFS = frozenset({Source.OPENZFS})


def _lustre(metric: str, statistic: str, total: str = "") -> Vended:
    """https://docs.aws.amazon.com/fsx/latest/LustreGuide/fs-metrics.html"""
    return Vended(metric, statistic, "AWS/FSx", "FileSystemId", total, LUSTRE)


def _openzfs(metric: str, statistic: str) -> Vended:
    """https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/fsx-openzfs-metrics.html"""
    return Vended(metric, statistic, "AWS/FSx", "FileSystemId", needs=OPENZFS)


BOARD = Board(
    "clustergen-storage",
    "Storage",
    (
        Row(
            "Space",
            (
                graph("Free", "percentunit", (f"{_FREE} / {_SIZE}", "{{mountpoint}}")),
                graph(
                    "Free bytes",
                    "bytes",
                    (_FREE, "{{mountpoint}}"),
                    vended=(_lustre("FreeDataStorageCapacity", "Sum", "SUM"),),
                ),
                graph(
                    "Used bytes",
                    "bytes",
                    (f"{_SIZE} - {_FREE}", "{{mountpoint}}"),
                    vended=(_openzfs("UsedStorageCapacity", "Average"),),
                ),
                graph(
                    "Fullest storage targets of Lustre: free",
                    "percentunit",
                    (
                        f"bottomk(5, min {_OST} (clustergen_lustre_target_free_bytes{{$scope}})\n"
                        f"/ max {_OST} (clustergen_lustre_target_size_bytes{{$scope}}))",
                        "{{filesystem}} {{target}}",
                    ),
                    needs=LUSTRE,
                    vended=(_lustre("FreeDataStorageCapacity", "Minimum", "MIN"),),
                ),
            ),
        ),
        Row(
            "Access",
            (
                graph(
                    "Nodes that have it mounted",
                    "short",
                    ("sum by (mountpoint) (clustergen_mount_present{$scope})", "{{mountpoint}}"),
                ),
                graph(
                    "Nodes where it does not answer",
                    "short",
                    (
                        "sum by (mountpoint) (1 - clustergen_mount_answers{$scope})",
                        "{{mountpoint}}",
                    ),
                ),
                graph(
                    "Lustre messages by network",
                    "short",
                    (
                        "sum by (net) (rate(clustergen_lnet_sent_messages_total{$scope}[$rate]))",
                        "sent, {{net}}",
                    ),
                    (
                        "sum by (net) "
                        "(rate(clustergen_lnet_received_messages_total{$scope}[$rate]))",
                        "received, {{net}}",
                    ),
                    needs=LUSTRE,
                    vended=(_lustre("DataReadBytes", "Sum"), _lustre("DataWriteBytes", "Sum")),
                ),
            ),
        ),
    ),
    needs=frozenset({Source.MOUNTS}),
)
