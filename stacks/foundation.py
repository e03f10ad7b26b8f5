"""Network, storage, roles and the scripts bucket, which outlive clusters."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import Construct

from . import acknowledged, template
from .rendered import RenderedCluster


class FoundationStack(cdk.Stack):
    """The template of `render`, with outputs exported for the stacks of clusters."""

    def __init__(
        self, scope: Construct, rendered: RenderedCluster, document: dict[str, Any], **props: Any
    ) -> None:
        super().__init__(scope, rendered.foundation_name, **props)
        self.resources = template.fill(self, document, export=rendered.export_name)
        """Resources by logical id."""
        acknowledged.foundation(self, rendered.plan)
