"""GPUs: Xid errors, memory, NVLink, heat, and missing GPUs.

Names of dcgm-exporter up to 4.8; 4.9 renames 23 fields and changes the unit of 11:
https://github.com/NVIDIA/dcgm-exporter/releases/tag/4.9.0-4.8.3
"""

from __future__ import annotations

from clustergen.monitoring import names, xids
from clustergen.monitoring.alert import Alarm, Alert, Recorded, RuleGroup
from clustergen.monitoring.sources import Source

GPU = frozenset({Source.GPU})
EXPECTED = frozenset({Source.GPU, Source.EXPECTED})
_EACH = "by (cluster, node, gpu)"
_WHERE = "{{ $labels.node }}, GPU {{ $labels.gpu }}"


def _xid_count(matcher: str, by: str = "by (cluster, node, gpu, xid)") -> str:
    """Errors that dcgm-exporter counted in its window; several Xids of a GPU are several series."""
    return f"sum {by} (DCGM_EXP_XID_ERRORS_COUNT{{$scope,{matcher}}}) > 0"


def _increase(field: str, window: str) -> str:
    return f"sum {_EACH} (increase({field}{{$scope}}[{window}]))"


def _xids(numbers: tuple[int, ...]) -> Alarm:
    return Alarm("DCGM_EXP_XID_ERRORS_COUNT", ">", 0, label="xid", values=tuple(map(str, numbers)))


_SBE = "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"
_NVLINK = "DCGM_FI_DEV_NVLINK"

