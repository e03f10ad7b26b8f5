"""The foundation: the stack that outlives clusters and is the same for every target.

It makes what the spec asks to make, and its outputs have fixed names: the only thing that the
cluster's own artifacts know of it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from clustergen.artifacts import Artifact, json_artifact
from clustergen.aws import cfn
from clustergen.foundation import access, hyperpod, network, security, storage
from clustergen.foundation.part import Part
from clustergen.plan.model import Plan

PATH = "foundation.template.json"


def outputs(plan: Plan) -> Mapping[str, str]:
    """Output name -> description, of all that the foundation of ``plan`` makes."""
    return {name: output.description for name, output in build(plan).outputs.items()}


def emit(plan: Plan) -> Artifact | None:
    """The CloudFormation template, or None when there is nothing to make."""
    whole = build(plan)
    if not whole.resources:
        return None
    document = {
        "AWSTemplateFormatVersion": cfn.FORMAT_VERSION,
        "Description": f"Foundation of {plan.name}: the network, access and storage of clusters",
        "Resources": whole.resources,
        "Outputs": {
            name: {"Description": output.description, "Value": output.value}
            for name, output in whole.outputs.items()
        },
    }
    return json_artifact(PATH, document)


# A spec has a plan for each of its targets.
@functools.lru_cache(maxsize=8)
def build(plan: Plan) -> Part:
    """All resources and outputs of the foundation, built once for each plan."""
    parts = [concern.part(plan) for concern in (network, security, storage, access, hyperpod)]
    return Part(
        {name: resource for part in parts for name, resource in part.resources.items()},
        {name: output for part in parts for name, output in part.outputs.items()},
    )
