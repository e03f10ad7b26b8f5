"""Clusters of AWS PCS: CloudFormation templates, and descriptions by the service."""

import functools
from typing import Final

from clustergen.importing import clusters
from clustergen.importing.pcs import existing_cluster, fields
from clustergen.importing.pcs.described import resources
from clustergen.importing.pcs.form import CLUSTER, FORM, NODE_GROUPS
from clustergen.importing.pcs.preparing import prepared

PARTS: Final = clusters.Reader(
    "pcs", FORM, NODE_GROUPS, existing_cluster.spec, resources, existing_cluster.prepared, one=False
)
READER: Final = clusters.Reader("pcs", FORM, CLUSTER, fields.spec, resources, prepared, parts=PARTS)

imported = functools.partial(clusters.imported, READER)
"""The spec of one cluster, or of node groups that are added to one."""
