"""The user's scripts."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem, Severity
from clustergen.plan.model import Plan
from clustergen.rules.services import rule


@rule(
    "LIM005",
    "Script that runs nowhere",
    why="Where the service runs the controller there is no head node of yours, and Kubernetes "
    "clusters have no login nodes.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions-configure.html",
    severity=Severity.WARNING,
    target="pcs",
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [head]}]}',
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [head, compute]}]}',
)
def nowhere(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.scripts
    if limit is None:
        return
    running = {"compute", "login"} if limit.login and plan.login else {"compute"}
    for script in plan.software.scripts:
        if not running & set(script.on):
            yield Problem(
                (*script.path, "on"),
                f"no node of this cluster is a {' or '.join(script.on)} node",
                help="add compute",
                source=limit.source,
            )
