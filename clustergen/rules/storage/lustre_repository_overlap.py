"""FSX018, FSX019: data repositories that lie in each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new
from clustergen.rules.storage.paths import inside

PATHS = Rule(
    code="FSX018",
    title="Data repositories with overlapping folders",
    why="Each folder of the file system belongs to one data repository; one in another is refused.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html",
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    data_repositories:
      - {path: /data, s3: s3://training-data/data}
      - {path: /data/small, s3: s3://training-data/small}""",
    good="""storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    data_repositories:
      - {path: /data, s3: s3://training-data/data}
      - {path: /small, s3: s3://training-data/small}""",
)
PREFIXES = Rule(
    code="FSX019",
    title="Data repositories with overlapping S3 prefixes",
    why="Each S3 prefix is linked once; one inside another is refused.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    data_repositories:
      - {path: /data, s3: s3://training-data}
      - {path: /small, s3: s3://training-data/small}""",
    good="""storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    data_repositories:
      - {path: /data, s3: s3://training-data/data}
      - {path: /small, s3: s3://training-data/small}""",
)
RULES = (PATHS, PREFIXES)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        folders = [repository.path for repository in item.repositories]
        prefixes = [repository.s3.removeprefix("s3:/") for repository in item.repositories]
        for index, earlier in _overlaps(folders):
            yield PATHS.at(
                item.at("data_repositories", index, "path"),
                f"{folders[index]} overlaps with {folders[earlier]}",
                help="give each data repository a folder of its own",
            )
        for index, earlier in _overlaps(prefixes):
            ours, theirs = (item.repositories[i].s3 for i in (index, earlier))
            yield PREFIXES.at(
                item.at("data_repositories", index, "s3"),
                f"{ours} overlaps with {theirs}",
                help="give each data repository a prefix of its own",
            )


def _overlaps(paths: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Each path that overlaps with an earlier one, with the first such."""
    for index, path in enumerate(paths):
        for earlier, other in enumerate(paths[:index]):
            if inside(path, other) or inside(other, path):
                yield index, earlier
                break
