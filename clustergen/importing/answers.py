"""What the user says about things that a configuration does not contain."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

STAND_IN_VPC: Final = "vpc-" + "0" * 17
"""In place of a VPC that neither the configuration nor the user names."""


class Answers(NamedTuple):
    """The flags of the command."""

    name: str
    region: str
    vpc: str
    zones: Mapping[str, str]
    """By subnet id; the empty id stands for all others."""
    adopt: bool = False
    """The cluster runs: its documents stay as they are written."""
    parameters: Mapping[str, str] = MappingProxyType({})
    """Values of parameters, and of other things that templates refer to."""
