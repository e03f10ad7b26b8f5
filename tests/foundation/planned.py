"""The foundation of spec fragments, as no target in particular plans it."""

from __future__ import annotations

import json
from typing import Any

from clustergen import foundation
from tests.checking import Fragments

plan_of = Fragments("").faulty_plan


def template_of(text: str = "") -> dict[str, Any]:
    """The foundation template of `text`."""
    artifact = foundation.emit(plan_of(text))
    assert artifact is not None
    document: dict[str, Any] = json.loads(artifact.text)
    return document
