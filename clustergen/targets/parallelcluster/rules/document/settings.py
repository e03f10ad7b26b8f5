"""Settings of Slurm in ``CustomSlurmSettings``, and a slurmdbd of the user's own."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.findings import Path, Problem
from clustergen.facts.catalog.slurm import Scope
from clustergen.overlay.parts import as_map
from clustergen.plan import slurm_settings
from clustergen.plan.slurm import Setting
from clustergen.plan.slurm_settings import Service
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule, warning
from clustergen.targets.parallelcluster.rules.document import lines, queues, resources

_LINES: Mapping[str, Scope] = {"partitionname": "partition", "nodename": "node"}
"""First words of partition and node lines in CustomSlurmSettings."""
# The language has Weight: it is rendered as StaticNodePriority and DynamicNodePriority.
_OF_SPECS = limits.SLURM_SETTINGS
_WITH_WEIGHT = _OF_SPECS._replace(
    own={**_OF_SPECS.own, "node": _OF_SPECS.own["node"] | {"weight"}},
    instead={**_OF_SPECS.instead, "weight": "write StaticNodePriority and DynamicNodePriority"},
)


def _example(settings: str) -> str:
    return f"""targets:
  parallelcluster:
    overlay: {{Scheduling: {{SlurmSettings: {{{settings}}}}}}}"""


@rule(
    "OVL101",
    "Setting of Slurm that the cluster cannot have",
    why="ParallelCluster copies CustomSlurmSettings into slurm.conf, and slurmctld does not "
    "start with a key or a value that it cannot parse.",
    source=limits.SLURM_SETTINGS.source,
    bad=_example("CustomSlurmSettings: [{MinJobAeg: 300}]"),
    good=_example("CustomSlurmSettings: [{MinJobAge: 300}]"),
)
def settings(document: Mapping[str, Any]) -> Iterator[Problem]:
    scheduling = as_map(document.get("Scheduling"))
    database = bool(as_map(scheduling.get("SlurmSettings")).get("Database"))
    service = Service("ParallelCluster", _WITH_WEIGHT, limits.SLURM_VERSION, database)
    yield from slurm_settings.errors(_settings(document), service)


def _settings(document: Mapping[str, Any]) -> Iterator[Setting]:
    for path, line in lines(document):
        yield from _line(path, line)
    for place, queue in queues(document):
        yield from _given(place, queue, "partition")
        for inner, resource in resources(place, queue):
            yield from _given(inner, resource, "node")


def _line(path: Path, line: Mapping[str, Any]) -> Iterator[Setting]:
    """A setting of the cluster, or the words of a line after the first.

    ParallelCluster adds nothing to the line of a partition that is not one of its queues.
    """
    scope = next((_LINES[name.lower()] for name in line if name.lower() in _LINES), None)
    if scope is None and len(line) > 1:
        return
    written = {*_LINES, *limits.SLURM_SETTINGS.own[scope]} if scope else set()
    for name, value in line.items():
        if name.lower() not in written:
            yield Setting((*path, name), scope or "cluster", name, str(value))


def _given(path: Path, part: Mapping[str, Any], scope: Scope) -> Iterator[Setting]:
    for name, value in as_map(part.get("CustomSlurmSettings")).items():
        yield Setting((*path, "CustomSlurmSettings", name), scope, name, str(value))


@warning(
    "OVL110",
    "A slurmdbd outside the cluster",
    why="ParallelCluster does not encrypt what it sends to an external slurmdbd, and the head node "
    "has to be in a security group that it accepts.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html",
    bad=_example(
        "MungeKeySecretArn: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:key-AbCdEf', "
        "ExternalSlurmdbd: {Host: db.example.com}"
    ),
    good=_example("QueueUpdateStrategy: DRAIN"),
)
def external_slurmdbd(document: Mapping[str, Any]) -> Iterator[Problem]:
    slurm = as_map(as_map(document.get("Scheduling")).get("SlurmSettings"))
    if host := as_map(slurm.get("ExternalSlurmdbd")).get("Host"):
        network = as_map(as_map(document.get("HeadNode")).get("Networking"))
        help = "keep both in a network that you trust"
        if not (network.get("SecurityGroups") or network.get("AdditionalSecurityGroups")):
            help += "; and add a group that the slurmdbd accepts to head_node.security_groups"
        message = f"the traffic with the slurmdbd of {host} is not encrypted"
        yield Problem(("Scheduling", "SlurmSettings", "ExternalSlurmdbd"), message, help=help)
