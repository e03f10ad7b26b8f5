"""Alerts and the dashboard of a cluster, after it: alerts of a cluster without nodes would fire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import aws_cdk as cdk
from constructs import Construct

from clustergen.monitoring import stack as definition

from . import template
from .rendered import RenderedCluster


class MonitoringStack(cdk.Stack):
    """The template of `render`."""

    def __init__(self, scope: Construct, rendered: RenderedCluster, **props: Any) -> None:
        super().__init__(scope, definition.name(rendered.plan), **props)
        self.resources = template.fill(
            self, json.loads(rendered.files[definition.PATH]), imports=rendered.imports
        )
        """By logical id."""


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> Iterator[cdk.Stack]:
    """None where the bundle has no such template."""
    if definition.PATH in rendered.files:
        yield MonitoringStack(scope, rendered, **props)
