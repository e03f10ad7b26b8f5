"""All dashboards, one file each.

A panel is a ``graph``, a ``stat`` or a ``table``: its title. ``lines`` are queries by what a series
of each is called; ``expr`` is a query without a name.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

from clustergen.base.yaml_files import read
from clustergen.services.monitoring.panels import Board, Kind, Panel, Query, Row, Variable, Vended
from clustergen.services.monitoring.sources import fed_by

_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_JOBS: Final = (
    {"uid": "clustergen-jobs", "title": "Jobs", "job": "hpc_job", "source": "job-files"},
    {"uid": "clustergen-pods", "title": "Jobs (pods)", "job": "pod", "source": "kubernetes"},
)


def _board(name: str, words: Mapping[str, str] | None = None) -> Board:
    board = read(Path(__file__).with_name(f"{name}.yaml"), words or {})
    return Board(
        board["uid"],
        board["title"],
        tuple(Row(row["title"], tuple(map(_panel, row["panels"]))) for row in board["rows"]),
        tuple(Variable(**each) for each in board.get("variables", ())),
        fed_by(board.get("needs", ())),
    )


def _panel(panel: Mapping[str, Any]) -> Panel:
    [kind] = (kind for kind in _KINDS if kind in panel)
    lines = {"": panel["expr"]} if "expr" in panel else panel.get("lines", {})
    return Panel(
        panel[kind],
        panel["unit"],
        kind,
        tuple(Query(expr, legend) for legend, expr in lines.items()),
        help=panel.get("help", ""),
        needs=fed_by(panel.get("needs", ())),
        vended=tuple(map(_vended, panel.get("cloudwatch", ()))),
        vended_title=panel.get("cloudwatch_title", ""),
    )


def _vended(metric: Mapping[str, Any]) -> Vended:
    return Vended(**{**metric, "needs": fed_by(metric.get("needs", ()))})


BOARDS: tuple[Board, ...] = (
    _board("cluster"),
    *(_board("jobs", words) for words in _JOBS),
    *map(_board, ("gpu", "network", "storage", "slurm", "kubernetes", "capacity", "insights")),
)
