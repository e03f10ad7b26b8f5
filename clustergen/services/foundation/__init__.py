"""The foundation: a stack that outlives clusters and is the same for all targets of a spec.

It creates what the targets of the spec need (:attr:`Plan.targets`). Other artifacts refer to it
only by its outputs, whose names are fixed.
"""

from collections.abc import Mapping

from clustergen.base.artifacts import Artifact, json_artifact
from clustergen.plan.model import Plan
from clustergen.services.foundation import deployment
from clustergen.services.foundation.template import PATH, build, document

__all__ = ["PATH", "build", "emit", "files", "outputs"]


def outputs(plan: Plan) -> Mapping[str, str]:
    """Output name -> description, for everything that the foundation of ``plan`` creates."""
    return {name: output.description for name, output in build(plan).outputs.items()}


def emit(plan: Plan) -> Artifact | None:
    """The CloudFormation template, or None if there is nothing to create."""
    whole = build(plan)
    return json_artifact(PATH, document(plan, whole)) if whole.resources else None


def files(plan: Plan) -> tuple[Artifact, ...]:
    return tuple(file for file in (emit(plan), deployment.stage(plan)) if file)
