"""Compile one spec of a training cluster for every AWS service that can run it.

The names below are the public API, imported on first use so that ``import clustergen`` is cheap::

    checked = clustergen.check("specs/a.yaml", targets=["pcs"])
    for finding in checked.findings: ...
    bundle = clustergen.render(checked, "pcs")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clustergen.artifacts import Artifact, Bundle
    from clustergen.compiler import Checked, UnknownTarget, check, check_text
    from clustergen.findings import (
        Edit,
        Finding,
        Fix,
        Problem,
        Rule,
        Severity,
        Unrenderable,
        drop,
        put,
        rename,
        rule,
        safe,
        unsafe,
    )
    from clustergen.plan.model import Plan
    from clustergen.renderer import render
    from clustergen.spec.model import Spec

__version__ = "0.1.0"

_HOMES = {
    "Artifact": "clustergen.artifacts",
    "Bundle": "clustergen.artifacts",
    "Checked": "clustergen.compiler",
    "Edit": "clustergen.findings",
    "Finding": "clustergen.findings",
    "Fix": "clustergen.findings",
    "Plan": "clustergen.plan.model",
    "Problem": "clustergen.findings",
    "Rule": "clustergen.findings",
    "Severity": "clustergen.findings",
    "Spec": "clustergen.spec.model",
    "UnknownTarget": "clustergen.compiler",
    "Unrenderable": "clustergen.findings",
    "check": "clustergen.compiler",
    "check_text": "clustergen.compiler",
    "drop": "clustergen.findings",
    "put": "clustergen.findings",
    "rename": "clustergen.findings",
    "render": "clustergen.renderer",
    "rule": "clustergen.findings",
    "safe": "clustergen.findings",
    "unsafe": "clustergen.findings",
}

__all__ = [
    "Artifact",
    "Bundle",
    "Checked",
    "Edit",
    "Finding",
    "Fix",
    "Plan",
    "Problem",
    "Rule",
    "Severity",
    "Spec",
    "UnknownTarget",
    "Unrenderable",
    "__version__",
    "check",
    "check_text",
    "drop",
    "put",
    "rename",
    "render",
    "rule",
    "safe",
    "unsafe",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'clustergen' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
