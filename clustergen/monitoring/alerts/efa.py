"""The network between nodes: EFA devices and their counters.

Counters: https://github.com/amzn/amzn-drivers, kernel/linux/efa.
"""

from __future__ import annotations

from clustergen.monitoring.alert import Alarm, Alert, Recorded, RuleGroup
from clustergen.monitoring.sources import Source

EFA = frozenset({Source.EFA})
_EACH = "by (cluster, node)"


def counter(name: str, window: str, function: str = "increase") -> str:
    """A counter of all EFA devices of each node."""
    return f"sum {_EACH} ({function}(node_amazonefa_{name}{{$scope}}[{window}]))"


_RETRANSMITS = (
    # A share of few packets means nothing.
    Recorded(
        "efa:retransmitted:ratio5m",
        f"{counter('retrans_pkts', '5m', 'rate')}\n/ ({counter('tx_pkts', '5m', 'rate')} > 1000)",
        EFA,
    ),
    Alert(
        "EfaRetransmits",
        "ticket",
        "watch",
        "efa:retransmitted:ratio5m{$scope} > 0.001",
        "{{ $labels.node }} sends {{ $value | humanizePercentage }} of its EFA packets again",
        "Packets of this node are lost or late. Collectives of every job that spans it slow down.",
        ("many nodes at once: the network; one node: its devices or cable",),
        after="10m",
        needs=EFA,
    ),
    Alert(
        "EfaTimeouts",
        "ticket",
        "watch",
        f"{counter('retrans_timeout_events', '10m')} > 10",
        "{{ $value | humanize }} EFA timeouts on {{ $labels.node }} in 10 minutes",
        "Packets were not confirmed in time, and the device sent them again.",
        ("the peers of its job: which of them has timeouts too?",),
        needs=EFA,
        alarm=Alarm("node_amazonefa_retrans_timeout_events", ">", 10, "Sum"),
    ),
)
_PEERS = (
    Alert(
        "EfaPeerUnresponsive",
        "page",
        "drain",
        f"{counter('unresponsive_remote_events', '10m')} > 0",
        "A peer of {{ $labels.node }} does not answer over EFA: NCCL will hang",
        "A device gave up on a peer. The job that spans both hangs until NCCL's own timeout.",
        ("the peer is another node of the same job: look for one that is down or has an Xid",),
        needs=EFA,
        alarm=Alarm("node_amazonefa_unresponsive_remote_events", ">", 0, "Sum"),
    ),
    Alert(
        "EfaConnectionsImpaired",
        "ticket",
        "watch",
        f"{counter('impaired_remote_conn_events', '10m')} > 0",
        "Impaired EFA connections on {{ $labels.node }}",
        "A connection to a peer works with less bandwidth than it should.",
        ("if it lasts, drain the node and run the NCCL test of the bundle on it",),
        after="5m",
        needs=EFA,
    ),
    Alert(
        "EfaReceiveDrops",
        "ticket",
        "watch",
        f"{counter('rx_drops', '5m', 'rate')} > 10",
        "{{ $labels.node }} drops {{ $value | humanize }} received EFA packets per second",
        "Packets arrive faster than the node takes them.",
        ("the load of its CPUs: proxy threads of NCCL need cores",),
        after="10m",
        needs=EFA,
    ),
    Alert(
        "EfaRdmaErrors",
        "ticket",
        "job",
        f"{counter('rdma_read_wr_err', '10m')} + {counter('rdma_write_wr_err', '10m')} > 0",
        "RDMA requests fail on {{ $labels.node }}",
        "A peer refused to be read from or written to, mostly because its process ended.",
        ("the log of the job: which rank ended first?",),
        needs=EFA,
    ),
)
_DEVICES = (
    Alert(
        "EfaDeviceMissing",
        "page",
        "replace",
        f"max {_EACH} (clustergen_expected_efa{{$scope}})\n"
        "- on (cluster, node) (\n"
        f"  count {_EACH} (count by (cluster, node, device) (node_amazonefa_tx_pkts{{$scope}}))\n"
        f"  or on (cluster, node) 0 * max {_EACH} (clustergen_expected_efa{{$scope}})\n"
        ") > 0",
        "{{ $labels.node }} lacks {{ $value }} EFA device(s)",
        "The node has fewer EFA devices than the spec gives it.",
        ("`fi_info -p efa` and `ls /sys/class/infiniband` on the node",),
        after="5m",
        needs=frozenset({Source.EFA, Source.EXPECTED}),
    ),
    # One device idle while others work: a wrong topology file for NCCL, or a device that is dead.
    Alert(
        "EfaImbalance",
        "ticket",
        "watch",
        f"min {_EACH} (rate(node_amazonefa_tx_bytes{{$scope}}[5m]))\n"
        f"  < 0.1 * max {_EACH} (rate(node_amazonefa_tx_bytes{{$scope}}[5m]))\n"
        f"and on (cluster, node) max {_EACH} (rate(node_amazonefa_tx_bytes{{$scope}}[5m])) > 1e9",
        "One EFA device of {{ $labels.node }} is idle while others work",
        "A job sends over some devices of the node only, and gets less bandwidth than it could.",
        ("`NCCL_DEBUG=INFO` prints which devices NCCL found, and its topology file",),
        after="15m",
        needs=EFA,
    ),
)

GROUP = RuleGroup("efa", "30s", (*_RETRANSMITS, *_PEERS, *_DEVICES))
