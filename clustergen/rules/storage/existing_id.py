"""STG005, STG006: how storage that exists is named."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import (
    Bucket,
    Ebs,
    Efs,
    FileCache,
    Lustre,
    Ontap,
    OpenZfs,
    Plan,
    Storage,
)

ID = Rule(
    code="STG005",
    title="Id of another kind of storage",
    why="File systems are called fs-..., OpenZFS and ONTAP volumes fsvol-..., file caches fc-..., "
    "EBS volumes vol-....",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_FileSystem.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, existing: {id: vol-0123456789abcdef0}}]",
    good="storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0123456789abcdef0}}]",
)
UNUSED = Rule(
    code="STG006",
    title="Name that this kind of storage does not have",
    why="Only Lustre and file caches have a mount name, only OpenZFS and ONTAP have volumes, and "
    "EBS volumes have no DNS name.",
    source="the language, version 1",
    bad="""storage:
  - {mount: /home, type: efs, existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}}""",
    good="storage: [{mount: /home, type: efs, existing: {id: fs-0123456789abcdef0}}]",
)
RULES = (ID, UNUSED)

_KINDS: tuple[tuple[type[Storage], str, str, frozenset[str]], ...] = (
    (Lustre, "an FSx file system", "fs-", frozenset({"dns_name", "mount_name"})),
    (OpenZfs, "an FSx file system", "fs-", frozenset({"dns_name", "volume_id"})),
    (Ontap, "an FSx file system", "fs-", frozenset({"dns_name", "volume_id"})),
    (FileCache, "a file cache", "fc-", frozenset({"dns_name", "mount_name"})),
    (Efs, "an EFS file system", "fs-", frozenset({"dns_name"})),
    (Ebs, "an EBS volume", "vol-", frozenset()),
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in plan.storage:
        if item.existing and not isinstance(item, Bucket):
            _, title, prefix, names = next(row for row in _KINDS if isinstance(item, row[0]))
            yield from _id(item, title, prefix)
            yield from _unused(plan, item, names)


def _id(item: Storage, title: str, prefix: str) -> Iterator[Finding]:
    if not str(item.id).startswith(prefix):
        yield ID.at(
            item.at("existing", "id"),
            f"{item.id} is not the id of {title}",
            help=f"it looks like {prefix}0123456789abcdef0",
        )
    volume = item.volume if isinstance(item, OpenZfs | Ontap) else None
    if isinstance(volume, str) and not volume.startswith("fsvol-"):
        yield ID.at(
            item.at("existing", "volume_id"),
            f"{volume} is not the id of a volume of FSx",
            help="it looks like fsvol-0123456789abcdef0",
        )


def _unused(plan: Plan, item: Storage, names: frozenset[str]) -> Iterator[Finding]:
    for field in ("dns_name", "mount_name", "volume_id"):
        path = item.at("existing", field)
        if field not in names and plan.wrote(*path):
            said = f"{item.id} has no {field}"
            yield UNUSED.at(path, said, help=f"leave {field} out", on_key=True)
