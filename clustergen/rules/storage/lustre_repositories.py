"""FSX017: file systems that can be linked with S3."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new, title

RULE = Rule(
    code="FSX017",
    title="Data repositories on a file system that has none",
    why="Data repository associations exist on scratch-2, persistent-1 and persistent-2, not on "
    "scratch-1 and not with intelligent-tiering.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html",
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    deployment: scratch-1
    size: 1200GiB
    data_repositories: [{path: /data, s3: s3://training-data/data}]""",
    good="""storage:
  - mount: /fsx
    type: fsx-lustre
    deployment: scratch-2
    size: 1200GiB
    data_repositories: [{path: /data, s3: s3://training-data/data}]""",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        without = item.deployment == "SCRATCH_1" or item.storage_class == "INTELLIGENT_TIERING"
        if item.repositories and without:
            yield RULE.at(
                item.at("data_repositories"),
                f"a {title(item)} file system cannot be linked with S3",
                help="scratch-2, persistent-1 and persistent-2 with ssd or hdd can",
            )
