"""An expanded spec as data."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from clustergen.base.findings import Path
from clustergen.plan.model import Plan

PLAIN = "default"
"""The reason for a default that depends on nothing."""


class Default(NamedTuple):
    """A value that the spec leaves open, and the reason for it."""

    value: Any
    reason: str = PLAIN


class ExpandedSpec(NamedTuple):
    """The spec for one target with all defaults, as data in the order of the language."""

    plan: Plan
    spec: Mapping[str, Any]
    defaults: Mapping[Path, Default]
    """The values that the user left open."""
