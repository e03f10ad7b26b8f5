"""SageMaker HyperPod with Slurm: the template of `render`, and its lifecycle scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.artifacts import Artifact
from clustergen.hyperpod.scripts import FOLDER, prefix

from . import acknowledged, scripts, template
from .rendered import RenderedCluster


class HyperPodStack(cdk.Stack):
    """The cluster, with its lifecycle scripts in the foundation's bucket."""

    def __init__(
        self, scope: Construct, rendered: RenderedCluster, imports: Mapping[str, str], **props: Any
    ) -> None:
        super().__init__(scope, rendered.stack_name, **props)
        self.resources = template.fill(self, rendered.template, imports=imports)
        """Resources by logical id."""
        self.scripts = scripts.upload(self, uploads(rendered), imports)
        acknowledged.bucket_deployment(self, imports[scripts.BUCKET])
        # An instance runs its scripts as soon as it boots.
        template.after(self.resources, "AWS::SageMaker::Cluster", self.scripts)


def uploads(rendered: RenderedCluster) -> dict[str, str]:
    """Key in the scripts bucket -> text."""
    lifecycle = [
        Artifact(path, text)
        for path, text in rendered.files.items()
        if path.startswith(f"{FOLDER}/")
    ]
    place = f"{FOLDER}/{prefix(lifecycle)}"
    return {f"{place}{file.path.removeprefix(FOLDER)}": file.text for file in lifecycle}


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [HyperPodStack(scope, rendered, rendered.imports, **props)]
