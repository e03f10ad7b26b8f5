"""Files that a target emits, as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
"""A JSON object."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of a bundle; ``path`` is relative, with forward slashes."""

    path: str
    text: str
    executable: bool = False


Bundle = tuple[Artifact, ...]


def json_artifact(path: str, document: Mapping[str, Any]) -> Artifact:
    """``document`` as readable JSON, in the order it was built."""
    return Artifact(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
