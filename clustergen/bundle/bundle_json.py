"""The ``bundle.json`` of a bundle."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from clustergen.base.artifacts import Artifact
from clustergen.base.resources import tree
from clustergen.deployment import model
from clustergen.deployment.model import Network, OfTarget, Role, Source, Stack
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.aws import mounts
from clustergen.services.foundation import deployment

SCRIPT: Final = "deploy.sh"


def files(plan: Plan, own: OfTarget, others: Iterable[Artifact]) -> Iterator[Artifact]:
    """``bundle.json``, and a script for those who look for one; ``others`` are all other files."""
    yield _bundle(plan, own, others)
    if own.script:
        text = (tree("templates") / "shared" / SCRIPT).read_text(encoding="utf-8")
        yield Artifact(SCRIPT, text, executable=True)


def _bundle(plan: Plan, own: OfTarget, files: Iterable[Artifact]) -> Artifact:
    texts = {each.path: each.text for each in files}
    stacks = deployment.stacks(plan).items()
    vpc = plan.network.vpc
    joined = (plan.network.control_plane_security_group, plan.network.scheduler_security_group)
    bundle = model.Bundle(
        cluster=plan.name,
        target=plan.target,
        region=plan.region,
        partition=plan.partition,
        accounts=tuple(deployment.accounts(plan)),
        tags=dict(plan.tags),
        service=own.service,
        network=Network(vpc if isinstance(vpc, str) else "", tuple(filter(None, joined))),
        stacks={role: _complete(plan, role, stack, own, texts) for role, stack in stacks},
        creates=not plan.adopted,
        uploads=dict(own.uploads),
        tables=own.tables,
        groups=tuple(group.name for group in plan.node_groups),
        shared=mounts.shared(plan) if plan.scheduler == "slurm" else "",
        sessions=not plan.options.leaves_out("session-manager"),
        spot=deployment.needs_spot_role(plan),
        periods=dict(own.periods),
        objects=own.objects,
        mounts=deployment.mounts(plan),
        losses=deployment.losses(plan),
        controller_roles=tuple(deployment.controller_roles(plan)),
        billed=tuple(deployment.billed(plan, own.billed)),
    )
    return model.artifact(bundle)


def _complete(
    plan: Plan, role: Role, stack: Stack, own: OfTarget, texts: Mapping[str, str]
) -> Stack:
    """The stack with its template, and where the values of its parameters come from."""
    path = f"{role}.template.json"
    adopted = dict(own.adopted) if role == "cluster" else {}
    if path not in texts:
        return replace(stack, adopted=adopted)
    names = json.loads(texts[path]).get("Parameters", {})
    kept = deployment.overlay_parameters(plan) if role == "cluster" else ()
    return replace(
        stack,
        template=path,
        parameters=_sources(plan, role, names, own),
        kept=tuple(kept),
        adopted=adopted,
    )


def _sources(plan: Plan, role: Role, names: Iterable[str], own: OfTarget) -> Mapping[str, Source]:
    """The parameters of the foundation have defaults, or depend on what is deployed."""
    known = foundation.outputs(plan)
    made = {name: Source(output=name) for name in known} if role != "foundation" else {}
    every = {**made, **own.sources, **deployment.sources(plan)}
    return {name: every[name] for name in names if name in every}
