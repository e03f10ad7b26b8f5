"""The user's own lifecycle scripts."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, rename, safe
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits, own_scripts
from clustergen.targets.hyperpod_eks.options import Options
from clustergen.targets.hyperpod_eks.rules import CLUSTER, rule, warning

_LIFECYCLE = f"{limits.GUIDE}sagemaker-hyperpod-eks-lifecycle-scripts.html"
_SCRIPTS = "software: {scripts: [{run: 's3://sagemaker-setup/tune.sh'}]}\n"


def _with(entry: str) -> str:
    own = f"{{source: 's3://sagemaker-setup/src', {entry}}}"
    return f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}', lifecycle: {own}}}}}"


@rule(
    "K8S436",
    "Script that runs after Slurm is set up",
    why="HyperPod runs OnInitComplete after it has set Slurm up, which a cluster with EKS lacks.",
    source=_LIFECYCLE,
    bad=_with("on_init_complete: setup.sh"),
)
def fitting_script(plan: Plan) -> Iterator[Problem]:
    own = plan.options_as(Options).lifecycle
    if own and own.on_init_complete:
        path = ("targets", "hyperpod-eks", "lifecycle", "on_init_complete")
        yield Problem(
            path,
            "nodes of a cluster with EKS run OnCreate only",
            help="call it on_create",
            fix=safe(rename(path, "on_create")),
        )


@warning(
    "K8S437",
    "Something that your lifecycle scripts have to do",
    why="clustergen prepares nodes with lifecycle scripts: they move container images to the "
    "second volume, and do what the spec asks for. Your own scripts replace them, and clustergen "
    "does not know what yours do.",
    source=_LIFECYCLE,
    bad=_SCRIPTS + _with("on_create: setup.sh"),
    good=_SCRIPTS + f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}'}}}}",
)
def left_to_the_user(plan: Plan) -> Iterator[Problem]:
    if plan.options_as(Options).lifecycle:
        yield from own_scripts.problems(own_scripts.on_every_node(plan))
