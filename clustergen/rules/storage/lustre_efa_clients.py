"""FSX006: node groups with EFA that reach the file system over TCP all the same."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import InstanceType
from clustergen.catalog.fsx import efa_client
from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import of

RULE = Rule(
    code="FSX006",
    title="The instance type is no EFA client of Lustre",
    why="Clients of an EFA-enabled file system are Nitro v4 and later types with EFA, Trn2 not "
    "among them. Others mount it over TCP, with a fraction of the throughput paid for.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    severity=Severity.WARNING,
    bad="""node_groups: [{name: h200, instance_type: p4d.24xlarge, count: 2}]
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 1000, efa: true}]""",
    good="storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 1000, efa: true}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    served = next((item for item in of(plan, Lustre) if item.efa), None)
    if served is None:
        return
    for group in plan.node_groups:
        unserved = next((type for type in group.types if not efa_client(type)), None)
        if group.efa and unserved:
            several = plan.wrote(*group.at("instance_types"))
            yield RULE.at(
                group.at("instance_types" if several else "instance_type"),
                f"{unserved.name} reaches {served.mount} over TCP, not over EFA{_why(unserved)}",
                help="types such as p5, p5en and p6-b200 are EFA clients",
            )


def _why(type: InstanceType) -> str:
    return f": it is Nitro v{type.nitro}" if type.nitro and type.nitro < 4 else ""
