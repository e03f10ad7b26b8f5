"""GPUs and their MIG partitions, as Slurm resources."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits, settings
from clustergen.targets.pcs.limits import USER_GUIDE
from clustergen.targets.pcs.rules import rule, warning

_MIG = f"{USER_GUIDE}mig-configuration.html"


@rule(
    "SLM210",
    "Gres set by hand",
    why="PCS rejects a Gres setting without a record in gres.conf. PCS writes both for GPUs, "
    "clustergen does for MIG partitions.",
    source=f"{USER_GUIDE}gres-custom-settings.html",
    bad='node_groups: [{name: h200, slurm: {Gres: "gpu:h200:8"}}]',
    good="node_groups: [{name: h200, slurm: {Weight: 10}}]",
)
def gres(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for name, value in group.slurm.items():
            if name.lower() == "gres":
                yield unwanted(
                    group.at("slurm", name),
                    f"Gres: {value} has no record in gres.conf",
                    help="remove it; to partition GPUs write mig",
                    on_key=True,
                )


@rule(
    "SLM211",
    "Slurm cannot detect the MIG devices",
    why="Slurm detects MIG devices from 25.11 on, and only if it knows the node's sockets. PCS "
    "sets them from 26.05 on. Without both, Slurm drains every node.",
    source=_MIG,
    bad="node_groups: [{name: h200, mig: {1g.18gb: 7}}]",
)
def mig_detection(plan: Plan) -> Iterator[Problem]:
    version = settings.version(plan)
    if settings.since(version, limits.SOCKETS_DETECTED_SINCE):
        return
    detects = settings.since(version, limits.AUTODETECT_SINCE)
    for group in plan.node_groups:
        sockets = any(name.lower() == "sockets" for name in group.slurm)
        if group.mig and not (detects and sockets):
            lacking = " and no Sockets" if detects else ""
            yield Problem(
                group.at("mig"),
                f"MIG with Slurm {version}{lacking}",
                help=f'write slurm.version: "{limits.SOCKETS_DETECTED_SINCE}"',
                fix=unsafe(put(("slurm", "version"), limits.SOCKETS_DETECTED_SINCE)),
            )


@warning(
    "SLM212",
    "MIG on nodes that scale",
    why="Slurm does not know the devices of a node before it has booted: a job that waits for one "
    "may start without a GPU.",
    source=_MIG,
    bad="node_groups: [{name: h200, count: {min: 0, max: 2}, mig: {1g.18gb: 7}}]\n"
    'slurm: {version: "26.05"}',
)
def mig_scaling(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.mig and not group.static:
            yield Problem(
                group.at("mig"),
                f"{group.name} has MIG and {group.min} to {group.max} nodes",
                help=f"write count: {group.max}",
                fix=unsafe(put(group.at("count"), group.max)),
            )
