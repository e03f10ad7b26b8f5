"""What ``aws pcs get-cluster``, ``get-compute-node-group`` and ``get-queue`` print."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.base.text_lists import word_set
from clustergen.importing.cloudformation import Resource
from clustergen.importing.descriptions import capitalized, launch_templates, used_template
from clustergen.importing.machines import section
from clustergen.importing.notes import Notes
from clustergen.importing.reading import Source
from clustergen.importing.settings import Json

_MEMBERS: Final[Mapping[str, str]] = {
    "cluster": "AWS::PCS::Cluster",
    "computeNodeGroup": "AWS::PCS::ComputeNodeGroup",
    "queue": "AWS::PCS::Queue",
}
# https://docs.aws.amazon.com/pcs/latest/APIReference/API_Cluster.html and those of the others, read
# on 2026-11-22: members that a request does not have.
_STATE: Final = word_set("""
    id arn status createdAt modifiedAt endpoints errorInfo clusterId launchTemplateMode
""")
_KEYS: Final = word_set("authKey jwtAuth")
"""Names of secrets, which PCS makes."""


def resources(sources: Sequence[Source], notes: Notes) -> list[Resource]:
    """The cluster, its node groups, queues and launch templates."""
    found = list(launch_templates(sources))
    for source in sources:
        for member, type in _MEMBERS.items():
            described = section(source.data, member)
            if "name" in described:
                notes.dropped((), f"the state of {described['name']}, which a description shows")
                id = str(described.get("id") or described["name"])
                properties = _properties(described, found)
                found.append(Resource(id, type, properties, source, (member,)))
    return found


def _properties(described: Json, known: Sequence[Resource]) -> Json:
    kept = {key: value for key, value in described.items() if key not in _STATE}
    slurm = section(kept, "slurmConfiguration")
    if slurm:
        kept["slurmConfiguration"] = {k: v for k, v in slurm.items() if k not in _KEYS}
    template = kept.pop("customLaunchTemplate", None)
    members = kept.pop("computeNodeGroupConfigurations", None)
    found: Json = capitalized(kept)
    if isinstance(template, Mapping):
        used = used_template(template, known) or template.get("id")
        found["CustomLaunchTemplate"] = {"TemplateId": used, "Version": template.get("version")}
    if isinstance(members, list):
        found["ComputeNodeGroupConfigurations"] = [*_members(members)]
    return found


def _members(members: Sequence[Any]) -> Iterator[Json]:
    for each in members:
        id = section(each).get("computeNodeGroupId")
        yield {"ComputeNodeGroupId": {"Fn::GetAtt": [id, "Id"]}}
