"""The template of the foundation."""

import functools
from dataclasses import replace

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn, marks
from clustergen.services.foundation import access, hyperpod, monitoring, network, security, storage
from clustergen.services.foundation.parts import Part

PATH = "foundation.template.json"


# A spec has one plan for each target.
@functools.lru_cache(maxsize=8)
def build(plan: Plan) -> Part:
    """All resources and outputs of the foundation, built once per plan.

    They have the foundation's name, which clusters that share it have in common.
    """
    plan = replace(plan, name=plan.foundation)
    concerns = (network, security, storage, access, hyperpod, monitoring)
    return Part.of(concern.part(plan) for concern in concerns)


def document(plan: Plan, part: Part) -> Json:
    template = cfn.template(
        description(plan),
        part.resources,
        **access.bucket_parameters(part.resources),
        outputs={name: (each.description, each.value) for name, each in part.outputs.items()},
    )
    return marks.marked(template, marks.of_foundation(plan))


def description(plan: Plan) -> str:
    """What the template says of itself."""
    return f"Foundation of {plan.foundation}: the network, access and storage of clusters"
