"""Roles of nodes in templates that clustergen rendered: what they may do, and what limits them."""

from collections.abc import Collection, Iterator
from typing import Any, Final

from clustergen.base.patterns import pattern
from clustergen.importing.companion_files import Beside
from clustergen.importing.machines import items, mappings, section
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json, linked_name
from clustergen.services.aws.session_manager import SID
from clustergen.services.foundation import access

_PROFILE: Final = "AWS::IAM::InstanceProfile"
_NAME: Final = pattern(r"[\w+=,.@-]+")
ROLES: Final = "Roles"
PROFILES: Final = "InstanceProfiles"


def of_nodes(value: Any, settings: Json, known: Collection[str]) -> Json:
    """``iam`` of nodes with a role or an instance profile; ``known`` are policies of all nodes."""
    if str(value).startswith("arn:"):
        return _existing(value)
    name = linked_name(value)
    profile = items(settings, PROFILES, name, "Roles")
    return _made(section(settings, ROLES, linked_name(profile[0]) if profile else name), known)


def of_foundation(value: Any, beside: Beside, known: Collection[str]) -> Json:
    """``iam`` of nodes whose role another template has: see :func:`of_nodes`."""
    if str(value).startswith("arn:"):
        return _existing(value)
    role = beside.resource(value)
    if role and role.type == _PROFILE:
        role = beside.resource(next(iter(items(role.properties, "Roles")), ""))
    return _made(role.properties if role else {}, known)


def _existing(arn: str) -> Json:
    return {"instance_profile" if ":instance-profile/" in arn else "role": arn}


def _made(role: Json, known: Collection[str]) -> Json:
    managed = [arn for arn in items(role, "ManagedPolicyArns") if isinstance(arn, str)]
    return {
        "policies": [arn for arn in managed if arn.partition(":policy/")[2] not in known],
        "s3": access.granted(_statements(role)),
    }


def existing(value: Any, settings: Json) -> str:
    """The name of a role of another stack in an instance profile; empty if there is none."""
    name = str(next(iter(items(settings, PROFILES, linked_name(value), "Roles")), ""))
    return name if _NAME.fullmatch(name) else ""


def buckets(settings: Json, notes: Notes) -> Iterator[Json]:
    """The buckets that the role of a driver may read; manifests say where pods have them."""
    for role in section(settings, ROLES).values():
        for bucket in access.mounted(_statements(role)):
            name = str(bucket["bucket"]).removeprefix("s3://")
            mount = f"/{name.replace('/', '-')}"
            text = f"the template does not say where pods have {name}"
            notes.asked((), text, f"replace {mount} by the folder", "storage")
            yield {"mount": mount, **bucket}


def boundary(settings: Json) -> str | None:
    """The permissions boundary of all roles."""
    found = {each.get("PermissionsBoundary") for each in section(settings, ROLES).values()}
    return str(found.pop()) if len(found) == 1 and None not in found else None


def left_out(settings: Json) -> list[str]:
    """The word for nodes without Session Manager."""
    roles = section(settings, ROLES).values()
    known = any(each.get("Sid") == SID for role in roles for each in _statements(role))
    return ["session-manager"] if roles and not known else []


def _statements(role: Json) -> Iterator[Json]:
    for policy in items(role, "Policies"):
        yield from mappings(policy, "PolicyDocument", "Statement")
