"""File systems, as nodes see them."""

from __future__ import annotations

from clustergen.monitoring.alert import Alarm, Alert, Recorded, RuleGroup
from clustergen.monitoring.sources import Source

MOUNTS = frozenset({Source.MOUNTS})
_FREE = "min by (cluster, mountpoint) (clustergen_mount_free_bytes{$scope})"
_SIZE = "max by (cluster, mountpoint) (clustergen_mount_size_bytes{$scope})"
_EACH_OST = "by (cluster, filesystem, target)"

_FULL = (
    # One series of the whole file system, which outlives the nodes that report it.
    Recorded("filesystem:free:bytes", _FREE, MOUNTS),
    Alert(
        "FileSystemAlmostFull",
        "page",
        "watch",
        f"filesystem:free:bytes{{$scope}} / {_SIZE} < 0.1",
        "{{ $labels.mountpoint }} has {{ $value | humanizePercentage }} left",
        "The shared file system is nearly full: jobs that write checkpoints will fail.",
        (
            "who uses it: `lfs quota` on Lustre, `du` elsewhere",
            "`size` in the spec makes it larger",
        ),
        after="15m",
        needs=MOUNTS,
    ),
    Alert(
        "FileSystemFillsUp",
        "ticket",
        "watch",
        "predict_linear(filesystem:free:bytes{$scope}[6h], 86400) < 0\n"
        f"and on (cluster, mountpoint) filesystem:free:bytes{{$scope}} / {_SIZE} < 0.3",
        "{{ $labels.mountpoint }} is full within a day if it fills as in the last 6 hours",
        "The shared file system fills up.",
        ("checkpoints that nobody deletes are the most frequent reason",),
        after="1h",
        needs=MOUNTS,
    ),
    Alert(
        "LustreTargetAlmostFull",
        "ticket",
        "watch",
        f"min {_EACH_OST} (clustergen_lustre_target_free_bytes{{$scope}})\n"
        f"  / max {_EACH_OST} (clustergen_lustre_target_size_bytes{{$scope}}) < 0.05",
        "{{ $labels.target }} of {{ $labels.filesystem }} has "
        "{{ $value | humanizePercentage }} left",
        "One storage target of Lustre is nearly full, whatever the whole file system has left: "
        "writes to files on it fail.",
        (
            "`lfs df -h` shows all targets",
            "large files with one stripe fill single targets: `lfs migrate -c -1 FILE`",
        ),
        after="15m",
        needs=frozenset({Source.LUSTRE, Source.MOUNTS}),
    ),
)
_MOUNTED = (
    Alert(
        "MountMissing",
        "page",
        "drain",
        "clustergen_mount_present{$scope} == 0",
        "{{ $labels.mountpoint }} is not mounted on {{ $labels.node }}",
        "A file system of the spec is not mounted: jobs on this node fail, or write to its disk.",
        ("`systemctl --failed`, then `sudo mount MOUNTPOINT`",),
        after="5m",
        needs=MOUNTS,
        alarm=Alarm("clustergen_mount_present", "<", 1, "Minimum"),
    ),
    Alert(
        "MountHangs",
        "page",
        "drain",
        "clustergen_mount_answers{$scope} == 0",
        "{{ $labels.mountpoint }} does not answer on {{ $labels.node }}",
        "The file system is mounted, and does not answer within 4 seconds. Processes that use it "
        "hang and cannot be killed.",
        (
            "several nodes at once: the file system, or the network to it",
            "one node: `lctl get_param *.*.import` shows to which server it lost its connection",
        ),
        after="5m",
        needs=MOUNTS,
        alarm=Alarm("clustergen_mount_answers", "<", 1, "Minimum"),
    ),
    Alert(
        "LustreWithoutEfa",
        "ticket",
        "watch",
        'sum by (cluster, node) (rate(clustergen_lnet_sent_messages_total{$scope,net="tcp"}[10m])) '
        "> 10\n"
        "unless on (cluster, node) sum by (cluster, node) "
        '(rate(clustergen_lnet_sent_messages_total{$scope,net="efa"}[10m])) > 0\n'
        "and on (cluster, node) clustergen_expected_lustre_efa{$scope} > 0",
        "Lustre on {{ $labels.node }} uses TCP, not EFA",
        "The node's Lustre client fell back to TCP, which has a fraction of the bandwidth.",
        ("`lnetctl net show`: there should be a network `efa`",),
        after="15m",
        needs=frozenset({Source.LUSTRE_EFA, Source.MOUNTS}),
    ),
)

GROUP = RuleGroup("storage", "60s", (*_FULL, *_MOUNTED))
