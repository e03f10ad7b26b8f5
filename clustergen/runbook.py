"""The runbook of a cluster, with the same topics for every target."""

from __future__ import annotations

from typing import Final, NamedTuple

WAIT: Final = (
    "`--wait MINUTES` sets another limit for each step. If a step takes longer, AWS continues; "
    "run the same command to wait again"
)

# sudo has a PATH of its own, which lacks the folder of Slurm's commands.
SCONTROL: Final = 'sudo "$(which scontrol)"'


def session(region: str, target: str = "INSTANCE-ID", *, left_out: bool = False) -> str:
    """The command that opens a shell on an instance; without it if Session Manager is left out."""
    if left_out:
        return (
            "`ssh` with the key pair of the nodes opens a shell, from where their security groups "
            "admit TCP 22"
        )
    return (
        f"`aws ssm start-session --region {region} --target {target}` opens a shell, with the "
        "Session Manager plugin of the AWS CLI"
    )


class Runbook(NamedTuple):
    """The runbook of a target, as Markdown for the README of its bundle.

    Every field but ``remains`` is one paragraph; empty ones are omitted.
    """

    logs: str = ""
    """Locations of logs."""
    access: str = ""
    """How to get a shell on a node."""
    failed_boot: str = ""
    """Symptoms of a node whose boot failed, and what to do."""
    drain: str = ""
    """How to keep jobs off a node."""
    replace: str = ""
    """How to replace a node, and what happens automatically."""
    users: str = ""
    """How to add a user or a team."""
    pause: str = ""
    """How to stop paying for compute without deleting the cluster."""
    ids: str = "`./deploy.sh --destroy-foundation` prints the commands with the ids"
    """How to get the ids of the foundation's resources that remain."""
    waits: str = ""
    """What the deployment waits for, and how long."""
    remains: str = ""
    """Resources that remain after deleting the cluster, and how to delete them; for "What
    stays"."""
