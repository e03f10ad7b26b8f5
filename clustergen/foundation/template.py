"""The template of the foundation."""

from __future__ import annotations

import functools
from dataclasses import replace

from clustergen.artifacts import Json
from clustergen.aws import cfn
from clustergen.foundation import access, hyperpod, monitoring, network, security, storage
from clustergen.foundation.part import Part, joined
from clustergen.plan.model import Plan

PATH = "foundation.template.json"


# A spec has one plan for each target.
@functools.lru_cache(maxsize=8)
def build(plan: Plan) -> Part:
    """All resources and outputs of the foundation, built once per plan.

    They have the foundation's name, which clusters that share it have in common.
    """
    plan = replace(plan, name=plan.foundation)
    concerns = (network, security, storage, access, hyperpod, monitoring)
    return joined(concern.part(plan) for concern in concerns)


def document(plan: Plan, part: Part) -> Json:
    """The template that creates ``part``."""
    return {
        "AWSTemplateFormatVersion": cfn.FORMAT_VERSION,
        "Description": (
            f"Foundation of {plan.foundation}: the network, access and storage of clusters"
        ),
        "Resources": part.resources,
        "Outputs": {
            name: {"Description": output.description, "Value": output.value}
            for name, output in part.outputs.items()
        },
    }
