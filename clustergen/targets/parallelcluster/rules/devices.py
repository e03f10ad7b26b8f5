"""GPUs and Neuron devices."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import nodes
from clustergen.targets.parallelcluster.rules import warning


@warning(
    "GPU100",
    "GPU health check on Neuron devices",
    why="ParallelCluster tests GPUs with NVIDIA's DCGM, and skips the test on other nodes.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-health-checks-v3.html",
    bad="node_groups: [{name: h200, instance_type: trn1.32xlarge, health_checks: [gpu]}]",
)
def health_check(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if "gpu" in group.health_checks and group.accelerators[0] == "neuron":
            yield unwanted(
                group.at("health_checks"),
                f"ParallelCluster does not test the Neuron devices of {group.type.name}",
                help="remove health_checks; `smoke/run.sh` counts the devices",
            )


_DESKTOPS = """head_node: {{instance_type: {}}}
targets: {{parallelcluster: {{dcv: {{allowed_from: 203.0.113.0/24}}}}}}"""


@warning(
    "GPU101",
    "Desktops on a node without a GPU",
    why="Without an NVIDIA GPU, Amazon DCV draws on the CPU. The packages of a desktop need at "
    "least 1.7 GB of memory.",
    source="pcluster.validators.cluster_validators: DcvValidator",
    bad=_DESKTOPS.format("t3.micro"),
    good=_DESKTOPS.format("g6e.4xlarge"),
)
def desktops(plan: Plan) -> Iterator[Problem]:
    for path, _, machine in () if plan.network.closed else nodes.desktops(plan):
        type = machine.type if machine else None
        if type and (type.accelerator is None or type.accelerator.manufacturer != "NVIDIA"):
            message = f"{type.name} has {type.memory_gib:g} GiB of memory, and no GPU for desktops"
            yield Problem(path, message, help="use a type with a GPU, such as g6.xlarge")
