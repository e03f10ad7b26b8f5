"""What the plan has resolved, as the spec would say it."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen import targets
from clustergen.analysis.plan.model import PLAIN, Default
from clustergen.base.findings import Path
from clustergen.plan.model import Efs, FileCache, Lustre, NodeGroup, OpenZfs, Plan, Queue, Storage

_Found = Iterator[tuple[Path, Any, str]]
"""Path, value, and the reason unless the planner gives one."""


def values(plan: Plan) -> Mapping[Path, Default]:
    """The resolved values by path; the reasons of the planner are those of the bundle's README."""
    reasons = {decision.path: decision.text for decision in plan.decisions}
    return {
        path: Default(value, reasons.get(path, reason))
        for path, value, reason in _values(plan)
        if value is not None
    }


def unused(plan: Plan) -> frozenset[Path]:
    """The paths whose defaults have no meaning for the target."""
    others = {("targets", name) for name in targets.NAMES if name != plan.target}
    return frozenset(
        {
            *others,
            *_asked_for(plan),
            *plan.existing.owned,
            *([("queues",)] if plan.existing.owned else []),
            *(queue.at("default") for queue in plan.queues if plan.existing.owned),
            *((name,) for name in ("slurm", "kubernetes") if _scheduler(plan) != name),
            *(queue.at("default") for queue in plan.queues if _scheduler(plan) != "slurm"),
            *([] if plan.head else [("head_node",)]),
            *([] if plan.system else [("kubernetes", "system_nodes")]),
            *(item.at(field) for item in plan.storage if item.existing for field in _OF_NEW),
        }
    )


def _scheduler(plan: Plan) -> str:
    return targets.load(plan.target).traits.scheduler


def _asked_for(plan: Plan) -> Iterator[Path]:
    """Defaults that mean more if the spec has them: a dashboard without metrics, and what replaces
    a choice of HyperPod."""
    yield ("monitoring", "dashboards")
    if plan.sagemaker:
        yield ("targets", plan.target, "provisioning")
        yield from (group.at("efa_layout") for group in plan.node_groups)
        if _scheduler(plan) == "kubernetes":
            yield ("queues",)
            yield ("monitoring", "interval")


_OF_NEW = (
    *("on_delete", "kms_key", "backups", "size", "deployment", "storage_class", "throughput"),
    *("metadata_iops", "compression", "drive_cache", "read_cache", "iops", "throughput_mode"),
    *("one_zone", "volume_type", "data_repositories", "import_from", "export_to"),
)
"""Fields of file systems that only new ones use."""


def _values(plan: Plan) -> _Found:
    if plan.network.new:
        yield ("network", "cidr"), plan.network.cidr, PLAIN
    for group in plan.node_groups:
        yield from _of_group(group, plan)
    yield from _of_queues(plan)
    for item in plan.storage:
        yield from _of_existing(item) if item.existing else _of_new(item)
    section = targets.load(plan.target).traits.section
    for name, (value, reason) in plan.options.resolved(plan).items():
        if ("targets", section) in plan.written:
            yield ("targets", section, name), value, reason
    for script in plan.software.scripts:
        why = "updates run on running nodes" if script.when == "updated" else PLAIN
        yield (*script.path, "on"), [*script.on], why
        yield (*script.path, "node_groups"), [*script.node_groups], "all node groups"


def _of_group(group: NodeGroup, plan: Plan) -> _Found:
    title = plan.limits.title
    if group.capacity.kind == "on-demand":
        yield group.at("capacity"), "on-demand", PLAIN
    yield group.at("efa"), group.efa, f"{group.type.name} has no EFA"
    if group.efa:
        yield group.at("efa_layout"), group.efa_layout, f"the layout of {title}"
    if group.placement.kind != "existing":
        yield group.at("placement"), group.placement.kind, "for nodes without EFA"
    yield group.at("threads_per_core"), group.threads_per_core, f"{group.type.name} on {title}"
    if group.volume.iops:
        least = f"the least of {group.volume.type}"
        yield group.at("root_volume", "iops"), group.volume.iops, least


def _of_queues(plan: Plan) -> _Found:
    """The queues, which have a default only on Slurm."""
    slurm = _scheduler(plan) == "slurm"
    written = ("queues",) in plan.written
    for queue in plan.queues if written and slurm else ():
        reason = "the first queue" if queue.default else PLAIN
        yield queue.at("default"), queue.default, reason
    queues = [_queue(queue, slurm) for queue in plan.queues]
    yield ("queues",), None if written else queues, "one queue for each node group"


def _queue(queue: Queue, slurm: bool) -> Mapping[str, Any]:
    groups = [group.name for group in queue.node_groups]
    default = {"default": queue.default} if slurm else {}
    return {"name": queue.name, "node_groups": groups, **default, "exclusive": queue.exclusive}


def _of_existing(item: Storage) -> _Found:
    if isinstance(item, Lustre | OpenZfs | Efs | FileCache) and isinstance(item.dns_name, str):
        yield item.at("existing", "dns_name"), item.dns_name, "the form that the service uses"


def _of_new(item: Storage) -> _Found:
    if isinstance(item, Lustre):
        yield item.at("deployment"), item.deployment.lower().replace("_", "-"), PLAIN
        yield item.at("size"), item.size_gib and f"{item.size_gib}GiB", PLAIN
        yield item.at("throughput"), item.throughput, PLAIN
        iops = item.metadata_iops
        yield item.at("metadata_iops"), "auto" if iops == "AUTOMATIC" else iops, PLAIN
    elif isinstance(item, OpenZfs):
        yield item.at("throughput"), item.throughput, PLAIN
    elif hasattr(item, "volume"):
        yield item.at("iops"), item.volume.iops, f"the least of {item.volume.type}"
