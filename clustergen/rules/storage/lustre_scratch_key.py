"""FSX022: scratch file systems take no key of the user's."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new, words

RULE = Rule(
    code="FSX022",
    title="KMS key of a scratch file system",
    why="Scratch file systems are encrypted with a key of FSx's own; the API refuses another one.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/encryption-at-rest.html",
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    deployment: scratch-2
    size: 1200GiB
    kms_key: arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab""",
    good="storage: [{mount: /fsx, type: fsx-lustre, deployment: scratch-2, size: 1200GiB}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in new(plan, Lustre):
        if item.deployment.startswith("SCRATCH") and item.kms_key:
            yield RULE.at(
                item.at("kms_key"),
                f"{words(item.deployment)} is encrypted with a key of FSx's own",
                help="leave kms_key out, or write deployment: persistent-2",
            )
