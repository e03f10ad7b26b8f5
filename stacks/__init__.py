"""The stacks of the CDK app: the foundation, and one module for each target.

A module of a target has ``stacks``, which makes the stacks of a cluster, in the order in which they
are deployed.
"""

from __future__ import annotations

import importlib
from itertools import pairwise

import aws_cdk as cdk

from clustergen.cdk.app import settings
from clustergen.cdk.compiled import Compiled
from stacks.foundation import FoundationStack


def build(app: cdk.App, compiled: Compiled) -> list[cdk.Stack]:
    """The stacks of a cluster, the foundation first where it has one."""
    props = settings(compiled)
    document = compiled.foundation
    base = [FoundationStack(app, compiled, document, **props)] if document else []
    # Only the constructs of this target are loaded: those of EKS take longer than all the rest.
    target = importlib.import_module(f"stacks.{compiled.target.replace('-', '_')}")
    made: list[cdk.Stack] = [*base, *target.stacks(app, compiled, **props)]
    for earlier, later in pairwise(made):
        later.add_stack_dependency(earlier)
    return made
