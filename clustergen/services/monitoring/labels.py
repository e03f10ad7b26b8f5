"""The labels of series: ours, or those of a collector that is not ours."""

import re
from dataclasses import dataclass
from typing import Final

from clustergen.plan.model import Plan
from clustergen.services.monitoring import names
from clustergen.services.monitoring.sources import Source, sources

_GROUPING: Final = re.compile(r"\b(?:by|on) \([^)]*\)|\$labels\.\w+|\{\{\w+\}\}")


@dataclass(frozen=True, slots=True)
class Labels:
    """How series name cluster and node; ``scope`` is the matcher of one cluster."""

    cluster: str
    node: str
    scope: str

    def applied(self, text: str) -> str:
        """An expression or a text with these labels in place of ours."""
        if (self.cluster, self.node) == (names.CLUSTER, names.NODE):
            return text
        return _GROUPING.sub(lambda found: self._renamed(found.group()), text)

    def _renamed(self, grouping: str) -> str:
        cluster = re.sub(rf"\b{names.CLUSTER}\b", self.cluster, grouping)
        return re.sub(rf"\b{names.NODE}\b", self.node, cluster)


def labels_of(plan: Plan) -> Labels:
    """The labels of the series of a cluster of ``plan``."""
    if Source.ADD_ON in sources(plan):
        # https://github.com/aws/sagemaker-hyperpod-cluster-setup: the dashboards of the add-on;
        # its cluster_id is known once the cluster exists.
        return Labels("cluster_id", "Hostname", 'cluster_id!=""')
    return Labels(names.CLUSTER, names.NODE, f'{names.CLUSTER}="{plan.name}"')
