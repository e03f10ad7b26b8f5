"""Resources of CloudFormation templates, with their values as far as the files say them."""

from clustergen.importing.cloudformation.questions import Questions
from clustergen.importing.cloudformation.stacks import Resource, Stacks, is_parameter_file

__all__ = ["Questions", "Resource", "Stacks", "is_parameter_file"]
