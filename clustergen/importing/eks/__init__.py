"""Clusters of Amazon EKS: CloudFormation templates, and descriptions by the service."""

from collections.abc import Sequence
from typing import Final

from clustergen.importing import clusters
from clustergen.importing.answers import Answers
from clustergen.importing.conversion import Imported
from clustergen.importing.eks import existing_cluster
from clustergen.importing.eks.described import resources
from clustergen.importing.eks.fields import spec
from clustergen.importing.eks.form import CLUSTER, FORM, NODE_GROUPS
from clustergen.importing.eks.preparing import prepared
from clustergen.importing.machines import section
from clustergen.importing.reading import Source

PARTS: Final = clusters.Reader(
    "eks", FORM, NODE_GROUPS, existing_cluster.spec, resources, one=False
)
READER: Final = clusters.Reader("eks", FORM, CLUSTER, spec, resources, prepared, parts=PARTS)


def imported(sources: Sequence[Source], answers: Answers) -> Imported:
    """The spec of the templates or descriptions of one cluster."""
    return clusters.imported(READER, sources, answers._replace(vpc=answers.vpc or _vpc(sources)))


def _vpc(sources: Sequence[Source]) -> str:
    named = (section(each.data, "cluster", "resourcesVpcConfig").get("vpcId") for each in sources)
    return next((str(vpc) for vpc in named if vpc), "")
