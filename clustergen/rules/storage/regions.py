"""Regions of Amazon FSx, and of persistent-2 of FSx for Lustre."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, warning
from clustergen.facts.catalog import regions
from clustergen.facts.catalog.fsx import Persistent2, persistent_2_in
from clustergen.facts.catalog.services import SERVICES, available
from clustergen.plan import storage_kinds
from clustergen.plan.model import Efs, FileCache, Lustre, Ontap, OpenZfs, Plan

_SLOW_TIERS = (125, 250)
_SAO_PAULO = """region: sa-east-1
network: {{zone: sae1-az1}}
node_groups: [{{name: h200, instance_type: m7i.4xlarge, count: 2}}]
storage: [{{mount: /fsx, type: fsx-lustre, size: 1200GiB, throughput: {}}}]"""
_BAHRAIN = """region: me-south-1
network: {{zone: mes1-az1}}
head_node: {{instance_type: m6i.4xlarge}}
node_groups: [{{name: h200, instance_type: m6i.4xlarge, count: 2}}]
storage: [{{mount: /home, {}}}]"""
_DALLAS = """network: {{zone: use1-dfw2-az1}}
node_groups: [{{name: h200, instance_type: m7i.4xlarge, count: 2}}]
storage: [{{mount: /home, {}}}]"""


@warning(
    "FSX010",
    "Persistent-2 may not be available in the region",
    why="Regions and Local Zones have all of persistent-2, only its two slower tiers without EFA, "
    "or none of it. The list grows, so this is a warning.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html#persistent-deployment-regions",
    bad=_SAO_PAULO.format(250),
    good=_SAO_PAULO.format(200),
)
def persistent_2(plan: Plan) -> Iterator[Problem]:
    zone = plan.network.zone or plan.network.private[0].zone or ""
    available = persistent_2_in(plan.region, zone)
    for item in storage_kinds.new(plan, Lustre):
        if item.deployment != "PERSISTENT_2" or available is Persistent2.FULL:
            continue
        if available is Persistent2.SLOW:
            yield from _full_support_problems(item, f"{plan.region} ({zone})")
        else:
            yield Problem(
                item.at("deployment"),
                f"{plan.region} is not known to have persistent-2",
                help="persistent-1 (50, 100 or 200 MB/s per TiB) is in every region that has FSx",
            )


def _full_support_problems(item: Lustre, where: str) -> Iterator[Problem]:
    """The feature of a file system that needs full persistent-2 support."""
    if item.efa:
        message = f"{where} is known to have persistent-2 without EFA"
        fix = unsafe(put(item.at("efa"), False))
        yield Problem(item.at("efa"), message, help="write efa: false", fix=fix)
    if item.storage_class != "SSD":
        message = f"{where} is known to have persistent-2 on ssd"
        fix = unsafe(put(item.at("storage_class"), "ssd"))
        yield Problem(item.at("storage_class"), message, help="write storage_class: ssd", fix=fix)
    elif item.throughput not in _SLOW_TIERS:
        message = f"{where} is known to have persistent-2 at 125 and 250 MB/s per TiB"
        fix = unsafe(put(item.at("throughput"), 250))
        yield Problem(item.at("throughput"), message, help="write throughput: 250", fix=fix)


@warning(
    "FSX011",
    "Amazon FSx may not be available in the region",
    why="A file system is in the region of its clients. The list of regions grows, so this is a "
    "warning.",
    source="https://docs.aws.amazon.com/general/latest/gr/fsxn.html",
    bad=_BAHRAIN.format("type: fsx-openzfs, size: 1024GiB"),
    good=_BAHRAIN.format("type: efs"),
)
def fsx(plan: Plan) -> Iterator[Problem]:
    if available("fsx", plan.region) is not False:
        return
    near = ", ".join(SERVICES["fsx"].nearest(plan.region)[:4])
    for item in plan.storage:
        if isinstance(item, Lustre | OpenZfs | Ontap | FileCache):
            yield Problem(
                item.at("type"),
                f"{plan.region} is not known to have Amazon FSx",
                help=f"efs is there; FSx is in {near}",
            )


@warning(
    "STG026",
    "Local Zones may not have this file system",
    why="The foundation fails at its mount target or interface. AWS lists EFS and most kinds of "
    "FSx for no Local Zone; the list grows, so this is a warning.",
    source="https://aws.amazon.com/about-aws/global-infrastructure/localzones/features/",
    bad=_DALLAS.format("type: efs"),
    good=_DALLAS.format("type: fsx-lustre, size: 4800GiB, throughput: 250"),
)
def local_zone(plan: Plan) -> Iterator[Problem]:
    zone = plan.network.zone or plan.network.private[0].zone or ""
    if not regions.is_local_zone(zone):
        return
    for item in plan.storage:
        if isinstance(item, Efs | OpenZfs | Ontap | FileCache) and not item.existing:
            yield Problem(
                item.at("type"),
                f"{zone} is a Local Zone, which is not known to have this",
                help="use fsx-lustre, or an existing file system that nodes there reach",
            )
