"""Features that a target does not support, or supports with differences."""

from collections.abc import Iterator, Sequence

from clustergen.base.findings import Problem, note, rule
from clustergen.plan.features.checking import Use


@rule(
    "SUP001",
    "Feature not supported by the target",
    why="Without the feature, the cluster would not be the one that the spec describes. "
    "`--allow-unsupported` omits it and renders the rest.",
    source="the support matrix: `clustergen targets`",
    target="parallelcluster",
    bad="node_groups: [{name: h200, capacity: {interruptible_reservation: cr-0a1b2c3d4e5f67890}}]",
    good="node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]",
)
def unsupported(uses: Sequence[Use]) -> Iterator[Problem]:
    for use in uses:
        if use.support.level == "none":
            yield from use.problems()


@note(
    "SUP002",
    "Feature supported with differences",
    why="The cluster gets this feature in a different way than the spec suggests.",
    source="the support matrix: `clustergen targets`",
    target="eks",
    bad="users: [{name: alice, uid: 2001}]",
    good="users: []",
)
def partial(uses: Sequence[Use]) -> Iterator[Problem]:
    for use in uses:
        if use.support.level == "partial":
            yield from use.problems()


@note(
    "SUP004",
    "The service does this for every cluster",
    why="The service does this for every cluster, in its own way. The setting does not change "
    "that.",
    source="the support matrix: `clustergen targets`",
    target="pcs",
    bad="head_node: {instance_type: m7i.8xlarge}",
    good="targets: {pcs: {size: medium}}",
)
def managed(uses: Sequence[Use]) -> Iterator[Problem]:
    for use in uses:
        if use.support.level == "managed" and use.support.always:
            yield from use.problems(written=True)
