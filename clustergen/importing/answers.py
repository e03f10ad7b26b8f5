"""What the user says about things that a configuration does not contain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from clustergen.importing.cloudformation.stacks import Given, is_parameter_file
from clustergen.importing.companion_files import NOTHING, Beside
from clustergen.importing.reading import Source

REGION: Final = "us-east-1"
"""Of templates, where nothing else says it."""
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
    stack: str = ""
    beside: Beside = NOTHING
    """What the files beside the document of the cluster say."""

    def with_files(
        self, sources: Sequence[Source], defaults: Mapping[str, str] = MappingProxyType({})
    ) -> Answers:
        """These, and what files say: values of parameters, and resources of templates."""
        files = (is_parameter_file(source.data) or {} for source in sources)
        given = {name: value for file in files for name, value in file.items()}
        parameters = {**given, **self.parameters}
        stack = self.stack or self.name
        values = Given({**defaults, **parameters}, self.region or REGION, stack)
        return self._replace(parameters=parameters, beside=Beside(sources, values))
