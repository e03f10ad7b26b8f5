"""EFS: throughput modes, and zones of One Zone file systems."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, rule, unsafe
from clustergen.facts.catalog import regions
from clustergen.plan import storage_kinds
from clustergen.plan.model import Efs, Plan

_ONE_ZONE = """network:
  zone: {}
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
storage: [{{mount: /home, type: efs, one_zone: true}}]"""


@rule(
    "STG018",
    "EFS throughput without its mode, or the mode without it",
    why="Only mode provisioned has a throughput setting; elastic and bursting adjust it "
    "automatically.",
    source="https://docs.aws.amazon.com/efs/latest/ug/performance.html#throughput-modes",
    bad="storage: [{mount: /home, type: efs, throughput: 256}]",
)
def throughput(plan: Plan) -> Iterator[Problem]:
    for item in storage_kinds.new(plan, Efs):
        provisioned = item.throughput_mode == "provisioned"
        if provisioned and item.throughput is None:
            yield Problem(
                item.at("throughput_mode"),
                "throughput_mode: provisioned needs a throughput",
                help="add throughput: 256 (MiB/s), or write throughput_mode: elastic",
                fix=unsafe(put(item.at("throughput_mode"), "elastic")),
            )
        elif not provisioned and item.throughput is not None:
            yield Problem(
                item.at("throughput"),
                f"throughput_mode: {item.throughput_mode} has no throughput setting",
                help="add throughput_mode: provisioned, or remove throughput",
                fix=unsafe(put(item.at("throughput_mode"), "provisioned")),
            )


@rule(
    "STG040",
    "EFS in one zone without the zone's name",
    why="EFS expects the name of its one zone, and a zone id has another name in each account. The "
    "name is known for a new subnet; for an existing one, the spec must give it.",
    source="https://docs.aws.amazon.com/efs/latest/ug/API_CreateFileSystem.html",
    bad=_ONE_ZONE.format("use1-az6"),
    good=_ONE_ZONE.format("us-east-1a"),
)
def zone_name(plan: Plan) -> Iterator[Problem]:
    zone = plan.network.private[0].zone
    if plan.network.new or (zone and not regions.is_zone_id(zone)):
        return
    for item in storage_kinds.new(plan, Efs):
        if item.one_zone:
            given = f"only its zone id, {zone}" if zone else "no zone"
            yield Problem(
                item.at("one_zone"),
                f"EFS needs the name of its one zone, and the existing subnet gives {given}",
                help=f"write the name of that zone in your account, such as {plan.region}a",
            )
