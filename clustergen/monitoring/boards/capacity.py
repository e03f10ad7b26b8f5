"""Paid capacity, and its use."""

from __future__ import annotations

from clustergen.monitoring.panels import Board, Row, Vended, graph, stat
from clustergen.monitoring.sources import Source

GPU = frozenset({Source.GPU})
EXPECTED = frozenset({Source.EXPECTED})
RESERVATION = frozenset({Source.RESERVATION})
_PRICE = "sum(clustergen_node_usd_per_hour{$scope})"
_IDLE_PRICE = (
    "sum(max by (node) (clustergen_node_usd_per_hour{$scope})\n"
    "* on (node) (1 - avg by (node) (DCGM_FI_PROF_SM_ACTIVE{$scope})))"
)


def _instances(which: str) -> str:
    return f"max by (reservation) (clustergen_reservation_{which}_instances{{$scope}})"


def _reservation(metric: str) -> Vended:
    return Vended(metric, "Average", "AWS/EC2CapacityReservations", "CapacityReservationId")


BOARD = Board(
    "clustergen-capacity",
    "Capacity and cost",
    (
        Row(
            "Nodes",
            (
                graph(
                    "Nodes by group",
                    "short",
                    ('count by (group) (clustergen_node_info{$scope,role="compute"})', "{{group}}"),
                    needs=EXPECTED,
                ),
                graph(
                    "Price per hour",
                    "currencyUSD",
                    (_PRICE, "nodes that run"),
                    help="On-Demand prices of the region, for comparison; not what AWS bills.",
                    needs=EXPECTED,
                ),
                stat("Price of a day", "currencyUSD", f"24 * {_PRICE}", needs=EXPECTED),
            ),
        ),
        Row(
            "GPUs",
            (
                graph(
                    "Price per hour of SMs that are idle",
                    "currencyUSD",
                    (_IDLE_PRICE, "idle"),
                    needs=GPU | EXPECTED,
                ),
                stat(
                    "GPU hours at work, 24 h",
                    "h",
                    "24 * sum(avg_over_time(DCGM_FI_PROF_SM_ACTIVE{$scope}[1d]))",
                    needs=GPU,
                ),
                stat(
                    "GPU hours in all, 24 h",
                    "h",
                    "24 * sum(count_over_time(DCGM_FI_PROF_SM_ACTIVE{$scope}[1d])\n"
                    "/ scalar(max(count_over_time(DCGM_FI_PROF_SM_ACTIVE{$scope}[1d]))))",
                    needs=GPU,
                ),
                graph(
                    "Average power of all GPUs",
                    "watt",
                    (
                        "sum(rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{$scope}[$rate])) / 1000",
                        "power",
                    ),
                    needs=GPU,
                ),
            ),
        ),
        Row(
            "Reservations",
            (
                graph(
                    "Instances reserved and not running",
                    "short",
                    (_instances("available"), "{{reservation}}"),
                    needs=RESERVATION,
                    vended=(_reservation("AvailableInstanceCount"),),
                ),
                graph(
                    "Instances reserved",
                    "short",
                    (_instances("total"), "{{reservation}}"),
                    needs=RESERVATION,
                    vended=(_reservation("TotalInstanceCount"),),
                ),
                graph(
                    "Time left",
                    "s",
                    ("capacity:ends_in:seconds{$scope}", "{{reservation}}"),
                    needs=frozenset({Source.BLOCK}),
                ),
            ),
        ),
    ),
)
