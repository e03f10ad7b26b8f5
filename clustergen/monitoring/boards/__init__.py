"""All dashboards, one module each."""

from __future__ import annotations

from clustergen.monitoring.boards import (
    capacity,
    cluster,
    gpu,
    insights,
    jobs,
    kubernetes,
    network,
    slurm,
    storage,
)
from clustergen.monitoring.panels import Board

BOARDS: tuple[Board, ...] = (
    cluster.BOARD,
    *jobs.BOARDS,
    gpu.BOARD,
    network.BOARD,
    storage.BOARD,
    slurm.BOARD,
    kubernetes.BOARD,
    capacity.BOARD,
    insights.BOARD,
)
