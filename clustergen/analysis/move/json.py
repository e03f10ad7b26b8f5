"""A move for programs, as JSON::

    {"version": 1, "name": "demo", "from": "pcs",
     "new_name": "demo", "to": "parallelcluster",
     "blocked": ["..."], "lost": ["..."],
     "phases": [{"title": "...", "steps": ["..."], "commands": ["..."],
                 "back": ["..."], "back_commands": ["..."]}],
     "back": ["..."]}

``commands`` are those of the steps, in their order. ``back`` of a phase says how to return once it
is done; the outer one is that of all phases. Keys are never removed or changed.
"""

import json
from typing import Any

from clustergen.analysis.move.model import Move, Phase


def render(move: Move) -> str:
    found = {
        "version": 1,
        "name": move.name,
        "from": move.old,
        "new_name": move.new_name,
        "to": move.new,
        "blocked": move.blocked,
        "lost": move.lost,
        "phases": [_phase(each) for each in move.phases],
        "back": [step.line for each in move.phases for step in each.back],
    }
    return json.dumps(found, indent=2) + "\n"


def _phase(phase: Phase) -> dict[str, Any]:
    return {
        "title": phase.title,
        "steps": [step.line for step in phase.steps],
        "commands": [step.command for step in phase.steps if step.command],
        "back": [step.line for step in phase.back],
        "back_commands": [step.command for step in phase.back if step.command],
    }
