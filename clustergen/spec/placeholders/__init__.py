"""The ``${Name}`` placeholders of rendered documents, and the files that hold their values.

A placeholder stands for an output of the foundation stack and has its name: ``${PrivateSubnetId}``.
Similar text, such as ``${HOME}`` or ``${AWS::Region}``, is not a placeholder and stays unchanged.
"""

from clustergen.spec.placeholders.filling import PLACEHOLDER, fill, names
from clustergen.spec.placeholders.outputs import read_outputs, unfilled

__all__ = ["PLACEHOLDER", "fill", "names", "read_outputs", "unfilled"]
