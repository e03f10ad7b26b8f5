"""Requirements on the images of nodes."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.plan.model import Plan, Script
from clustergen.services.hyperpod import limits
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import rule


@rule(
    "IMG352",
    "Pyxis that nothing installs",
    why="Where your scripts set up nodes, HyperPod leaves Enroot and Pyxis to them. The scripts of "
    "the bundle configure both, but install neither.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-slurm-api-config-migration.html",
    bad="software: {containers: pyxis}\ntargets: {hyperpod-slurm: {mode: customer-managed}}",
    good="""software:
  containers: pyxis
  scripts: [{run: "s3://sagemaker-setup/install-pyxis.sh", when: start}]
targets: {hyperpod-slurm: {mode: customer-managed}}""",
)
def pyxis(plan: Plan) -> Iterator[Problem]:
    given = modes.by_service(plan) or modes.options(plan).lifecycle
    if plan.software.containers != "pyxis" or given:
        return
    without = [
        name
        for name, image, scripts in _nodes(plan)
        if not image and all(script.when != "start" for script in scripts)
    ]
    if without:
        yield Problem(
            ("software", "containers"),
            f"nothing installs Enroot and Pyxis on {', '.join(without)}",
            help="add a script with when: start that installs them, or an image that has them; or "
            "write mode: api",
        )


def _nodes(plan: Plan) -> Iterator[tuple[str, str | None, tuple[Script, ...]]]:
    """Nodes that submit or run jobs, by name of instance group, with their set-up."""
    if plan.head:
        yield modes.options(plan).controller_group, plan.head.image, plan.scripts_on("head")
    if plan.login:
        yield modes.options(plan).login_group, plan.login.image, plan.scripts_on("login")
    for group in plan.node_groups:
        yield group.name, group.image, plan.scripts_of(group)
