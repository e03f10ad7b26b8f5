"""``python -m clustergen``."""

from __future__ import annotations

from clustergen.cli import program

program()
