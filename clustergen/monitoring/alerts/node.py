"""Nodes and their exporters."""

from __future__ import annotations

from clustergen.monitoring import names
from clustergen.monitoring.alert import Alarm, Alert, RuleGroup
from clustergen.monitoring.sources import Source

HOST = frozenset({Source.HOST})
_EXPORTERS = "|".join((names.HOST, names.DCGM, names.SLURM, names.NEURON))
_REPORTING = 'count by (cluster) (clustergen_node_info{$scope,role="compute"})'

# A node of Slurm sends its own metrics, so one that is down is silent: slurmctld knows that it is
# (SlurmNodesDown). Nodes of Kubernetes come and go; a condition shows that one is down.
_REACHED = (
    Alert(
        "ExporterDown",
        "ticket",
        "watch",
        f'up{{$scope,job=~"{_EXPORTERS}"}} == 0',
        "Exporter {{ $labels.job }} of {{ $labels.node }} does not answer",
        "The node runs and sends metrics, and one of its exporters does not answer: its alerts "
        "cannot fire.",
        ("its log on the node",),
        after="5m",
        needs=HOST,
    ),
)
_DUE = (
    Alert(
        "NodesFewerThanMinimum",
        "page",
        "replace",
        f"(\n  {_REPORTING}\n"
        f'  or on (cluster) 0 * count by (cluster) (up{{$scope,job="{names.HOST}"}})\n'
        ") < on (cluster) $due",
        "{{ $value }} nodes of {{ $labels.cluster }} report: fewer than the spec has at least",
        "Fewer nodes report than the minimum counts of the spec add up to: some are down, did not "
        "start, or cannot send metrics. Nodes of a reservation count from half an hour after it "
        "begins until an hour before it ends; those of a training plan do not count.",
        (
            "`sinfo -R` names nodes that are down with the reason",
            "compare the nodes of `sinfo` with those that report metrics",
            "`deploy.sh --pause` turns this alert off, and `deploy.sh --resume` on",
        ),
        after="30m",
        needs=frozenset({Source.HOST, Source.MINIMUM}),
        without=frozenset({Source.KUBERNETES}),
    ),
    Alert(
        "NodesNotMeasured",
        "ticket",
        "watch",
        "(\n  max by (cluster) (slurm_nodes{$scope} - slurm_nodes_powered_down{$scope}\n"
        "    - slurm_nodes_down{$scope} - slurm_nodes_noresp{$scope})\n"
        f"  - on (cluster) ({_REPORTING})\n"
        ") > 0",
        "{{ $value }} node(s) of {{ $labels.cluster }} run and send no metrics",
        "slurmctld has more nodes that answer than send metrics: no other alert of these can fire.",
        (
            "compare the nodes of `sinfo` with those that report metrics",
            "on the node: `systemctl status amazon-cloudwatch-agent clustergen-node-metrics`",
        ),
        after="30m",
        needs=frozenset({Source.HOST, Source.SLURM}),
    ),
    Alert(
        "MetricsAbsent",
        "page",
        "watch",
        f'absent(up{{$scope,job="{names.HOST}"}})',
        "No metrics of any node of {{ $labels.cluster }} arrive",
        "Nothing arrives at all: the collector, its permission to write, or its route is lost.",
        ("the log of the collector; a cluster that is deleted is silent too",),
        after="10m",
        needs=frozenset({Source.HOST, Source.ALWAYS}),
        alarm=Alarm("clustergen_node_info", "<", 1, "SampleCount", missing="breaching"),
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
DUE = RuleGroup("due", "30s", _DUE)
"""Which nodes should be there: none of these holds while the cluster is paused."""
