"""AWS PCS: the template of `render`, and the scripts that its nodes run."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen import shell

from . import acknowledged, scripts, template
from .rendered import RenderedCluster

FOLDER = "scripts/"


class PcsStack(cdk.Stack):
    """The cluster, its node groups and queues."""

    def __init__(self, scope: Construct, rendered: RenderedCluster, **props: Any) -> None:
        super().__init__(scope, rendered.stack_name, **props)
        self.resources = template.fill(self, rendered.template, imports=rendered.imports)
        """By logical id."""
        self.scripts = scripts.upload(self, uploads(rendered), rendered.imports)
        acknowledged.bucket_deployment(self, rendered.imports[scripts.BUCKET])
        # A node reads its scripts as soon as it boots.
        template.after(self.resources, "AWS::PCS::ComputeNodeGroup", self.scripts)


def uploads(rendered: RenderedCluster) -> dict[str, str]:
    """Key in the bucket of scripts -> text."""
    named = {
        path.removeprefix(FOLDER): text
        for path, text in rendered.files.items()
        if path.startswith(FOLDER)
    }
    return {shell.content_key(name, text): text for name, text in named.items()}


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [PcsStack(scope, rendered, **props)]
