"""Parameters that an overlay adds to the template."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.plan.model import Plan
from clustergen.targets.pcs.rules import warning

_OVERLAY = "targets: {{pcs: {{overlay: {{Parameters: {{Contact: {{Type: String{}}}}}}}}}}}"


@warning(
    "OVL202",
    "Parameter without a value",
    why="`deploy.sh` passes the outputs of the foundation and the images, and nothing else. "
    "CloudFormation rejects a stack that has a parameter without a value.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "parameters-section-structure.html",
    bad=_OVERLAY.format(""),
    good=_OVERLAY.format(", Default: me@example.com"),
)
def without_value(plan: Plan) -> Iterator[Problem]:
    if not plan.overlay:
        return
    from clustergen.overlay.parts import as_map  # few specs have overlays

    added = as_map(plan.overlay.get("Parameters"))
    missing = [name for name, value in added.items() if value and "Default" not in as_map(value)]
    if not missing:
        return
    known = _given(plan)
    for name in missing:
        if name not in known:
            yield Problem(
                ("targets", "pcs", "overlay", "Parameters", name),
                f"the parameter {name} has no value",
                help="give it a Default, or the name of an output of the foundation",
            )


def _given(plan: Plan) -> set[str]:
    """The parameters whose values ``deploy.sh`` passes."""
    from clustergen.services import foundation  # only overlays that add parameters need this
    from clustergen.targets.pcs import images

    return {*foundation.outputs(plan), *images.newest(plan)}
