"""What dcgm-exporter measures: its file of counters.

Names: https://docs.nvidia.com/datacenter/dcgm/latest/dcgm-api/dcgm-api-field-ids.html; the exporter
takes the type as written, so it has to be right here: PCIe is bytes per second, hence a gauge.
"""

from typing import Final, Literal, NamedTuple


class Counter(NamedTuple):
    """One field of DCGM for each GPU."""

    name: str
    type: Literal["gauge", "counter"]
    help: str


COUNTERS: Final = (
    Counter("DCGM_FI_DEV_SM_CLOCK", "gauge", "clock of the SMs in MHz"),
    Counter("DCGM_FI_DEV_GPU_TEMP", "gauge", "temperature of the GPU in degrees Celsius"),
    Counter("DCGM_FI_DEV_MEMORY_TEMP", "gauge", "temperature of its memory in degrees Celsius"),
    Counter("DCGM_FI_DEV_POWER_USAGE", "gauge", "power in W"),
    Counter("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "energy since boot in mJ"),
    Counter("DCGM_FI_DEV_POWER_VIOLATION", "counter", "time at the power limit in ns"),
    Counter("DCGM_FI_DEV_THERMAL_VIOLATION", "counter", "time slowed down by heat in ns"),
    Counter("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "PCIe packets that were sent again"),
    Counter("DCGM_FI_DEV_GPU_UTIL", "gauge", "time with any kernel in percent"),
    Counter("DCGM_FI_DEV_XID_ERRORS", "gauge", "last Xid error"),
    Counter("DCGM_EXP_XID_ERRORS_COUNT", "gauge", "Xid errors in the window by Xid"),
    Counter("DCGM_FI_DEV_FB_FREE", "gauge", "free memory in MiB"),
    Counter("DCGM_FI_DEV_FB_USED", "gauge", "used memory in MiB"),
    Counter("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "counter", "corrected memory errors since boot"),
    Counter("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "counter", "uncorrected memory errors since boot"),
    Counter("DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", "counter", "uncorrected memory errors ever"),
    Counter("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "rows remapped: uncorrectable"),
    Counter("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "rows remapped: correctable"),
    Counter("DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "1 if a row could not be remapped"),
    Counter("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "counter", "NVLink flow checksums"),
    Counter("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", "counter", "NVLink data checksums"),
    Counter("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "counter", "NVLink replays"),
    Counter("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "counter", "NVLink recoveries"),
    Counter("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "NVLink traffic in MB"),
    Counter("DCGM_FI_PROF_SM_ACTIVE", "gauge", "share of SM cycles with a warp"),
    Counter("DCGM_FI_PROF_SM_OCCUPANCY", "gauge", "share of warps that SMs hold"),
    Counter("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "share of cycles of the tensor cores"),
    Counter("DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "share of cycles of the memory interface"),
    Counter("DCGM_FI_PROF_PCIE_TX_BYTES", "gauge", "PCIe sent in bytes per second"),
    Counter("DCGM_FI_PROF_PCIE_RX_BYTES", "gauge", "PCIe received in bytes per second"),
)
"""Each is a series for every GPU, so only what an alert or a panel reads is here."""

ADD_ON_FIELDS: Final = 48
"""Of each GPU by HyperPod's add-on with the level ADVANCED: all lines of
https://github.com/NVIDIA/dcgm-exporter/blob/main/etc/dcp-metrics-included.csv, comments included;
2026-11-23."""

PATH: Final = "monitoring/dcgm-counters.csv"


def csv() -> str:
    """The file for dcgm-exporter's ``-f``.

    All are gauges there: the CloudWatch agent adds ``_total`` to the name of a counter without it,
    and Prometheus's functions do not ask for the type.
    https://github.com/aws/amazon-cloudwatch-agent/blob/main/translator/tocwconfig/sampleConfig/prometheus_otel_config_linux.yaml
    """
    lines = (f"{counter.name}, gauge, {counter.help}" for counter in COUNTERS)
    return "\n".join(("# field, type, help", *lines)) + "\n"
