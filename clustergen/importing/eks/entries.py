"""Access entries as EKS describes them, without those that EKS makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clustergen.base.text_lists import word_set
from clustergen.importing.machines import mappings, section
from clustergen.importing.notes import Notes
from clustergen.importing.reading import Source
from clustergen.importing.settings import Json

_SERVICE_ROLES: Final = ":role/aws-service-role/"
_OF_NODES: Final = ("EC2_LINUX", "EC2_WINDOWS")
_STATE_OF_POLICY: Final = word_set("associatedAt modifiedAt")


def entry(described: Json, sources: Sequence[Source], notes: Notes) -> Json | None:
    """What a request for an access entry says; None for one that EKS makes.

    https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
    """
    principal = str(described["principalArn"])
    if _SERVICE_ROLES in principal:
        notes.dropped((), f"the access entry of {principal}, which EKS makes")
        return None
    if described.get("type") in _OF_NODES and principal in _roles(sources):
        notes.dropped((), f"the access entry of {principal}, which EKS makes for a node group")
        return None
    found = dict(described)
    if found.get("username") == _username(principal, str(found.get("type"))):
        del found["username"]
    return {**found, "accessPolicies": [*_policies(principal, sources)]}


def _roles(sources: Sequence[Source]) -> set[str]:
    return {str(section(each.data, "nodegroup").get("nodeRole")) for each in sources}


def _username(principal: str, type: str) -> str:
    """The name that EKS gives a principal of which the request names none."""
    if type in _OF_NODES:
        return "system:node:{{EC2PrivateDNSName}}"
    before, role, path = principal.partition(":role/")
    if not role:
        return principal
    account = before.replace(":iam:", ":sts:")
    return f"{account}:assumed-role/{path.rpartition('/')[2]}/{{{{SessionName}}}}"


def _policies(principal: str, sources: Sequence[Source]) -> Iterator[Json]:
    """The policies of an entry, which another call shows."""
    for source in sources:
        data: Any = source.data
        if isinstance(data, Mapping) and data.get("principalArn") == principal:
            for policy in mappings(data, "associatedAccessPolicies"):
                yield {key: value for key, value in policy.items() if key not in _STATE_OF_POLICY}
