"""Differences for programs, as JSON::

    {"version": 1,
     "differences": [
       {"old": "main:specs/a.yaml", "new": "specs/a.yaml", "target": "pcs",
        "kind": "data-at-risk",
        "effects": [{"kind": "data-at-risk", "file": "foundation.template.json",
                     "subject": "StorageFsx", "type": "AWS::FSx::FileSystem",
                     "property": "KmsKeyId", "message": "replaces StorageFsx (...)",
                     "stays": "StorageFsx", "source": "https://...",
                     "spec": [{"path": "storage[/fsx].kms_key",
                               "file": "specs/a.yaml", "line": 31}]}],
        "steps": ["copy the data first: ..."],
        "stays": ["StorageFsx"],
        "unknown": "not known without AWS: ..."}]}

``kind`` is one of clustergen.effects.KINDS, and of a difference its most dangerous. Keys are never
removed or changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from clustergen.difference import words
from clustergen.difference.changes import SpecChange
from clustergen.difference.model import Caused, Difference


def render(differences: Sequence[Difference], _: bool) -> str:
    """The document above, always with all effects."""
    found = {"version": 1, "differences": [_difference(each) for each in differences]}
    return json.dumps(found, indent=2) + "\n"


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "old": difference.old,
        "new": difference.new,
        "target": difference.target,
        "kind": difference.kind,
        "effects": [_effect(caused) for caused in difference.effects],
        "steps": list(difference.steps),
        "stays": difference.stays,
        "unknown": words.unknown(difference),
    }


def _effect(caused: Caused) -> dict[str, Any]:
    effect = caused.effect
    return {
        "kind": effect.kind,
        "file": effect.file,
        "subject": effect.subject,
        "type": effect.type,
        "property": effect.cause,
        "message": effect.text,
        "stays": effect.stays,
        "source": effect.source,
        "spec": [_cause(change) for change in caused.causes],
    }


def _cause(change: SpecChange) -> dict[str, Any]:
    span = change.span
    place = {"file": span.file, "line": span.line} if span else {}
    return {"path": change.dotted, **place}
