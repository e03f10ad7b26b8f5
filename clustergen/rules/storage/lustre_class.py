"""FSX001: deployment type and storage class go together."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog.fsx import LUSTRE, lustre_class
from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import listed, new, words

RULE = Rule(
    code="FSX001",
    title="Lustre deployment without this storage class",
    why="Each deployment type is built on certain media: hdd is persistent-1 only, "
    "intelligent-tiering persistent-2 only, scratch is ssd.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html",
    bad="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: persistent-2, storage_class: hdd, size: 6000GiB}""",
    good="""storage:
  - {mount: /fsx, type: fsx-lustre, deployment: persistent-1, storage_class: hdd, size: 6000GiB}""",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        if lustre_class(item.deployment, item.storage_class) is None:
            media = words(item.storage_class)
            having = [words(c.deployment) for c in LUSTRE if c.storage == item.storage_class]
            yield RULE.at(
                item.at("storage_class"),
                f"{words(item.deployment)} has no {media}",
                help=f"deployments with {media}: {listed(having)}",
            )
