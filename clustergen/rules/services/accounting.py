"""The database of job records, where the user brings one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.plan.model import Database, Plan
from clustergen.rules.services import rule

_DATABASE = "slurm: {{accounting: {{endpoint: db.example.com, secret: '{}'}}}}"


@rule(
    "SLM003",
    "Not a secret of Secrets Manager",
    why="The password of the accounting database is read from Secrets Manager, in most services "
    "from the cluster's own region.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html",
    target="parallelcluster",
    bad=_DATABASE.format("arn:aws:secretsmanager:eu-west-1:111122223333:secret:slurm-a1b2c3"),
    good=_DATABASE.format("arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"),
)
def secret(plan: Plan) -> Iterator[Problem]:
    limit, database = plan.limits.secret, plan.slurm.accounting
    if limit is None or not isinstance(database, Database):
        return
    place = f"arn:{plan.partition}:secretsmanager:{plan.region}" if limit.same_region else ""
    pattern = f"{place or 'arn:[^:]+:secretsmanager:[^:]*'}:.*secret:.+"
    if not re.fullmatch(pattern, database.secret):
        where = f" in {plan.region}" if limit.same_region else ""
        yield Problem(
            ("slurm", "accounting", "secret"),
            f"{database.secret} is not a secret of Secrets Manager{where}",
            help=f"write arn:{plan.partition}:secretsmanager:{plan.region}:ACCOUNT:secret:NAME",
            source=limit.source,
        )
