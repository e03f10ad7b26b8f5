"""FSX010: where persistent-2 is known to be."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog.fsx import Persistent2, persistent_2_in
from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new

RULE = Rule(
    code="FSX010",
    title="Persistent-2 is not known to be there",
    why="Regions and Local Zones have all of persistent-2, only its two slower tiers without EFA, "
    "or none of it. The list grows, so this is a warning.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html#persistent-deployment-regions",
    severity=Severity.WARNING,
    bad="""region: sa-east-1
network: {zone: sae1-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: 2}]
storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB, throughput: 250}]""",
    good="""region: sa-east-1
network: {zone: sae1-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: 2}]
storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB, throughput: 200}]""",
)

_SLOW_TIERS = (125, 250)


def check(plan: Plan) -> Iterator[Finding]:
    zone = plan.network.zone or plan.network.private[0].zone or ""
    for item in new(plan, Lustre):
        if item.deployment == "PERSISTENT_2":
            yield from _check(item, plan.region, zone)


def _check(item: Lustre, region: str, zone: str) -> Iterator[Finding]:
    available = persistent_2_in(region, zone)
    if available is Persistent2.FULL:
        return
    if available is not Persistent2.SLOW:
        yield RULE.at(
            item.at("deployment"),
            f"{region} is not known to have persistent-2",
            help="persistent-1 (50, 100 or 200 MB/s per TiB) is in every region that has FSx",
        )
        return
    where = f"{region} ({zone})"
    if item.efa:
        yield RULE.at(
            item.at("efa"), f"{where} is known to have persistent-2 without EFA", help="efa: false"
        )
    if item.storage_class != "SSD":
        yield RULE.at(
            item.at("storage_class"), f"{where} is known to have persistent-2 on ssd", help="ssd"
        )
    elif item.throughput not in _SLOW_TIERS:
        yield RULE.at(
            item.at("throughput"),
            f"{where} is known to have persistent-2 at 125 and 250 MB/s per TiB",
            help="throughput: 250",
        )
