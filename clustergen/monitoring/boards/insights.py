"""What Container Insights measures of the nodes of Kubernetes; CloudWatch alone has it.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Container-Insights-metrics-enhanced-EKS.html
"""

from __future__ import annotations

from clustergen.monitoring.panels import Board, Panel, Row, Vended, graph
from clustergen.monitoring.sources import Source

_NEEDS = frozenset({Source.INSIGHTS})


def _insight(title: str, unit: str, metric: str, statistic: str = "Average") -> Panel:
    vended = Vended(metric, statistic, "ContainerInsights", "ClusterName")
    return graph(title, unit, needs=_NEEDS, vended=(vended,))


BOARD = Board(
    "clustergen-insights",
    "Container Insights",
    (
        Row(
            "Nodes",
            (
                _insight("Nodes of the cluster", "short", "cluster_node_count", "Maximum"),
                _insight("Failed nodes", "short", "cluster_failed_node_count", "Maximum"),
                _insight("CPUs in use", "percent", "node_cpu_utilization"),
                _insight("Memory in use", "percent", "node_memory_utilization"),
                _insight("GPUs in use", "percent", "node_gpu_utilization"),
                _insight("Root volumes in use", "percent", "node_filesystem_utilization"),
            ),
        ),
    ),
    needs=_NEEDS,
)
