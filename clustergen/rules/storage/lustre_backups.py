"""FSX020, FSX021: file systems that have no backups."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new, words

LINKED = Rule(
    code="FSX020",
    title="Backups of a file system linked with S3",
    why="FSx makes no backups of file systems with data repositories: their data is in S3.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    backups: 7d
    data_repositories: [{path: /data, s3: s3://training-data/data}]""",
    good="""storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    data_repositories: [{path: /data, s3: s3://training-data/data, export: [new, changed]}]""",
)
SCRATCH = Rule(
    code="FSX021",
    title="Backups of a scratch file system",
    why="Scratch file systems have no backups; their data is not even replicated.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: scratch-2, size: 1200GiB, backups: 7d}""",
    good="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: persistent-2, size: 1200GiB, backups: 7d}""",
)
RULES = (LINKED, SCRATCH)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        if item.backup_days is None:
            continue
        if item.deployment.startswith("SCRATCH"):
            yield SCRATCH.at(
                item.at("backups"),
                f"{words(item.deployment)} has no backups",
                help="leave backups out, or write deployment: persistent-2",
            )
        elif item.repositories:
            yield LINKED.at(
                item.at("backups"),
                f"{item.mount} is linked with S3 and has no backups",
                help="leave backups out, and let the data repository export what is to be kept",
            )
