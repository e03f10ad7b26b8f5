"""Existing storage: ids and names, and settings that do not apply."""

import re
from collections.abc import Iterator, Mapping

from clustergen.base.findings import Problem, drop, rule, safe, unwanted
from clustergen.facts.catalog import regions
from clustergen.plan.model import Bucket, Ebs, Efs, FileCache, Lustre, Ontap, OpenZfs, Plan, Storage

_KNOWN = frozenset({"name", "mount", "type", "existing"})
_DNS_NAME = """storage:
  - mount: /fsx
    type: fsx-lustre
    existing:
      id: fs-0123456789abcdef0
      dns_name: {}.fsx.example.com
      mount_name: abcdefgh"""
_TWO = """storage:
  - mount: /fsx
    type: fsx-lustre
    existing: {{id: fs-0123456789abcdef0, mount_name: abcdefgh}}
  - {{mount: /home, type: efs, existing: {{id: {}}}}}"""


@rule(
    "STG004",
    "Setting for existing storage",
    why="Existing storage is mounted as it is; a size or throughput given here changes nothing.",
    source="the language, version 1",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, size: 4800GiB, existing: {id: fs-0123456789abcdef0}}""",
)
def settings(plan: Plan) -> Iterator[Problem]:
    for item in _attached(plan):
        for field in _without_effect(plan, item):
            yield unwanted(
                item.at(field),
                f"{field} has no effect: {item.id} exists already",
                help=f"remove {field}, or remove existing to create new storage",
                on_key=True,
            )


def _without_effect(plan: Plan, item: Storage) -> list[str]:
    """Fields in the spec without effect."""
    depth = len(item.path)
    written = {
        str(path[depth])
        for path in plan.written
        if len(path) == depth + 1 and path[:depth] == item.path
    }
    # Only the spec tells whether clients use it over EFA.
    allowed = {"efa"} if isinstance(item, Lustre) else set()
    kept = {"on_delete"} if item.retain else set()
    return sorted(written - _KNOWN - allowed - kept)


_KINDS: Mapping[type[Storage], tuple[str, str, frozenset[str]]] = {
    Lustre: ("an FSx file system", "fs-", frozenset({"dns_name", "mount_name"})),
    OpenZfs: ("an FSx file system", "fs-", frozenset({"dns_name", "volume_id"})),
    Ontap: ("an FSx file system", "fs-", frozenset({"dns_name", "volume_id"})),
    FileCache: ("a file cache", "fc-", frozenset({"dns_name", "mount_name"})),
    Efs: ("an EFS file system", "fs-", frozenset({"dns_name"})),
    Ebs: ("an EBS volume", "vol-", frozenset()),
}
"""Title, prefix of the id, and names that a kind of storage may have."""


@rule(
    "STG005",
    "Id of another storage type",
    why="Ids of file systems begin with fs-, of OpenZFS and ONTAP volumes with fsvol-, of file "
    "caches with fc-, of EBS volumes with vol-.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_FileSystem.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, existing: {id: vol-0123456789abcdef0}}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0123456789abcdef0}}]",
)
def ids(plan: Plan) -> Iterator[Problem]:
    for item in _attached(plan):
        title, prefix, _ = _KINDS[type(item)]
        if not str(item.id).startswith(prefix):
            yield Problem(
                item.at("existing", "id"),
                f"{item.id} is not the id of {title}",
                help=f"it looks like {prefix}0123456789abcdef0",
            )


@rule(
    "STG006",
    "Name that the storage type does not have",
    why="Only Lustre and file caches have a mount name, only OpenZFS and ONTAP have volumes, and "
    "EBS volumes have no DNS name.",
    source="the language, version 1",
    bad="""storage:
  - {mount: /home, type: efs, existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}""",
)
def names(plan: Plan) -> Iterator[Problem]:
    for item in _attached(plan):
        *_, having = _KINDS[type(item)]
        for field in ("dns_name", "mount_name", "volume_id"):
            path = item.at("existing", field)
            if field not in having and plan.wrote(*path):
                message = f"{item.id} has no {field}"
                fix = safe(drop(path))
                yield Problem(path, message, help=f"remove {field}", on_key=True, fix=fix)


def _attached(plan: Plan) -> Iterator[Storage]:
    return (item for item in plan.storage if item.existing and not isinstance(item, Bucket))


@rule(
    "STG023",
    "DNS name of another file system",
    why="The DNS name of a file system holds its id, or that of its storage virtual machine, and "
    "its region. Nodes reach file systems of their own region.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html",
    bad=_DNS_NAME.format("fs-0a1b2c3d4e5f67890"),
    good=_DNS_NAME.format("fs-0123456789abcdef0"),
)
def dns_names(plan: Plan) -> Iterator[Problem]:
    for item in _attached(plan):
        path, name = item.at("existing", "dns_name"), getattr(item, "dns_name", None)
        if not isinstance(name, str) or not plan.wrote(*path):
            continue
        labels = name.lower().rstrip(".").split(".")
        found = next((label for label in labels if label in regions.REGIONS), plan.region)
        ids = [label for label in labels if re.fullmatch(r"(fs|fc)-[0-9a-f]{8,}", label)]
        if found != plan.region:
            message = f"{name} is in {found}, the cluster in {plan.region}"
            yield Problem(path, message, help=f"name a file system of {plan.region}")
        elif ids and item.id not in ids:
            message = f"{name} is the name of {ids[0]}, not of {item.id}"
            yield Problem(path, message, help="correct the id or the name")


@rule(
    "STG054",
    "One file system as two types",
    why="An id belongs to one file system, which has one type.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_FileSystem.html",
    bad=_TWO.format("fs-0123456789abcdef0"),
    good=_TWO.format("fs-0123456789abcdef1"),
)
def two_types(plan: Plan) -> Iterator[Problem]:
    first: dict[object, Storage] = {}
    for item in _attached(plan):
        other = first.setdefault(item.id, item)
        if type(other) is not type(item):
            yield Problem(
                item.at("existing", "id"),
                f"{item.id} is a file system of another type at {other.mount}",
                help="correct one of the two ids",
            )
