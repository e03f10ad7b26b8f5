"""Resources of CloudFormation templates, with their values as far as the files say them."""

from __future__ import annotations

from clustergen.importing.cloudformation.questions import Questions
from clustergen.importing.cloudformation.stacks import Resource, Stacks, is_parameter_file

__all__ = ["Questions", "Resource", "Stacks", "is_parameter_file"]
