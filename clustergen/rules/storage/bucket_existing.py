"""STG022: a bucket is named, not made."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Bucket, Plan
from clustergen.rules.storage.entries import of

RULE = Rule(
    code="STG022",
    title="Setting that a bucket does not have",
    why="A bucket is mounted by its name and exists before: nothing is made, nothing deleted.",
    source="the language, version 1",
    bad="""storage:
  - {mount: /data, type: s3, bucket: s3://training-data, on_delete: delete}""",
    good="storage: [{mount: /data, type: s3, bucket: s3://training-data}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in of(plan, Bucket):
        if plan.wrote(*item.at("existing")):
            said = f"{item.bucket} is named by bucket"
            yield RULE.at(item.at("existing"), said, help="leave existing out", on_key=True)
        if not item.retain:
            said = f"{item.bucket} is never deleted"
            yield RULE.at(item.at("on_delete"), said, help="leave on_delete out")
