"""Nodes and their exporters."""

from __future__ import annotations

from clustergen.monitoring import names
from clustergen.monitoring.alert import Alarm, Alert, RuleGroup
from clustergen.monitoring.sources import Source

HOST = frozenset({Source.HOST})
_EXPORTERS = "|".join((names.DCGM, names.SLURM, names.NEURON))

_REACHED = (
    # Nodes of Kubernetes come and go with their metrics: there, a condition shows that one is down.
    Alert(
        "NodeDown",
        "page",
        "replace",
        f'up{{$scope,job="{names.HOST}"}} == 0',
        "{{ $labels.node }} does not answer",
        "The node reports that its exporter does not answer: its other alerts cannot fire.",
        (
            "`systemctl status clustergen-node-metrics` on the node",
            "the load of the node, the state of the instance in EC2, and its serial console",
        ),
        after="3m",
        needs=HOST,
        without=frozenset({Source.KUBERNETES}),
    ),
    # A node that sends its own metrics is silent when it is down.
    Alert(
        "NodesFewerThanMinimum",
        "page",
        "replace",
        '(\n  count by (cluster) (clustergen_node_info{$scope,role="compute"})\n'
        f'  or on (cluster) 0 * count by (cluster) (up{{$scope,job="{names.HOST}"}})\n'
        ") < $minimum",
        "{{ $value }} nodes of {{ $labels.cluster }} report; the spec has $minimum at least",
        "Fewer nodes report than the minimum counts of the spec add up to: some are down, did not "
        "start, or cannot send metrics.",
        (
            "compare the scheduler's list of nodes with those that report metrics",
            "a cluster that `deploy.sh --pause` stopped has no nodes either: silence the alert",
        ),
        after="15m",
        needs=frozenset({Source.HOST, Source.MINIMUM}),
        without=frozenset({Source.KUBERNETES}),
    ),
    Alert(
        "ExporterDown",
        "ticket",
        "watch",
        f'up{{$scope,job=~"{_EXPORTERS}"}} == 0',
        "Exporter {{ $labels.job }} of {{ $labels.node }} does not answer",
        "The node answers and one of its exporters does not: its alerts cannot fire.",
        ("its log on the node",),
        after="5m",
        needs=HOST,
    ),
    Alert(
        "MetricsAbsent",
        "page",
        "watch",
        f'absent(up{{$scope,job="{names.HOST}"}})',
        "No metrics of any node of {{ $labels.cluster }} arrive",
        "Nothing arrives at all: the collector, its permission to write, or its route is lost.",
        ("the log of the collector; a cluster that is paused or deleted is silent too",),
        after="10m",
        needs=HOST,
        alarm=Alarm(
            "clustergen_node_info",
            "<",
            1,
            "SampleCount",
            missing="breaching",
            needs=frozenset({Source.MINIMUM}),
        ),
    ),
)
_HEALTH = (
    Alert(
        "NodeDiskFull",
        "ticket",
        "watch",
        'node_filesystem_avail_bytes{$scope,fstype=~"ext4|xfs",mountpoint="/"}\n'
        '  / node_filesystem_size_bytes{$scope,fstype=~"ext4|xfs",mountpoint="/"} < 0.1',
        "The root volume of {{ $labels.node }} has {{ $value | humanizePercentage }} left",
        "The root volume is nearly full. A node that cannot write its logs gets no more jobs.",
        ("`sudo du -xh --max-depth=2 / | sort -h | tail`", "container images are often the reason"),
        after="10m",
        needs=HOST,
    ),
    Alert(
        "NodeOutOfMemory",
        "ticket",
        "job",
        "increase(node_vmstat_oom_kill{$scope}[10m]) > 0",
        "The kernel of {{ $labels.node }} killed a process for memory",
        "A process took more memory than the node, or its job, has.",
        ("`dmesg | grep -i 'killed process'`: data loaders are often the reason",),
        needs=HOST,
        alarm=Alarm("node_vmstat_oom_kill", ">", 0, "Sum"),
    ),
    Alert(
        "NodeClockWrong",
        "ticket",
        "watch",
        "abs(node_timex_offset_seconds{$scope}) > 0.05",
        "The clock of {{ $labels.node }} is {{ $value | humanizeDuration }} off",
        "The clock is not synchronized: AWS and other daemons reject the requests of the node.",
        ("`chronyc sources`: 169.254.169.123 should be among them",),
        after="10m",
        needs=HOST,
    ),
)

GROUP = RuleGroup("node", "30s", (*_REACHED, *_HEALTH))
