"""Compile one spec of a training cluster for every AWS service that can run it.

The names below are the public API, imported on first use so that ``import clustergen`` is cheap::

    checked = clustergen.check("specs/a.yaml", targets=["pcs"])
    for finding in checked.findings: ...
    bundle = clustergen.render(checked, "pcs")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from clustergen.base.version import __version__ as __version__

if TYPE_CHECKING:
    from clustergen.base.artifacts import Artifact, Bundle
    from clustergen.base.findings import (
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
    from clustergen.bundle.renderer import render
    from clustergen.checking.compiler import Checked, UnknownTarget, check, check_text
    from clustergen.plan.model import Plan
    from clustergen.spec.model import Spec

_HOMES = {
    name: f"clustergen.{home}"
    for home, names in {
        "base.artifacts": "Artifact Bundle",
        "base.findings": "Edit Finding Fix Problem Rule Severity Unrenderable drop put rename rule "
        "safe unsafe",
        "bundle.renderer": "render",
        "checking.compiler": "Checked UnknownTarget check check_text",
        "plan.model": "Plan",
        "spec.model": "Spec",
    }.items()
    for name in names.split()
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
