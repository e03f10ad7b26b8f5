"""Properties whose change makes CloudFormation replace the resource."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

_FILE = Path(__file__).with_name("data") / "replacements.json"


@functools.cache
def names() -> Mapping[str, str]:
    """By resource type, the property with the name that only one resource can have."""
    table: Mapping[str, str] = json.loads(_FILE.read_text(encoding="utf-8"))["names"]
    return table


@functools.cache
def properties() -> Mapping[str, Sequence[str]]:
    """Property names by resource type; nested ones as dotted paths."""
    table: Mapping[str, Sequence[str]] = json.loads(_FILE.read_text(encoding="utf-8"))["properties"]
    return table
