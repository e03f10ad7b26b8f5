"""The foundation: the stack that outlives clusters and is the same for every target.

It makes what the spec asks to make, and its outputs have fixed names: the only thing that the
cluster's own artifacts know of it.
"""

from __future__ import annotations

from clustergen.artifacts import Artifact, json_artifact
from clustergen.aws import cfn
from clustergen.foundation import access, hyperpod, network, security, storage
from clustergen.foundation.part import Part
from clustergen.plan.model import Plan

PATH = "foundation.template.json"


def OUTPUTS(plan: Plan) -> dict[str, str]:
    """Output name -> description, of all that the foundation of ``plan`` makes."""
    return {
        name: output.description for part in _parts(plan) for name, output in part.outputs.items()
    }


def emit(plan: Plan) -> Artifact | None:
    """The CloudFormation template, or None when there is nothing to make."""
    parts = _parts(plan)
    resources = {name: made for part in parts for name, made in part.resources.items()}
    if not resources:
        return None
    document = {
        "AWSTemplateFormatVersion": cfn.FORMAT_VERSION,
        "Description": f"Foundation of {plan.name}: the network, access and storage of clusters",
        "Resources": resources,
        "Outputs": {
            name: {"Description": output.description, "Value": output.value}
            for part in parts
            for name, output in part.outputs.items()
        },
    }
    return json_artifact(PATH, document)


def _parts(plan: Plan) -> tuple[Part, ...]:
    return tuple(concern.part(plan) for concern in (network, security, storage, access, hyperpod))
