"""Plans with everything that feeds metrics."""

from clustergen.plan.model import Plan
from tests.support.checking import check_example

EXAMPLES = {
    "p5en-capacity-block": ("pcs", "parallelcluster", "eks"),
    "p6-b200-reservation": ("parallelcluster",),
    "eks-karpenter": ("eks",),
    "hyperpod-slurm-legacy": ("hyperpod-slurm",),
    "hyperpod-eks-karpenter": ("hyperpod-eks",),
    "hpc8a-two-queues": ("pcs",),
    "trn1-efs": ("parallelcluster",),
}
PLANS = [(name, target) for name, targets in EXAMPLES.items() for target in targets]


def plan_of(name: str, target: str) -> Plan:
    """The plan of an example spec."""
    return check_example(name, target).plans[target]
