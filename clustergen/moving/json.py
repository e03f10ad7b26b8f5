"""A move for programs, as JSON::

    {"version": 1, "name": "demo", "from": "pcs",
     "new_name": "demo", "to": "parallelcluster",
     "blocked": ["..."], "lost": ["..."],
     "phases": [{"title": "...", "steps": ["..."]}], "back": ["..."]}

Keys are never removed or changed.
"""

from __future__ import annotations

import json

from clustergen.moving.model import Move


def render(move: Move) -> str:
    found = {
        "version": 1,
        "name": move.name,
        "from": move.old,
        "new_name": move.new_name,
        "to": move.new,
        "blocked": list(move.blocked),
        "lost": list(move.lost),
        "phases": [{"title": each.title, "steps": list(each.steps)} for each in move.phases],
        "back": list(move.back),
    }
    return json.dumps(found, indent=2) + "\n"
