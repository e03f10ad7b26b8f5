"""Labels and taints of node groups."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import limits
from clustergen.targets.hyperpod_eks.rules import EXISTING, warning


@warning(
    "K8S413",
    "Taints on nodes with deep health checks",
    why="The pods of the checks do not tolerate your taints: they would not run, and the nodes "
    "would never become schedulable.",
    source=limits.EKS_PREREQUISITES,
    bad=f"""{EXISTING}
node_groups: [{{name: h200, health_checks: [instance-stress], taints: [{{key: training}}]}}]""",
)
def checked_taint(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        # Another rule rejects deep health checks for nodes without accelerators.
        accelerated = group.type.gpus or group.type.neuron_devices
        if group.taints and accelerated and set(group.health_checks) - {"gpu"}:
            yield unwanted(
                group.at("taints"),
                f"{group.name} has taints and deep health checks",
                help="remove one of them; labels separate jobs, too",
            )
