"""The ``${Name}`` placeholders of rendered documents, and the files that hold their values.

A placeholder stands for an output of the foundation stack, and is written as outputs are named:
``${PrivateSubnetId}``. Other text of the kind, such as ``${HOME}`` or ``${AWS::Region}``, is no
placeholder and stays as it is.
"""

from __future__ import annotations

from clustergen.placeholders.filling import fill, names
from clustergen.placeholders.outputs import read_outputs, unfilled

__all__ = ["fill", "names", "read_outputs", "unfilled"]
