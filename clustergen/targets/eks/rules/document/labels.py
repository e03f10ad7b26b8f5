"""Labels and taints of node groups."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import as_map, maps
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_node_group, rule
from clustergen.targets.eks.template import Template


@rule(
    "OVL544",
    "Reserved prefix of a label or taint",
    why="EKS rejects node groups whose labels or taints use the domains of Kubernetes or EKS.",
    source=limits.RESERVED,
    bad=in_node_group("Labels: {kubernetes.io/role: train}"),
    good=in_node_group("Labels: {example.com/role: train}"),
)
def reserved_prefix(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        properties = nodes.group.properties
        keys = [("Labels", key) for key in as_map(properties.get("Labels"))]
        keys += [("Taints", str(taint.get("Key"))) for taint in maps(properties.get("Taints"))]
        for member, key in keys:
            if any(prefix in key for prefix in limits.RESERVED_PREFIXES):
                yield nodes.group.problem(
                    (member,),
                    f"{key} has a prefix that is reserved",
                    "use a domain of your own, such as example.com/",
                )


@rule(
    "OVL545",
    "Taint given twice",
    why="A node has one taint for each key and effect. EKS rejects a second one.",
    source=limits.TAINTS,
    bad=in_node_group("Taints: [{Key: a, Effect: NO_SCHEDULE}, {Key: a, Effect: NO_SCHEDULE}]"),
    good=in_node_group("Taints: [{Key: a, Effect: NO_SCHEDULE}, {Key: a, Effect: NO_EXECUTE}]"),
)
def repeated_taint(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        taints = maps(nodes.group.properties.get("Taints"))
        pairs = [(str(taint.get("Key")), str(taint.get("Effect"))) for taint in taints]
        for key, effect in sorted({pair for pair in pairs if pairs.count(pair) > 1}):
            yield nodes.group.problem(
                ("Taints",), f"the taint {key} with {effect} twice", "keep one of them"
            )
