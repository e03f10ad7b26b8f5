"""Roles and permissions of nodes, and what the user leaves out of them."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Path, Problem, Severity
from clustergen.plan.model import Plan
from clustergen.slurm import collecting
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.rules import rule

_PLACE: Path = ("targets", "parallelcluster", "leave_out")


@rule(
    "IAM104",
    "Something needs the hook that is left out",
    why="Users, containers, accounts and metrics are set up by scripts that the hook runs.",
    source="clustergen",
    bad="""users: [{name: alice, uid: 2001}]
targets: {parallelcluster: {leave_out: [hook]}}""",
    good="targets: {parallelcluster: {leave_out: [hook]}}",
)
def hook(plan: Plan) -> Iterator[Problem]:
    if not plan.options_as(Options).leaves_out("hook"):
        return
    wants = {
        "users": bool(plan.users),
        "software.containers": plan.software.containers != "none",
        "slurm.accounts": bool(plan.slurm.accounts or plan.slurm.qos),
        "monitoring.metrics": collecting.wanted(plan),
    }
    for field in (field for field, wanted in wants.items() if wanted):
        yield Problem(
            _PLACE, f"{field} needs the hook", help=f"remove hook from leave_out, or remove {field}"
        )


@rule(
    "IAM105",
    "Leaving this out may cut nodes off",
    why="Nodes read their scripts with the permission that clustergen gives them. Without it, "
    "their set-up fails.",
    source="clustergen",
    severity=Severity.WARNING,
    bad="targets: {parallelcluster: {leave_out: [script-access]}}",
    good="targets: {parallelcluster: {leave_out: [script-access, hook]}}",
)
def cut_off(plan: Plan) -> Iterator[Problem]:
    options = plan.options_as(Options)
    if options.leaves_out("script-access") and not options.leaves_out("hook"):
        message = "the hook is in a bucket that nodes may not read"
        yield Problem(_PLACE, message, help="leave out hook as well, or keep script-access")
