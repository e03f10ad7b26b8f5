"""What ``deploy.sh`` has to know to add instance groups to an existing cluster."""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.plan.model import Plan
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.limits import PARAMETERS_FILE
from clustergen.services.hyperpod.options import Options


def members(plan: Plan, document: Mapping[str, Any]) -> dict[str, Any]:
    """Members of ``bundle.json`` about a cluster with Slurm; ``document`` includes the overlay."""
    given = Document(dict(document))
    by_scripts = "Orchestrator" not in given
    options = plan.options_as(Options)
    # Scripts of the bundle that start Slurm look for the controller by the name of its group.
    ours = options.lifecycle is None
    starts = ours and any("OnCreate" in group.part("LifeCycleConfig") for group in given.groups)
    return {
        "by_scripts": by_scripts,
        "parameters": next(_parameters(given), "") if by_scripts else PARAMETERS_FILE,
        "controller_group": options.controller if starts else "",
    }


def _parameters(document: Document) -> Iterator[str]:
    """The place of the file with partitions, next to the scripts of each group."""
    for group in document.groups:
        if source := group.part("LifeCycleConfig").get("SourceS3Uri"):
            yield f"{str(source).rstrip('/')}/{PARAMETERS_FILE}"
