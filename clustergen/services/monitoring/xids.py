"""Xid errors of NVIDIA's driver, by what helps.

Classes: https://docs.nvidia.com/deploy/xid-errors/ (r590) and
https://github.com/aws/eks-node-monitoring-agent, monitors/nvidia/dcgm/dcgm_policies.go; 2026-11-21.
63 is a row remap that was recorded, 64 one that failed, 79 a GPU that fell off the bus.
"""

from typing import Final

REPLACE: Final = (54, 64, 79, 95, 142, 151, 168)
"""The GPU or its board is faulty: power missing, no row left, off the bus, memory not contained."""
RESET: Final = (46, 48, 62, 74, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158)
"""A reset may help: double-bit errors, a halted microcontroller, NVLink, a silent GSP."""
DEGRADED: Final = (63, 92, 94, *range(144, 151), 154)
"""It works on: row remap pending, many single-bit errors, an error contained in one process."""
APPLICATION: Final = (13, 31, 43, 45, 126)
"""The job did it: an illegal address, a page fault, a channel that was torn down."""

LISTED: Final = (*REPLACE, *RESET, *DEGRADED, *APPLICATION)


def pattern(xids: tuple[int, ...]) -> str:
    """The matcher of the label ``xid`` for these."""
    return "|".join(map(str, xids))
