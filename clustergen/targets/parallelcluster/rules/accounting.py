"""The database of job records."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.plan.model import Database, Plan
from clustergen.targets.parallelcluster.rules import rule


@rule(
    "SLM109",
    "Not a secret of this region",
    why="The head node reads the database password from Secrets Manager in the cluster's region.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html",
    bad="""slurm:
  accounting:
    endpoint: db.example.com
    secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:slurm-AbCdEf""",
    good="""slurm:
  accounting:
    endpoint: db.example.com
    secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:slurm-AbCdEf""",
)
def secret(plan: Plan) -> Iterator[Problem]:
    database = plan.slurm.accounting
    prefix = f"arn:{plan.partition}:secretsmanager:{plan.region}:"
    if isinstance(database, Database) and not database.secret.startswith(prefix):
        yield Problem(
            ("slurm", "accounting", "secret"),
            f"{database.secret} is not a Secrets Manager secret in {plan.region}",
            help=f"use one that begins with {prefix}",
        )
