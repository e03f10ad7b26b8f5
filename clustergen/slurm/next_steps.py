"""Next steps for clusters with Slurm."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.plan.model import Database, Plan

TESTS = (
    "`smoke/run.sh`, copied with its folder to a file system that all nodes share and run where "
    "jobs are submitted, tests accelerators, EFA, NCCL and the file systems. `verify.sh` reports "
    "problems of one node. `jobs/` has a sample job for each node group"
)


def database(plan: Plan) -> Iterator[str]:
    """Requirements on an external database."""
    given = plan.slurm.accounting
    if not isinstance(given, Database):
        return
    if plan.network.new:
        yield (
            "For a database in the VPC of this bundle, run `./deploy.sh --foundation`, which "
            "creates the VPC without the cluster. Create the database there, in subnets of "
            "your own, of which RDS requires two in different zones. Then write its endpoint and "
            "secret to `slurm.accounting`, and render again. The stack "
            f"`{plan.stack('foundation')}` has the ids as outputs"
        )
    yield (
        f"Nodes must be able to reach {given.endpoint}, whose security group has to allow "
        f"theirs on port {given.port}"
    )