_XID = (
    Alert(
        "GpuXidReplace",
        "page",
        "replace",
        # The second series has only the last error, but keeps it: a GPU off the bus counts nothing.
        f'{_xid_count(f"""xid=~"{xids.pattern(xids.REPLACE)}" """.strip())}\n'
        f"or on (cluster, node, gpu) max {_EACH} (DCGM_FI_DEV_XID_ERRORS{{$scope}}) == 79",
        f"Xid {{{{ or $labels.xid 79 }}}} on {_WHERE}: replace the node",
        "The GPU or its board is faulty, and no reset helps: it fell off the bus (79), has no "
        "spare memory rows (64), lost power (54), or corrupts what others wrote (95).",
        ("`dmesg | grep -i xid` on the node has the error, if the node still answers",),
        needs=GPU,
        alarm=_xids(xids.REPLACE),
    ),
    Alert(
        "GpuXidReset",
        "page",
        "reset",
        _xid_count(f'xid=~"{xids.pattern(xids.RESET)}"'),
        f"Xid {{{{ $labels.xid }}}} on {_WHERE}: drain the node and reset the GPU",
        "The GPU does not work until it is reset: its memory had a double-bit error (48), its "
        "firmware halted (62, 119, 120), or NVLink failed (74).",
        (
            "`nvidia-smi -q -d ECC,ROW_REMAPPER` shows what its memory had",
            "the same Xid again after a reset means replace",
        ),
        needs=GPU,
        alarm=_xids(xids.RESET),
    ),
    Alert(
        "GpuXidDegraded",
        "ticket",
        "watch",
        _xid_count(f'xid=~"{xids.pattern(xids.DEGRADED)}"'),
        f"Xid {{{{ $labels.xid }}}} on {_WHERE}: reset the GPU after the job",
        "The GPU works on. A memory row waits to be remapped (63), single-bit errors are frequent "
        "(92), or an error was contained in one process, which has to start again (94).",
        ("reset the GPU when its job is done; remapping happens then",),
        needs=GPU,
    ),
    Alert(
        "GpuXidApplication",
        "info",
        "job",
        _xid_count(f'xid=~"{xids.pattern(xids.APPLICATION)}"'),
        f"Xid {{{{ $labels.xid }}}} on {_WHERE}: look at the job",
        "The job made the error: an illegal address (13), a page fault (31), or a process that "
        "ended while the GPU worked for it (43, 45). The GPU is healthy.",
        ("the same Xid in several jobs on one GPU, and on no other, points at the GPU after all",),
        needs=GPU,
    ),
    Alert(
        "GpuXidUnlisted",
        "info",
        "watch",
        _xid_count(f'xid!~"{xids.pattern(xids.LISTED)}"'),
        f"Xid {{{{ $labels.xid }}}} on {_WHERE}: not in the lists of this definition",
        "NVIDIA's driver reported an error that this definition does not classify.",
        ("https://docs.nvidia.com/deploy/xid-errors/ lists all of them",),
        needs=GPU,
    ),
)
_MEMORY = (
    Alert(
        "GpuEccDoubleBit",
        "page",
        "replace",
        f"{_increase('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL', '10m')} > 0",
        f"Double-bit memory error on {_WHERE}",
        "The GPU's memory returned data that it could not correct. The job has failed or will.",
        (
            "`nvidia-smi -q -d ECC,ROW_REMAPPER`: with `Remapping Failure Occurred: No` a reset "
            "remaps the row, and the node need not be replaced the first time",
        ),
        needs=GPU,
    ),
    Alert(
        "GpuEccSingleBitRising",
        "ticket",
        "watch",
        f"{_increase(_SBE, '1h')} > 20\n"
        f"and {_increase(_SBE, '1h')}\n"
        f"  > 2 * sum {_EACH} (increase({_SBE}{{$scope}}[1h] offset 1h))",
        f"Single-bit memory errors accelerate on {_WHERE}",
        "The GPU corrects more errors in each hour than in the hour before. Errors that it cannot "
        "correct often follow.",
        ("plan to drain the node between two jobs, and reset the GPU",),
        needs=GPU,
    ),
    Alert(
        "GpuRowRemapFailed",
        "page",
        "replace",
        f"max {_EACH} (DCGM_FI_DEV_ROW_REMAP_FAILURE{{$scope}}) > 0",
        f"Row remapping failed on {_WHERE}",
        "A faulty memory row cannot be remapped: no spare row is left in its bank.",
        ("`nvidia-smi -q -d ROW_REMAPPER`",),
        needs=GPU,
        alarm=Alarm("DCGM_FI_DEV_ROW_REMAP_FAILURE", ">", 0),
    ),
    Alert(
        "GpuRowRemapped",
        "ticket",
        "reset",
        f"{_increase('DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS', '1h')} > 0",
        f"A memory row was remapped on {_WHERE}",
        "A memory row had an uncorrectable error. The GPU uses a spare row from its next reset on.",
        ("reset the GPU when its job is done",),
        needs=GPU,
    ),
)
_LINKS = (
    Alert(
        "GpuNvlinkErrors",
        "ticket",
        "reset",
        f"sum {_EACH} (\n"
        f"  increase({_NVLINK}_RECOVERY_ERROR_COUNT_TOTAL{{$scope}}[10m])\n"
        f"  + increase({_NVLINK}_REPLAY_ERROR_COUNT_TOTAL{{$scope}}[10m])\n"
        ") > 0",
        f"NVLink replays or recoveries on {_WHERE}",
        "NVLink sent data again or retrained a link. Collectives slow down, and may fail.",
        ("`nvidia-smi nvlink -e` counts errors by link",),
        after="5m",
        needs=GPU,
    ),
    Alert(
        "GpuNvlinkCrc",
        "ticket",
        "reset",
        f"sum {_EACH} (\n"
        f"  rate({_NVLINK}_CRC_DATA_ERROR_COUNT_TOTAL{{$scope}}[10m])\n"
        f"  + rate({_NVLINK}_CRC_FLIT_ERROR_COUNT_TOTAL{{$scope}}[10m])\n"
        ") > 100",
        f"{{{{ $value | humanize }}}} NVLink checksum errors per second on {_WHERE}",
        "NVLink receives damaged data. It repeats it, which costs bandwidth.",
        ("`nvidia-smi nvlink -e` counts errors by link",),
        after="10m",
        needs=GPU,
    ),
)
_HEAT = (
    # dcgm-exporter's own list of fields has these in nanoseconds.
    Recorded(
        "gpu:slowed_by_heat:ratio5m",
        f"sum {_EACH} (rate(DCGM_FI_DEV_THERMAL_VIOLATION{{$scope}}[5m])) / 1e9",
        GPU,
    ),
    Recorded(
        "gpu:slowed_by_power:ratio5m",
        f"sum {_EACH} (rate(DCGM_FI_DEV_POWER_VIOLATION{{$scope}}[5m])) / 1e9",
        GPU,
    ),
    Alert(
        "GpuSlowedByHeat",
        "ticket",
        "watch",
        "gpu:slowed_by_heat:ratio5m{$scope} > 0.05",
        f"Heat slows {_WHERE} {{{{ $value | humanizePercentage }}}} of the time",
        "The GPU lowers its clock because it is hot. One slow GPU slows every job that spans it.",
        ("compare its temperature with that of its neighbours",),
        after="10m",
        needs=GPU,
    ),
    Alert(
        "GpuSlowedByPower",
        "info",
        "watch",
        "gpu:slowed_by_power:ratio5m{$scope} > 0.5",
        f"{_WHERE} is at its power limit {{{{ $value | humanizePercentage }}}} of the time",
        "The GPU is at its power limit, which is normal in training.",
        ("only a GPU that differs from its neighbours is of interest",),
        after="30m",
        needs=GPU,
    ),
    Alert(
        "GpuHot",
        "ticket",
        "watch",
        f"max {_EACH} (DCGM_FI_DEV_GPU_TEMP{{$scope}}) > 88\n"
        f"or max {_EACH} (DCGM_FI_DEV_MEMORY_TEMP{{$scope}}) > 95",
        f"{_WHERE} is at {{{{ $value }}}} degrees Celsius",
        "The GPU, or its memory, is close to the temperature at which it slows down.",
        ("compare it with its neighbours",),
        after="5m",
        needs=GPU,
        alarm=Alarm("DCGM_FI_DEV_GPU_TEMP", ">", 88),
    ),
)
_GONE = (
    # A node that reports no GPU at all has no series to count, hence the zero. If no node reports
    # one, exporters are missing rather than GPUs: replacing all nodes would not help.
    Alert(
        "GpuMissing",
        "page",
        "replace",
        "max by (cluster, node) (clustergen_expected_gpus{$scope})\n"
        "- on (cluster, node) (\n"
        f"  count by (cluster, node) (count {_EACH} (DCGM_FI_DEV_GPU_TEMP{{$scope}}))\n"
        "  or on (cluster, node) 0 * max by (cluster, node) (clustergen_expected_gpus{$scope})\n"
        ") > 0\n"
        f'and on (cluster, node) up{{$scope,job="{names.DCGM}"}}\n'
        "and on (cluster) sum by (cluster) (DCGM_FI_DEV_GPU_TEMP{$scope})",
        "{{ $labels.node }} lacks {{ $value }} GPU(s)",
        "The node has fewer GPUs than its instance type, or dcgm-exporter does not see them.",
        ("`nvidia-smi -L` on the node lists them", "`systemctl status nvidia-persistenced`"),
        after="5m",
        needs=EXPECTED,
    ),
    Alert(
        "GpuMetricsAbsent",
        "page",
        "watch",
        "sum by (cluster) (clustergen_expected_gpus{$scope}) > 0\n"
        f'and on (cluster) count by (cluster) (up{{$scope,job="{names.DCGM}"}})\n'
        "unless on (cluster) sum by (cluster) (DCGM_FI_DEV_GPU_TEMP{$scope})",
        "No GPU of {{ $labels.cluster }} is measured",
        "Nodes with GPUs run, and no dcgm-exporter reports: no GPU alert can fire.",
        ("`journalctl -u clustergen-dcgm` on a node with GPUs: its image may not be pulled",),
        after="10m",
        needs=EXPECTED,
    ),
    # Nodes without what the exporter needs are not asked for its metrics.
    Alert(
        "GpuExporterMissing",
        "ticket",
        "watch",
        "max by (cluster, node) (clustergen_expected_gpus{$scope}) > 0\n"
        f'unless on (cluster, node) up{{$scope,job="{names.DCGM}"}}',
        "{{ $labels.node }} has no exporter of GPUs",
        "The image of the node has neither Docker nor the unit nvidia-dcgm-exporter: no GPU alert "
        "of this node can fire.",
        ("use an image with one of them, or write `software: {containers: docker}`",),
        after="30m",
        needs=EXPECTED | {Source.GPU_EXPORTER},
    ),
)

GROUP = RuleGroup("gpu", "30s", (*_XID, *_MEMORY, *_LINKS, *_HEAT, *_GONE))
