"""ParallelCluster has no fee; its dashboard and its load balancer do."""

from collections.abc import Iterator

from clustergen.plan.model import Plan
from clustergen.services.cost.model import Line
from clustergen.services.cost.network import public_machines
from clustergen.services.cost.pricing import Prices


def fees(plan: Plan, at: Prices) -> Iterator[Line]:
    """The CloudWatch dashboard, and the load balancer in front of login nodes."""
    if plan.monitoring.dashboards == "cloudwatch":
        units = {"CloudWatch dashboard": 1.0}
        yield at.line("monitoring", "dashboard", "1 CloudWatch dashboard", units)
    if plan.login:
        yield from _load_balancer(plan, at)


def _load_balancer(plan: Plan, at: Prices) -> Iterator[Line]:
    """It has an address in each subnet: a public one where login nodes accept SSH from outside.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/login-nodes-v3.html
    """
    what = "1 Network Load Balancer"
    yield at.line("network", "load balancer of login nodes", what, {"Network Load Balancer": 1})
    if "login" in public_machines(plan):
        what = "1 public IPv4"
        yield at.line("network", "address of login nodes", what, {"public IPv4 address": 1})
    traffic = "connections and traffic of login nodes"
    yield at.by_use("network", "load balancer data", traffic, "NLB capacity unit")
