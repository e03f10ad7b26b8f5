"""What the user says about things that a configuration does not contain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Answers(NamedTuple):
    """The flags of the command."""

    name: str
    region: str
    vpc: str
    zones: Mapping[str, str]
    """By subnet id; the empty id stands for all others."""
