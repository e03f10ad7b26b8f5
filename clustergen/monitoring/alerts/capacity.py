"""Capacity that is paid for ahead: when it ends, and whether it is used."""

from __future__ import annotations

from clustergen.monitoring.alert import Alarm, Alert, Recorded, RuleGroup
from clustergen.monitoring.sources import Source

BLOCK = frozenset({Source.BLOCK})
_LEFT = "capacity:ends_in:seconds{$scope}"


def _instances(which: str) -> str:
    """Each node that asks EC2 reports the same number."""
    return f"max by (cluster, reservation) (clustergen_reservation_{which}_instances{{$scope}})"


GROUP = RuleGroup(
    "capacity",
    "60s",
    (
        Recorded(
            "capacity:ends_in:seconds",
            "min by (cluster, reservation) (clustergen_reservation_end_seconds{$scope}) - time()",
            BLOCK,
        ),
        Alert(
            "CapacityBlockEndsInADay",
            "ticket",
            "capacity",
            f"{_LEFT} < 86400 and {_LEFT} > 7200",
            "{{ $labels.reservation }} ends in {{ $value | humanizeDuration }}",
            "The Capacity Block ends within a day, and all its instances with it.",
            ("plan the last checkpoint; `aws ec2 purchase-capacity-block-extension` extends it",),
            needs=BLOCK,
        ),
        # EC2 begins to end the instances 30 minutes before, 60 for UltraServers:
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html
        Alert(
            "CapacityBlockEndsSoon",
            "page",
            "capacity",
            f"{_LEFT} <= 7200 and {_LEFT} > 0",
            "{{ $labels.reservation }} ends in {{ $value | humanizeDuration }}: checkpoint now",
            "EC2 terminates the instances 30 minutes before the end (UltraServers: 60).",
            ("have the jobs write a checkpoint, and stop them",),
            needs=BLOCK,
        ),
        Alert(
            "ReservationUnused",
            "ticket",
            "capacity",
            f"{_instances('available')}\n/ {_instances('total')} > 0.25\n"
            "and on (cluster, reservation) "
            "max by (cluster, reservation) (clustergen_reservation_active{$scope}) > 0",
            "{{ $value | humanizePercentage }} of {{ $labels.reservation }} is paid for and idle",
            "Instances of the reservation are not running: nodes did not start, or no job asks "
            "for them.",
            ("the counts of the node groups, and the log of nodes that did not start",),
            after="30m",
            needs=frozenset({Source.RESERVATION}),
        ),
        Alert(
            "ReservationLookupFails",
            "ticket",
            "watch",
            "min by (cluster) (clustergen_reservation_lookup_failed{$scope}) > 0",
            "EC2 does not tell {{ $labels.cluster }} about its reservations",
            "The nodes that ask EC2 about reservations get no answer, or EC2 never knew one of "
            "them: the numbers are old or missing, and nobody is told when the capacity ends.",
            (
                "on a head or login node: `aws ec2 describe-capacity-reservations`; its role needs "
                "`ec2:DescribeCapacityReservations`, and the reservation has to be shared with "
                "this account",
                "EC2 forgets a Capacity Block some time after its end, and a new head or login "
                "node has never seen it: remove it from the spec",
            ),
            after="30m",
            needs=frozenset({Source.RESERVATION}),
            alarm=Alarm("clustergen_reservation_lookup_failed", ">", 0, "Minimum"),
        ),
    ),
)
