"""Runbook entries for Slurm."""

from __future__ import annotations

from typing import Final

from clustergen.plan.model import Plan
from clustergen.runbook import SCONTROL, session

# https://slurm.schedmd.com/scontrol.html
DRAIN: Final = (
    f'`{SCONTROL} update nodename=NODE state=drain reason="WHY"` lets the running job finish '
    "and keeps new ones off the node; `state=resume` returns it to service. `sinfo -R` lists "
    "drained nodes with their reasons, including those that a health check drained"
)


def access(plan: Plan) -> str:
    """How to get a shell on a node that is an EC2 instance of the account."""
    found = f"aws ec2 describe-instances --region {plan.region} --filters"
    shell = session(plan.region, left_out=plan.options.leaves_out("session-manager"))
    return (
        f"{shell}. `scontrol show node NODE` has the ADDRESS of a node, by which "
        f"`{found} Name=private-ip-address,Values=ADDRESS` finds its instance"
    )
