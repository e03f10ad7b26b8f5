"""Slurm versions that the service offers, and what it decides alone."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.plan.model import Plan
from clustergen.rules.services import rule


@rule(
    "SLM001",
    "Slurm version that the service does not offer",
    why="A service runs a few versions of Slurm, each until its end of life. ParallelCluster has "
    "exactly one in its images.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/slurm-versions.html",
    target="pcs",
    bad='slurm: {version: "24.11"}',
    good='slurm: {version: "25.11"}',
)
def version(plan: Plan) -> Iterator[Problem]:
    limits, asked = plan.limits, plan.slurm.version
    if asked is None or not limits.slurm_versions or asked in limits.slurm_versions:
        return
    ended = limits.ended_slurm_versions.get(asked)
    what = f"reached its end of life on {ended}" if ended else f"is not offered by {limits.title}"
    default = limits.default_slurm_version
    yield Problem(
        ("slurm", "version"),
        f"Slurm {asked} {what}",
        help=f'write "{default}"; offered: {", ".join(limits.slurm_versions)}',
        source=limits.slurm_versions_source,
    )


@rule(
    "SLM002",
    "Failed nodes are always replaced",
    why="The service always replaces a failed node, and has no setting for it.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng.html",
    target="pcs",
    bad="resilience: {replace_failed_nodes: false}",
    good="resilience: {replace_failed_nodes: true}",
)
def always_replaced(plan: Plan) -> Iterator[Problem]:
    limits = plan.limits
    if limits.always_replaces and not plan.resilience.replace_failed_nodes:
        yield Problem(
            ("resilience", "replace_failed_nodes"),
            f"{limits.title} always replaces failed nodes; this setting has no effect",
            help="write true, or remove it",
            source=limits.always_replaces,
        )
