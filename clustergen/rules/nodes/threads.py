"""CAP010: the type has that many threads per core."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

RULE = Rule(
    code="CAP010",
    title="The type has no such number of threads per core",
    why="EC2 refuses a thread count that the processor does not have; Graviton and HPC types have "
    "one.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/cpu-options-supported-instances-values.html",
    bad="node_groups: [{name: h200, instance_type: hpc7a.96xlarge, threads_per_core: 2}]",
    good="node_groups: [{name: h200, instance_type: hpc7a.96xlarge, threads_per_core: 1}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for group in plan.node_groups:
        for type in group.types:
            if not plan.wrote(*group.at("threads_per_core")):
                continue
            if group.threads_per_core not in (
                type.valid_threads_per_core or (type.threads_per_core,)
            ):
                yield RULE.at(
                    group.at("threads_per_core"),
                    f"{type.name} has {type.threads_per_core} thread per core",
                    help=f"write {type.threads_per_core}, or leave it out",
                )
