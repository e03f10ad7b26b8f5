"""STG040: EFS in one zone is told the zone by name."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import regions
from clustergen.findings import Finding, Rule
from clustergen.plan.model import Efs, Plan
from clustergen.rules.storage.entries import new

RULE = Rule(
    code="STG040",
    title="EFS in one zone without the zone's name",
    why="EFS takes its one zone by name, and a zone id has another name in each account. A new "
    "subnet knows the name of its zone; that of an existing one only its owner can tell.",
    source="https://docs.aws.amazon.com/efs/latest/ug/API_CreateFileSystem.html",
    bad="""network:
  zone: use1-az6
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
storage: [{mount: /home, type: efs, one_zone: true}]""",
    good="""network:
  zone: us-east-1a
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
storage: [{mount: /home, type: efs, one_zone: true}]""",
)


def check(plan: Plan) -> Iterator[Finding]:
    zone = plan.network.private[0].zone
    if plan.network.new or (zone and not regions.is_zone_id(zone)):
        return
    for item in new(plan, Efs):
        if item.one_zone:
            said = f"only its zone id, {zone}" if zone else "no zone"
            yield RULE.at(
                item.at("one_zone"),
                f"EFS needs the name of its one zone, and the existing subnet says {said}",
                help=f"write the name of that zone in your account, such as {plan.region}a",
            )
