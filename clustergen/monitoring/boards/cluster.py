"""The whole cluster at a glance."""

from __future__ import annotations

from clustergen.monitoring import names
from clustergen.monitoring.panels import Board, Row, Vended, graph, stat
from clustergen.monitoring.sources import Source

GPU = frozenset({Source.GPU})
EFA = frozenset({Source.EFA})
HOST = frozenset({Source.HOST})

BOARD = Board(
    "clustergen-cluster",
    "Cluster",
    (
        Row(
            "Now",
            (
                stat(
                    "Nodes that report",
                    "short",
                    f'sum(up{{$scope,job="{names.HOST}"}})',
                    needs=HOST,
                ),
                stat(
                    "Nodes that do not answer",
                    "short",
                    f'count(up{{$scope,job="{names.HOST}"}} == 0) or vector(0)',
                    needs=HOST,
                ),
                stat(
                    "GPUs that report",
                    "short",
                    "count(count by (node, gpu) (DCGM_FI_DEV_GPU_TEMP{$scope})) or vector(0)",
                    needs=GPU,
                ),
                stat(
                    "GPUs missing",
                    "short",
                    "sum(max by (node) (clustergen_expected_gpus{$scope}))\n"
                    "- (count(count by (node, gpu) (DCGM_FI_DEV_GPU_TEMP{$scope})) or vector(0))",
                    needs=frozenset({Source.GPU, Source.EXPECTED}),
                ),
                stat(
                    "GPUs at work",
                    "percentunit",
                    "(count(DCGM_FI_PROF_SM_ACTIVE{$scope} > 0.05) or vector(0))\n"
                    "/ count(DCGM_FI_PROF_SM_ACTIVE{$scope})",
                    help="GPUs whose SMs are active more than 5 % of the time.",
                    needs=GPU,
                ),
                stat(
                    "Power of all GPUs",
                    "watt",
                    "sum(DCGM_FI_DEV_POWER_USAGE{$scope})",
                    needs=GPU,
                ),
                stat(
                    "Alerts that fire",
                    "short",
                    'count(ALERTS{$scope,alertstate="firing",severity=~"page|ticket"}) '
                    "or vector(0)",
                ),
                stat(
                    "Capacity ends in",
                    "s",
                    "min by (reservation) (clustergen_reservation_end_seconds{$scope}) - time()",
                    "{{reservation}}",
                    needs=frozenset({Source.BLOCK}),
                ),
            ),
        ),
        Row(
            "Work",
            (
                graph(
                    "SM activity",
                    "percentunit",
                    ("avg by (node) (DCGM_FI_PROF_SM_ACTIVE{$nodes})", "{{node}}"),
                    help="Share of cycles in which SMs have work: the honest utilization.",
                    needs=GPU,
                    vended=(Vended("DCGM_FI_PROF_SM_ACTIVE", "Average"),),
                ),
                graph(
                    "Tensor core activity",
                    "percentunit",
                    ("avg by (node) (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{$nodes})", "{{node}}"),
                    needs=GPU,
                ),
                graph(
                    "EFA: sent",
                    "Bps",
                    ("sum by (node) (rate(node_amazonefa_tx_bytes{$nodes}[$rate]))", "{{node}}"),
                    needs=EFA,
                    vended=(Vended("node_amazonefa_tx_bytes", "Sum"),),
                ),
                graph(
                    "CPU busy",
                    "percentunit",
                    (
                        "1 - avg by (node) "
                        '(rate(node_cpu_seconds_total{$nodes,mode="idle"}[$rate]))',
                        "{{node}}",
                    ),
                    needs=HOST,
                ),
                graph(
                    "Memory in use",
                    "percentunit",
                    (
                        "1 - node_memory_MemAvailable_bytes{$nodes}\n"
                        "/ node_memory_MemTotal_bytes{$nodes}",
                        "{{node}}",
                    ),
                    needs=HOST,
                ),
                graph(
                    "Root volume in use",
                    "percentunit",
                    (
                        '1 - node_filesystem_avail_bytes{$nodes,mountpoint="/"}\n'
                        '/ node_filesystem_size_bytes{$nodes,mountpoint="/"}',
                        "{{node}}",
                    ),
                    needs=HOST,
                ),
            ),
        ),
    ),
)
