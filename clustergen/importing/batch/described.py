"""What ``aws batch describe-...`` prints: environments, queues, job definitions and policies."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from clustergen.base.documents import change_texts
from clustergen.base.text_lists import word_set
from clustergen.importing import descriptions
from clustergen.importing.cloudformation import Resource
from clustergen.importing.machines import items, section
from clustergen.importing.notes import Notes
from clustergen.importing.reading import Source
from clustergen.importing.settings import Json
from clustergen.services.aws import cfn


class _Kind(NamedTuple):
    type: str
    name: str
    arn: str


_LISTS: Final[Mapping[str, _Kind]] = {
    "computeEnvironments": _Kind(
        "AWS::Batch::ComputeEnvironment", "computeEnvironmentName", "computeEnvironmentArn"
    ),
    "jobQueues": _Kind("AWS::Batch::JobQueue", "jobQueueName", "jobQueueArn"),
    "jobDefinitions": _Kind("AWS::Batch::JobDefinition", "jobDefinitionName", "jobDefinitionArn"),
    "schedulingPolicies": _Kind("AWS::Batch::SchedulingPolicy", "name", "arn"),
}
_JOBS: Final = "jobDefinitions"
# https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeEnvironmentDetail.html,
# API_JobQueueDetail.html and API_JobDefinition.html, read on 2026-11-22: members that a request
# does not have.
_STATE: Final = word_set("""
    computeEnvironmentArn jobQueueArn jobDefinitionArn arn ecsClusterArn uuid status statusReason
    revision containerOrchestrationType
""")
_OWN_ROLE: Final = "/AWSServiceRoleForBatch"
"""The role that Batch makes, and uses where a request names none."""


def resources(sources: Sequence[Source], notes: Notes) -> list[Resource]:
    """The environments, queues, job definitions, scheduling policies and launch templates."""
    found = list(descriptions.launch_templates(sources))
    described = [*_described(sources, notes)]
    links = {each[kind.arn]: _id(each, kind) for _, kind, each, _, _ in described}
    for key, kind, each, source, index in described:
        notes.dropped((), f"the state of {each[kind.name]}, which a description shows")
        properties = _properties(each, found, links)
        found.append(Resource(_id(each, kind), kind.type, properties, source, (key, index)))
    return found


def _described(
    sources: Sequence[Source], notes: Notes
) -> Iterator[tuple[str, _Kind, Json, Source, int]]:
    for source in sources:
        for key, kind in _LISTS.items():
            known = items(source.data, key)
            newest = _newest(known) if key == _JOBS else {}
            for index, each in enumerate(known):
                node = section(each)
                if kind.name not in node or kind.arn not in node:
                    continue
                if key == _JOBS and newest[str(node[kind.name])] is not each:
                    text = f"revision {node.get('revision')} of {node[kind.name]}"
                    notes.dropped((key, index), f"{text}: jobs use the newest active one")
                    continue
                yield key, kind, node, source, index


def _newest(definitions: Sequence[Any]) -> dict[str, Any]:
    """The newest active revision of each job definition, or the newest if none is active."""
    found: dict[str, Any] = {}
    for each in sorted(definitions, key=_age):
        found[str(section(each).get("jobDefinitionName"))] = each
    return found


def _age(definition: Any) -> tuple[bool, int]:
    node = section(definition)
    return node.get("status", "ACTIVE") == "ACTIVE", int(node.get("revision") or 0)


def _id(described: Json, kind: _Kind) -> str:
    return cfn.logical_id(kind.type.rpartition(":")[2], str(described[kind.name]))


def _properties(described: Json, known: Sequence[Resource], links: Mapping[str, str]) -> Json:
    kept = {key: value for key, value in described.items() if key not in _STATE}
    if str(kept.get("serviceRole", "")).endswith(_OWN_ROLE):
        del kept["serviceRole"]
    if not kept.get("unmanagedvCpus"):
        kept.pop("unmanagedvCpus", None)
    machines = section(kept, "computeResources")
    template = section(machines, "launchTemplate")
    if used := descriptions.used_template(descriptions.named_template(template), known):
        reference = {"launchTemplateId": used, "version": template.get("version")}
        kept["computeResources"] = {**machines, "launchTemplate": reference}
    kept["tags"] = descriptions.tagged(kept.get("tags"))
    # References in place of the ARNs of what is described.
    linked = change_texts(
        descriptions.capitalized(kept), lambda text: {"Ref": links[text]} if text in links else text
    )
    return dict(linked)
