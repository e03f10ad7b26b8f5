"""SageMaker HyperPod with Slurm: the template of `render`, and its lifecycle scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constructs import Construct

from clustergen.base.artifacts import Artifact
from clustergen.services.hyperpod.scripts import FOLDER, prefix
from clustergen.services.slurm import tables

from .rendered import RenderedCluster
from .scripts import NodesStack


def uploads(rendered: RenderedCluster) -> dict[str, str]:
    """Key in the scripts bucket -> text."""
    lifecycle = [
        Artifact(path, text)
        for path, text in rendered.files.items()
        if path.startswith(f"{FOLDER}/")
    ]
    place = f"{FOLDER}/{prefix(lifecycle)}"
    scripts = {f"{place}{file.path.removeprefix(FOLDER)}": file.text for file in lifecycle}
    return {**scripts, **tables.uploads(rendered.plan, rendered.files)}


def stacks(
    scope: Construct,
    rendered: RenderedCluster,
    imports: Mapping[str, str] | None = None,
    **props: Any,
) -> list[NodesStack]:
    """The stacks of a cluster besides the foundation."""
    scripts, nodes = uploads(rendered), "AWS::SageMaker::Cluster"
    return [NodesStack(scope, rendered, uploads=scripts, nodes=nodes, imports=imports, **props)]
