"""AWS PCS: the template of `render`, and scripts of nodes."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen import shell
from clustergen.targets.pcs import images

from . import acknowledged, scripts, template
from .rendered import RenderedCluster

FOLDER = "scripts/"


class PcsStack(cdk.Stack):
    """The cluster, its node groups and queues."""

    def __init__(self, scope: Construct, rendered: RenderedCluster, **props: Any) -> None:
        super().__init__(scope, rendered.stack_name, **props)
        self.resources = template.fill(self, _with_images(rendered), imports=rendered.imports)
        """Resources by logical id."""
        self.scripts = scripts.upload(self, uploads(rendered), rendered.imports)
        acknowledged.bucket_deployment(self, rendered.imports[scripts.BUCKET])
        # Nodes read their scripts as soon as they boot.
        template.after(self.resources, "AWS::PCS::ComputeNodeGroup", self.scripts)


def _with_images(rendered: RenderedCluster) -> dict[str, Any]:
    """The template, with images that CloudFormation looks up, unlike in deploy.sh."""
    document = rendered.template
    known = document.get("Parameters", {})
    looked_up = {
        name: {
            **known[name],
            "Type": "AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>",
            "Default": path,
            "Description": "PCS-ready Deep Learning AMI, looked up anew in each update, which then "
            "replaces nodes; give an image in the spec to pin it.",
        }
        for name, path in images.newest(rendered.plan).items()
        if name in known
    }
    return {**document, **({"Parameters": {**known, **looked_up}} if known else {})}


def uploads(rendered: RenderedCluster) -> dict[str, str]:
    """Key in the scripts bucket -> text."""
    named = {
        path.removeprefix(FOLDER): text
        for path, text in rendered.files.items()
        if path.startswith(FOLDER)
    }
    return {shell.content_key(name, text): text for name, text in named.items()}


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [PcsStack(scope, rendered, **props)]
