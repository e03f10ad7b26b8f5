"""The IAM policies that deploy and operate a bundle, derived from what the bundle consists of.

``documents`` reads the types in its templates and the commands in its scripts, so that a target, a
resource or a script that is new has its permissions without a list to keep.
"""

from clustergen.analysis.policy.boundary import boundary
from clustergen.analysis.policy.documents import CDK, documents
from clustergen.analysis.policy.statement import size

__all__ = ["CDK", "boundary", "documents", "size"]
