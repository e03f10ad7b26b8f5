"""Queues, settings of Slurm, and the orchestrator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clustergen.findings import Path, Problem
from clustergen.hyperpod import limits
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.limits import OWN_SETTINGS
from clustergen.targets.hyperpod_slurm.rules import rule

_REFERENCE = f"{limits.GUIDE}sagemaker-hyperpod-ref.html"


@rule(
    "SLM350",
    "Node group without a partition",
    why="HyperPod rejects an instance group of Slurm compute nodes that names no partition.",
    source=_REFERENCE,
    bad="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cpu, instance_type: c6i.8xlarge, count: 1}
queues: [{name: train, node_groups: [h200]}]""",
    good="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cpu, instance_type: c6i.8xlarge, count: 1}
queues: [{name: train, node_groups: [h200]}, {name: cpu, node_groups: [cpu]}]""",
)
def partition(plan: Plan) -> Iterator[Problem]:
    queued = {group.name for queue in plan.queues for group in queue.node_groups}
    for group in plan.node_groups:
        if group.name not in queued:
            yield Problem(
                group.at("name"),
                f"{group.name} is in no queue",
                help=f"add to queues: {{name: {group.name}, node_groups: [{group.name}]}}",
            )


@rule(
    "SLM362",
    "Overlay that adds an orchestrator to mode: legacy",
    why="HyperPod rejects a request that names Slurm as its orchestrator, or the role of a group, "
    "while the scripts come with provisioning_parameters.json.",
    source=modes.MIGRATION,
    bad="targets: {hyperpod-slurm: {mode: legacy, overlay: {Orchestrator: {Slurm: {}}}}}",
    good="targets: {hyperpod-slurm: {mode: customer-managed}}",
)
def orchestrator(plan: Plan) -> Iterator[Problem]:
    if modes.mode(plan) == "legacy" and "Orchestrator" in plan.overlay:
        yield Problem(
            ("targets", "hyperpod-slurm", "overlay", "Orchestrator"),
            "mode: legacy has no orchestrator in its request",
            help="remove it, or write mode: customer-managed",
            on_key=True,
        )


@rule(
    "SLM357",
    "Setting that the lifecycle script cannot write",
    why="The script adds lines of the form key=value to slurm.conf, and such pairs to the line of "
    "a partition. HyperPod writes which nodes and partitions there are, where the controller is "
    "and how nodes are found.",
    source=_REFERENCE,
    bad="slurm: {settings: {SlurmctldHost: head}}",
    good="slurm: {settings: {SchedulerParameters: defer}}",
)
def settings(plan: Plan) -> Iterator[Problem]:
    yield from _unwritable(("slurm", "settings"), plan.slurm.settings, _LINE)
    yield from _unwritable(("slurm", "cgroup_settings"), plan.slurm.cgroup_settings, _LINE)
    # The settings of a partition are words of one line.
    for queue in plan.queues:
        yield from _unwritable(queue.at("slurm"), queue.slurm, _WORD, ", without blanks")


# https://slurm.schedmd.com/slurm.conf.html: # begins a comment, \ at the end continues the line,
# and a value with blanks is quoted, by the script or in the spec.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_LINE = re.compile(r'"[^"#\x00-\x1f\x7f]+"|(?! )[^"#\x00-\x1f\x7f]*[^"#\x00-\x20\x7f\\]')
_WORD = re.compile(r'[^"#\x00-\x20\x7f]*[^"#\x00-\x20\x7f\\]')


def _unwritable(
    path: Path, given: Mapping[str, str], form: re.Pattern[str], more: str = ""
) -> Iterator[Problem]:
    for key, value in given.items():
        if key.lower() in OWN_SETTINGS:
            yield Problem(
                (*path, key), f"HyperPod writes {key} itself", help="remove it", on_key=True
            )
        elif not _NAME.fullmatch(key):
            yield Problem(
                (*path, key),
                f"{key!r} is not a name of a setting",
                help="write a name of letters and digits, such as MaxTime",
                on_key=True,
            )
        elif not form.fullmatch(value):
            yield Problem(
                (*path, key),
                f"Slurm would not read {value!r} as one value of {key}",
                help=f"write it on one line, without #, quotes inside and \\ at the end{more}",
            )
