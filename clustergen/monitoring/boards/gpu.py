"""GPUs: errors, heat and power, use."""

from __future__ import annotations

from clustergen.monitoring.panels import Board, Panel, Query, Row, Vended, graph
from clustergen.monitoring.sources import Source

_EACH = "by (node, gpu)"
_NAME = "{{node}}, GPU {{gpu}}"
_LINES = 10
"""Lines of a graph of single GPUs."""
_NVLINK = "DCGM_FI_DEV_NVLINK"


def _highest(expr: str) -> tuple[str, str]:
    """Of hundreds of GPUs, those to look at."""
    return f"topk({_LINES}, {expr})", _NAME


def _max(field: str) -> tuple[str, str]:
    return _highest(f"max {_EACH} ({field}{{$nodes}})")


def _sum(function: str, *fields: str) -> tuple[str, str]:
    summed = " + ".join(function.replace("FIELD", f"{field}{{$nodes}}") for field in fields)
    return _highest(f"sum {_EACH} ({summed})")


_ERRORS = (
    Panel(
        "Last Xid error of each GPU",
        "short",
        "table",
        (Query(f"max {_EACH} (DCGM_FI_DEV_XID_ERRORS{{$nodes}}) > 0", ""),),
        healthy_empty=True,
    ),
    graph(
        "Xid errors",
        "short",
        (
            "sum by (node, gpu, xid) (DCGM_EXP_XID_ERRORS_COUNT{$nodes})",
            "{{node}}, GPU {{gpu}}: Xid {{xid}}",
        ),
        healthy_empty=True,
    ),
    graph(
        "Corrected memory errors per hour",
        "short",
        _sum("increase(FIELD[1h])", "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"),
    ),
    graph("Uncorrected memory errors, ever", "short", _max("DCGM_FI_DEV_ECC_DBE_AGG_TOTAL")),
    graph(
        "Remapped memory rows",
        "short",
        _sum(
            "FIELD",
            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
        ),
    ),
    graph("Failed row remaps", "short", _max("DCGM_FI_DEV_ROW_REMAP_FAILURE")),
    graph(
        "NVLink errors per second",
        "short",
        _sum(
            "rate(FIELD[$rate])",
            f"{_NVLINK}_CRC_DATA_ERROR_COUNT_TOTAL",
            f"{_NVLINK}_CRC_FLIT_ERROR_COUNT_TOTAL",
            f"{_NVLINK}_REPLAY_ERROR_COUNT_TOTAL",
            f"{_NVLINK}_RECOVERY_ERROR_COUNT_TOTAL",
        ),
    ),
    graph(
        "PCIe replays per second",
        "short",
        _sum("rate(FIELD[$rate])", "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"),
    ),
)
_HEAT = (
    graph(
        "GPU temperature",
        "celsius",
        _max("DCGM_FI_DEV_GPU_TEMP"),
        vended=(Vended("DCGM_FI_DEV_GPU_TEMP", "Maximum"),),
    ),
    graph("Memory temperature", "celsius", _max("DCGM_FI_DEV_MEMORY_TEMP")),
    graph("Slowed by heat", "percentunit", _highest("gpu:slowed_by_heat:ratio5m{$nodes}")),
    graph("At the power limit", "percentunit", _highest("gpu:slowed_by_power:ratio5m{$nodes}")),
    graph(
        "Power",
        "watt",
        ("sum by (node) (DCGM_FI_DEV_POWER_USAGE{$nodes})", "{{node}}"),
        vended=(Vended("DCGM_FI_DEV_POWER_USAGE", "Average"),),
    ),
    graph("SM clock", "hertz", ("1e6 * avg by (node) (DCGM_FI_DEV_SM_CLOCK{$nodes})", "{{node}}")),
)
_USE = (
    graph(
        "GPU memory in use",
        "percentunit",
        _highest(
            f"max {_EACH} (DCGM_FI_DEV_FB_USED{{$nodes}}\n"
            "/ (DCGM_FI_DEV_FB_USED{$nodes} + DCGM_FI_DEV_FB_FREE{$nodes}))"
        ),
        vended=(Vended("DCGM_FI_DEV_FB_USED", "Average"),),
    ),
    graph(
        "Memory interface active",
        "percentunit",
        ("avg by (node) (DCGM_FI_PROF_DRAM_ACTIVE{$nodes})", "{{node}}"),
    ),
    graph(
        "SM occupancy",
        "percentunit",
        ("avg by (node) (DCGM_FI_PROF_SM_OCCUPANCY{$nodes})", "{{node}}"),
    ),
    graph(
        "Time with any kernel",
        "percent",
        ("avg by (node) (DCGM_FI_DEV_GPU_UTIL{$nodes})", "{{node}}"),
        help="What nvidia-smi shows: one small kernel makes it 100 %. SM activity tells more.",
    ),
    graph(
        "NVLink",
        "MBs",
        (f"sum by (node) (rate({_NVLINK}_BANDWIDTH_TOTAL{{$nodes}}[$rate]))", "{{node}}"),
    ),
    graph(
        "PCIe",
        "Bps",
        (
            "sum by (node) (DCGM_FI_PROF_PCIE_TX_BYTES{$nodes} "
            "+ DCGM_FI_PROF_PCIE_RX_BYTES{$nodes})",
            "{{node}}",
        ),
    ),
)

BOARD = Board(
    "clustergen-gpu",
    "GPUs",
    (Row("Errors", _ERRORS), Row("Heat and power", _HEAT), Row("Use", _USE)),
    needs=frozenset({Source.GPU}),
)
