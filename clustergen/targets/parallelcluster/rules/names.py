"""Names of queues and node groups, and keys of tags."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Path, Problem
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule


@rule(
    "LIM101",
    "Name that ParallelCluster refuses",
    why="Names of queues and node groups become host names: up to 25 characters, not `default`.",
    source="pcluster.validators.cluster_validators: NameValidator",
    bad="queues: [{name: pre-training-of-large-models, node_groups: [h200]}]",
    good="queues: [{name: pre-training, node_groups: [h200]}]",
)
def form(plan: Plan) -> Iterator[Problem]:
    # A queue that the spec does not write has the name and the place of its node group.
    named: dict[Path, str] = {queue.at("name"): queue.name for queue in plan.queues}
    named |= {group.at("name"): group.name for group in plan.node_groups}
    for path, name in named.items():
        if len(name) > limits.MAX_NAME:
            yield Problem(
                path,
                f"{name!r} has {len(name)} characters; at most {limits.MAX_NAME} are allowed",
                help=f"shorten it, for example to {name[: limits.MAX_NAME].rstrip('-')}",
            )
        elif name == limits.RESERVED_NAME:
            yield Problem(path, f"{name!r} is reserved", help="choose another name, such as main")


@rule(
    "LIM106",
    "Tag reserved by ParallelCluster",
    why="ParallelCluster finds its resources by the tags that begin with `parallelcluster:`.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html",
    bad='tags: {"parallelcluster:team": research}',
    good="tags: {team: research}",
)
def tag(plan: Plan) -> Iterator[Problem]:
    for key in plan.tags:
        if key.startswith(limits.RESERVED_TAG_PREFIX):
            yield Problem(
                ("tags", key),
                f"{key!r} begins with {limits.RESERVED_TAG_PREFIX}",
                help=f"write {key.removeprefix(limits.RESERVED_TAG_PREFIX)}",
                on_key=True,
            )
