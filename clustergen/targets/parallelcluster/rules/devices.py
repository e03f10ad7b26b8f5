"""GPUs and Neuron devices."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster.rules import warning


@warning(
    "GPU100",
    "GPU health check on Neuron devices",
    fixes="unsafe",
    why="ParallelCluster tests GPUs with NVIDIA's DCGM, and skips the test on other nodes.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-health-checks-v3.html",
    bad="node_groups: [{name: h200, instance_type: trn1.32xlarge, health_checks: [gpu]}]",
    good="node_groups: [{name: h200, instance_type: trn1.32xlarge}]",
)
def health_check(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if "gpu" in group.health_checks and group.accelerators[0] == "neuron":
            yield unwanted(
                group.at("health_checks"),
                f"ParallelCluster does not test the Neuron devices of {group.type.name}",
                help="remove health_checks; `smoke/run.sh` counts the devices",
            )
