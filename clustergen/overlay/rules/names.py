"""Names of clusters and node groups, which the rest of a bundle uses."""

from __future__ import annotations

from clustergen.findings import Rule

RENAMED = Rule(
    code="OVL009",
    title="Overlay changes a name that the rest of the bundle uses",
    why="deploy.sh, labels, queues and smoke tests use the names of the spec. They would look for "
    "a cluster or node group that does not exist, and deploy.sh would create it a second time.",
    source="clustergen",
    target="eks",
    bad="targets: {eks: {overlay: {Resources: {Cluster: {Properties: {Name: other}}}}}}",
    good="name: other\ntargets: {eks: {}}",
)
