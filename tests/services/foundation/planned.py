"""The foundation of spec fragments, as no target in particular plans it."""

import json
from typing import Any

from clustergen.services import foundation
from tests.support.checking import Fragments

plan_of = Fragments("").faulty_plan


def template_of(text: str = "", target: str = "") -> dict[str, Any]:
    """The foundation template of `text`, for `target` or for the first one that it names."""
    artifact = foundation.emit(next(iter(Fragments(target).checked(text).plans.values())))
    assert artifact is not None
    document: dict[str, Any] = json.loads(artifact.text)
    return document
