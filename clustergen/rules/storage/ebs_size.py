"""STG008: the sizes of EBS volumes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan
from clustergen.rules.storage.volumes import nearest, volumes

RULE = Rule(
    code="STG008",
    title="Not a size of this EBS volume type",
    why="Each volume type has its smallest and its largest size.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html",
    bad="storage: [{mount: /shared, type: ebs, volume_type: st1, size: 100GiB}]",
    good="storage: [{mount: /shared, type: ebs, volume_type: st1, size: 125GiB}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    for placed in volumes(plan):
        size, (least, most) = placed.volume.size_gib, placed.kind.gib
        if size is not None and not least <= size <= most:
            yield RULE.at(
                placed.at("size"),
                f"{size}GiB is not a size of a {placed.volume.type} volume",
                help=f"{least}GiB to {most}GiB; nearest: {nearest(size, placed.kind.gib)}GiB",
            )
