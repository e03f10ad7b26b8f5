"""AWS PCS: the template of `render`, and the scripts that its nodes run."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen import shell
from clustergen.cdk import scripts, template
from clustergen.cdk.compiled import Compiled
from stacks import acknowledged

FOLDER = "scripts/"


class PcsStack(cdk.Stack):
    """The cluster, its node groups and queues."""

    def __init__(self, scope: Construct, compiled: Compiled, **props: Any) -> None:
        super().__init__(scope, compiled.stack_name, **props)
        self.resources = template.fill(self, compiled.template, imports=compiled.imports)
        """By logical id."""
        self.scripts = scripts.upload(self, uploads(compiled), compiled.imports)
        acknowledged.bucket_deployment(self, compiled.imports[scripts.BUCKET])
        # A node reads its scripts as soon as it boots.
        template.after(self.resources, "AWS::PCS::ComputeNodeGroup", self.scripts)


def uploads(compiled: Compiled) -> dict[str, str]:
    """Key in the bucket of scripts -> text."""
    named = {
        path.removeprefix(FOLDER): text
        for path, text in compiled.files.items()
        if path.startswith(FOLDER)
    }
    return {shell.content_key(name, text): text for name, text in named.items()}


def stacks(scope: Construct, compiled: Compiled, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [PcsStack(scope, compiled, **props)]
