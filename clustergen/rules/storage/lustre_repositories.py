"""FSx for Lustre linked with S3: data repositories."""

import re
from collections.abc import Iterator, Sequence

from clustergen.base.findings import Path, Problem, put, rule, unsafe, unwanted, warning
from clustergen.plan import storage_kinds
from clustergen.plan.model import Lustre, Plan
from clustergen.plan.paths import inside

_API = (
    "https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html"
)
_LINKED = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html"
_TWO = """storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    data_repositories:
      - {{path: /data, s3: {}}}
      - {{path: {}, s3: s3://training-data/small}}"""


@rule(
    "FSX017",
    "Data repositories on a file system without them",
    why="Data repository associations exist on scratch-2, persistent-1 and persistent-2, not on "
    "scratch-1 and not with intelligent-tiering.",
    source=_API,
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    deployment: scratch-1
    data_repositories: [{path: /data, s3: s3://training-data/data}]""",
    good="""storage:
  - mount: /fsx
    type: fsx-lustre
    deployment: scratch-2
    data_repositories: [{path: /data, s3: s3://training-data/data}]""",
)
def linkable(plan: Plan) -> Iterator[Problem]:
    for item in storage_kinds.new(plan, Lustre):
        without = item.deployment == "SCRATCH_1" or item.storage_class == "INTELLIGENT_TIERING"
        if item.repositories and without:
            yield Problem(
                item.at("data_repositories"),
                f"a {storage_kinds.title(item)} file system cannot be linked with S3",
                help="use scratch-2, persistent-1 or persistent-2 with ssd or hdd",
            )


@rule(
    "FSX018",
    "Data repositories with overlapping folders",
    why="Each folder of the file system belongs to one data repository; FSx rejects one inside "
    "another.",
    source=_API,
    bad=_TWO.format("s3://training-data/data", "/data/small"),
    good=_TWO.format("s3://training-data/data", "/small"),
)
def folders(plan: Plan) -> Iterator[Problem]:
    for item in storage_kinds.new(plan, Lustre):
        paths = [repository.path for repository in item.repositories]
        for index, earlier in _overlaps(paths):
            yield Problem(
                item.at("data_repositories", index, "path"),
                f"{paths[index]} overlaps with {paths[earlier]}",
                help="give each data repository its own folder",
            )


@rule(
    "FSX019",
    "Data repositories with overlapping S3 prefixes",
    why="Each S3 prefix is linked once; FSx rejects one inside another.",
    source=_LINKED,
    bad=_TWO.format("s3://training-data", "/small"),
    good=_TWO.format("s3://training-data/data", "/small"),
)
def prefixes(plan: Plan) -> Iterator[Problem]:
    for item in storage_kinds.new(plan, Lustre):
        urls = [repository.s3 for repository in item.repositories]
        for index, earlier in _overlaps([url.removeprefix("s3:/") for url in urls]):
            yield Problem(
                item.at("data_repositories", index, "s3"),
                f"{urls[index]} overlaps with {urls[earlier]}",
                help="give each data repository its own prefix",
            )


def _overlaps(paths: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Each path that overlaps an earlier one, with the first such path."""
    for index, path in enumerate(paths):
        for earlier, other in enumerate(paths[:index]):
            if inside(path, other) or inside(other, path):
                yield index, earlier
                break


@warning(
    "FSX028",
    "Wildcard in an S3 prefix",
    why="In the key of an object, * and ? are characters like any other. FSx imports the objects "
    "whose keys begin with the prefix as it is written: none.",
    source=_LINKED,
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    data_repositories: [{path: /data, s3: s3://training-data/data/*}]""",
)
def wildcards(plan: Plan) -> Iterator[Problem]:
    for path, uri in _uris(plan):
        literal = re.split(r"[*?]", uri)[0]
        if literal != uri:
            folder = literal[: literal.rindex("/") + 1]
            message = f"{uri} means keys that contain {uri[len(literal)]}"
            yield Problem(path, message, help=f"write {folder}", fix=unsafe(put(path, folder)))


def _uris(plan: Plan) -> Iterator[tuple[Path, str]]:
    for item in storage_kinds.new(plan, Lustre):
        for index, repository in enumerate(item.repositories):
            yield item.at("data_repositories", index, "s3"), repository.s3
        for key, uri in (("import_from", item.import_from), ("export_to", item.export_to)):
            if uri:
                yield item.at(key), uri


_SCRATCH = """storage:
  - {mount: /fsx, type: fsx-lustre, deployment: scratch-2, size: 1200GiB, """


@rule(
    "FSX027",
    "Link with S3 that the file system cannot have",
    why="Only a scratch or persistent-1 file system without data repositories can be linked with "
    "S3 as a whole, when it is created. It exports to the bucket it imports from, and has no "
    "backups.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html",
    bad=_SCRATCH + "export_to: s3://training-data/results}",
    good=_SCRATCH + "import_from: s3://training-data, export_to: s3://training-data/results}",
)
def links(plan: Plan) -> Iterator[Problem]:
    for item in storage_kinds.new(plan, Lustre):
        key = "import_from" if item.import_from else "export_to"
        if (item.import_from or item.export_to) and (wrong := _wrong_link(item)):
            message, help = wrong
            yield unwanted(item.at(key), message, help=help)


def _wrong_link(item: Lustre) -> tuple[str, str] | None:
    """What is wrong with a link, and what to write instead."""
    bucket, target = (str(uri).split("/")[2:3] for uri in (item.import_from, item.export_to))
    if item.deployment == "PERSISTENT_2" or item.storage_class == "INTELLIGENT_TIERING":
        title = storage_kinds.title(item)
        return f"a {title} file system has data repositories only", "write data_repositories"
    if item.repositories:
        written = "import_from" if item.import_from else "export_to"
        return f"data_repositories and {written} exclude each other", "remove one of them"
    if not item.import_from:
        return "export_to needs import_from", "add import_from"
    if item.export_to and bucket != target:
        return f"it imports from {bucket[0]}, not from {target[0]}", "use the same bucket for both"
    if item.backup_days:
        return "a file system that is linked with S3 has no backups", "remove backups"
    return None
