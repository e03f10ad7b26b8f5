"""The ``bundle.json`` of a bundle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clustergen.base.artifacts import Artifact
from clustergen.deployment import model
from clustergen.deployment.model import Role, Service, Stack
from clustergen.plan.model import Plan
from clustergen.services import foundation


def file(plan: Plan, service: Service, files: Iterable[Artifact]) -> Artifact:
    """The file; ``files`` are the others of the bundle."""
    paths = {each.path for each in files}
    bundle = model.Bundle(
        cluster=plan.name,
        target=plan.target,
        region=plan.region,
        partition=plan.partition,
        accounts=tuple(foundation.accounts(plan)),
        service=service,
        stacks={
            role: _with_template(role, stack, paths)
            for role, stack in foundation.stacks(plan).items()
        },
        mounts=foundation.mounts(plan),
    )
    return model.artifact(bundle)


def _with_template(role: Role, stack: Stack, paths: set[str]) -> Stack:
    path = f"{role}.template.json"
    return replace(stack, template=path) if path in paths else stack
