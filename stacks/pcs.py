"""AWS PCS: the template of `render`, and scripts of nodes."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.targets.pcs import images

from . import acknowledged, scripts, template
from .rendered import RenderedCluster


class PcsStack(cdk.Stack):
    """The cluster, its node groups and queues."""

    def __init__(self, scope: Construct, rendered: RenderedCluster, **props: Any) -> None:
        super().__init__(scope, rendered.stack_name, **props)
        looked_up = template.look_up_images(rendered.template, images.newest(rendered.plan))
        self.resources = template.fill(self, looked_up, imports=rendered.imports)
        """Resources by logical id."""
        self.scripts = scripts.upload(self, scripts.of_bundle(rendered), rendered.imports)
        acknowledged.bucket_deployment(self, rendered.imports[scripts.BUCKET])
        # Nodes read their scripts as soon as they boot.
        template.after(self.resources, "AWS::PCS::ComputeNodeGroup", self.scripts)


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [PcsStack(scope, rendered, **props)]
