"""Metrics of the nodes of a Slurm cluster: what each measures, and how it sends them.

Every node sends its own: none depends on another, and nodes come and go unnoticed.
"""

import json
from collections.abc import Iterable, Iterator, Sequence

from clustergen.base.shell import render
from clustergen.plan.lustre_clients import lustre_interfaces
from clustergen.plan.model import Bucket, Id, Lustre, Machine, NodeGroup, Plan, Ref
from clustergen.services.aws import references
from clustergen.services.monitoring import names
from clustergen.services.monitoring.sources import reservations
from clustergen.services.nodes.verification import efa_devices

NAME = "monitoring.sh"
WORKSPACE_FILE = "metrics-workspace.json"
"""With the id of a new workspace, for nodes that cannot get it as an argument."""

UNFINISHED = names.UNFINISHED
CLOUDWATCH = "cloudwatch"
"""In place of a workspace."""

DCGM_EXPORTER = (
    "nvcr.io/nvidia/k8s/dcgm-exporter"
    "@sha256:a7ad6547d4546eaf4dd5d6b4c0b4db4101e63ef7dc3cdff7f42b767d2c60b706"
)
"""4.5.2-4.8.1: the names of its metrics are those of the rules, and from 4.9 on they are not.
https://github.com/NVIDIA/dcgm-exporter/releases"""

_MOST_CHARACTERS = 256
"""Of an argument in PCS: https://docs.aws.amazon.com/pcs/latest/APIReference/API_NodeLifecycleScript.html"""


def workspace_file(plan: Plan) -> str | None:
    """The text of :data:`WORKSPACE_FILE`; None where the spec has the id."""
    workspace = plan.monitoring.workspace
    if not isinstance(workspace, Ref):
        return None
    return json.dumps({"workspace": references.text(workspace)}) + "\n"


def wanted(plan: Plan) -> bool:
    """Whether nodes send metrics."""
    return plan.monitoring.of_nodes


def destination(plan: Plan) -> Id:
    """The first argument of the script: a workspace, or :data:`CLOUDWATCH`."""
    return plan.monitoring.workspace or CLOUDWATCH


def script(
    plan: Plan,
    *,
    linger: int,
    slurm_bin: str = "/opt/slurm/bin",
    job_files: str = names.SLURM_JOB_FILES,
) -> str:
    """The script for nodes of every role; ``slurm_bin`` is the folder of Slurm's commands, and a
    prolog writes the job of each GPU to ``job_files``."""
    # Most checks do without the definitions of metrics.
    from clustergen.services.monitoring import counters, emf
    from clustergen.services.monitoring.files import node_metrics

    return render(
        "shared/monitoring.sh.j2",
        linger=linger,
        cluster=plan.name,
        region=plan.region,
        interval=plan.monitoring.interval_seconds,
        slurm_bin=slurm_bin,
        node_metrics=node_metrics(),
        counters=counters.csv(),
        image=DCGM_EXPORTER,
        emf=emf.settings(plan) if plan.monitoring.metrics == CLOUDWATCH else None,
        dropped="|".join(names.DROPPED_LABELS),
        slurm_paths=names.SLURM_PATHS,
        job_files=job_files,
    )


def compute_arguments(plan: Plan, groups: Sequence[NodeGroup]) -> list[str]:
    """Of a compute node of one of ``groups``: what it should have, where all have the same."""
    each = [(group, type) for group in groups for type in group.types]
    options = {
        "--group": {group.resource_name for group in groups},
        "--instance-type": {type.name for _, type in each},
        "--gpus": {str(type.gpus or "") for _, type in each},
        "--neuron": {str(type.neuron_devices or "") for _, type in each},
        "--efa": {str(efa_devices(plan, group, type) or "") for group, type in each},
        "--lustre-efa": {str(lustre_interfaces(plan, group) or "") for group in groups},
    }
    common = {name: one for name, (one, *more) in options.items() if one and not more}
    pairs = {"--role": "compute", **common}.items()
    return [*(word for pair in pairs for word in pair), *_mounts(plan)]


def machine_arguments(plan: Plan, role: str, machine: Machine) -> list[str]:
    """Of a node that runs no jobs: it also measures what is the same on every node."""
    own = ["--role", role, "--instance-type", machine.type.name]
    return [*own, *_mounts(plan), *_targets(plan), *_reservations(plan)]


def slurm_arguments(plan: Plan) -> list[str]:
    """Of a node that counts with Slurm's commands: what the queues have.

    In a cluster of others, other partitions have nodes and jobs of theirs.
    """
    own = [] if plan.creates_cluster else ["--own-jobs"]
    return ["--slurm", *_listed("--partitions", (queue.name for queue in plan.queues), ","), *own]


def _targets(plan: Plan) -> list[str]:
    lustre = any(isinstance(item, Lustre) for item in plan.storage)
    return ["--lustre-targets"] if lustre else []


def _reservations(plan: Plan) -> list[str]:
    """Reservations to ask EC2 about: how much of them is used, and when they end."""
    ids = dict.fromkeys(reservations(plan))
    region = ["--region", plan.region] if ids else []
    return [*_listed("--reservations", ids, ","), *region]


def _mounts(plan: Plan) -> list[str]:
    """Buckets are no file systems: they have no size."""
    mounts = [item.mount for item in plan.storage if not isinstance(item, Bucket)]
    return list(_listed("--mounts", mounts, ":"))


def _listed(option: str, values: Iterable[str], separator: str) -> Iterator[str]:
    """An option with values in as few arguments as possible: PCS accepts 20 of 256 characters."""
    text = ""
    for value in values:
        longer = f"{text}{separator}{value}" if text else value
        if text and len(longer) > _MOST_CHARACTERS:
            yield from (option, text)
            longer = value
        text = longer
    if text:
        yield from (option, text)
