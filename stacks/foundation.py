"""Network, storage, roles and the bucket of scripts: what outlives clusters."""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.cdk import template
from clustergen.cdk.compiled import Compiled
from stacks import acknowledged


class FoundationStack(cdk.Stack):
    """The template of `render`, its outputs exported for the stacks of clusters."""

    def __init__(
        self, scope: Construct, compiled: Compiled, document: dict[str, Any], **props: Any
    ) -> None:
        super().__init__(scope, compiled.foundation_name, **props)
        self.resources = template.fill(self, document, export=compiled.export_name)
        """By logical id."""
        acknowledged.acknowledge(self, acknowledged.FOUNDATION)
