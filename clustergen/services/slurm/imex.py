"""NVIDIA IMEX, without which GPUs of several nodes do not reach each other over NVLink.

A prolog of Slurm names the nodes of each job to the IMEX of each of them. Every node that runs the
prolog has the script; it does something on those of UltraServers only.
https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-nvidia-imex.html
https://docs.aws.amazon.com/parallelcluster/latest/ug/support-nvidia-imex-p6e-gb200-instance.html
"""

import functools

from clustergen.base import shell
from clustergen.plan.model import Plan

NAME = "imex.sh"
FLAGS = {"PrologFlags": "Alloc,NoHold"}
"""The prolog runs on all nodes of a job before it starts; if it fails, the job is not held."""


def needed(plan: Plan) -> bool:
    """Whether the GPUs of a group are in an NVLink domain with those of other nodes."""
    return any(group.type.nvlink_domain for group in plan.node_groups)


@functools.lru_cache(maxsize=8)
def script(*, linger: int, slurm_bin: str = "/opt/slurm/bin") -> str:
    """The prolog, which also installs itself."""
    return shell.render(f"slurm/{NAME}.j2", linger=linger, slurm_bin=slurm_bin)
