"""What the rest of a bundle uses of the document."""

from clustergen.base.findings import Severity, own_rule

RENAMED = own_rule(
    code="OVL009",
    title="Overlay changes or removes a name that the rest of the bundle uses",
    why="deploy.sh, labels, queues and smoke tests use the names of the spec. They would look for "
    "a cluster, queue or node group that does not exist, or create it a second time.",
    target="eks",
    bad="targets: {eks: {overlay: {Resources: {Cluster: {Properties: {Name: other}}}}}}",
    good="name: other\ntargets: {eks: {}}",
)
STALE = own_rule(
    code="OVL010",
    title="Overlay changes a value that other files of the bundle use",
    why="Jobs, quotas, alerts, the bill and the README are made from the spec, not from the "
    "overlay. They would keep the spec's instance types, numbers of nodes and mount points.",
    severity=Severity.WARNING,
    target="parallelcluster",
    bad="storage: [{mount: /data, type: efs}]\ntargets: {parallelcluster: {overlay: "
    "{SharedStorage: [{Name: data, MountDir: /other}]}}}",
    good="storage: [{mount: /other, type: efs}]\ntargets: {parallelcluster: {}}",
)
