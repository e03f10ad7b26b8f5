"""Ids that stand in for real ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, Severity, rule
from clustergen.plan.model import Plan

_ZEROS = re.compile(r"[a-z]+-0{14}[0-9]{3}")


@rule(
    "NET030",
    "Stand-in for an id",
    why="`clustergen import` writes an id of zeros for what the original does not name. AWS has "
    "nothing with such an id, so a deployment would fail.",
    source="clustergen",
    severity=Severity.WARNING,
    bad="""network:
  vpc: vpc-00000000000000000
  private_subnets: [subnet-0a1b2c3d4e5f67890]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]""",
)
def zeros(plan: Plan) -> Iterator[Problem]:
    given: list[tuple[Path, object]] = [(("network", "vpc"), plan.network.vpc)]
    given += [(item.at("existing", "id"), item.id) for item in plan.storage if item.existing]
    for path, id in given:
        if isinstance(id, str) and _ZEROS.fullmatch(id):
            yield Problem(
                path, f"{id} is a stand-in", help="write the id; it is in the AWS console"
            )
