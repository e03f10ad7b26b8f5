"""Bills of small specs."""

from clustergen import targets
from clustergen.checking.examples import is_whole
from clustergen.facts.catalog import regions
from clustergen.services import cost
from clustergen.services.cost import Bill, Line
from tests.support.checking import check
from tests.support.tables import flow

ZONES = flow("""
{eu-central-1: euc1-az2, eu-north-1: eun1-az1, eu-south-2: eus2-az1, us-east-1: use1-az6,
  us-east-2: use2-az2, us-west-1: usw1-az3, us-west-2: usw2-az2}
""")
HEAD = "version: 1\nname: example\nregion: us-east-1\nnetwork: {zone: use1-az6}\n"
ID = "cr-0a1b2c3d4e5f67890"
OPTIONS = {
    "on-demand": "on-demand",
    "spot": "spot",
    "reservation": f"{{reservation: {ID}}}",
    "block": f"{{capacity_block: {ID}}}",
    "plan": "{training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/a'}",
}


def bill(
    nodes: str, target: str = "parallelcluster", *, region: str = "us-east-1", more: str = ""
) -> Bill:
    """The bill of one node group such as ``16 p5en.48xlarge block``, and ``more`` of a spec.

    ``region`` may be a zone id.
    """
    count, type, option = nodes.split()
    zone = ZONES.get(region, region)
    region = regions.region_of_zone(zone) or region
    text = (
        f"version: 1\nname: example\nregion: {region}\nnetwork: {{zone: {zone}}}\n"
        f"node_groups: [{{name: g, instance_type: {type}, count: {count}, "
        f"capacity: {OPTIONS[option]}}}]\n{more}"
    )
    return bill_of(text, target)


def bill_of(text: str, target: str) -> Bill:
    """The bill of a spec, whole or but for its head."""
    whole = text if is_whole(text) else f"{HEAD}{text}"
    plan = check(whole, target=target).plans[target]
    return cost.bill(plan, targets.load(target).fees)


def line(bill: Bill, name: str) -> Line:
    """The line with this name."""
    (found,) = (line for line in bill.lines if line.name == name)
    return found
