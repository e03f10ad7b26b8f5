"""Controllers: their number, and shared resources."""

from collections.abc import Iterator, Mapping

from clustergen.base.findings import Path, Problem, unwanted
from clustergen.plan.model import Database, Plan
from clustergen.services.aws import mounts
from clustergen.services.hyperpod import limits
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.limits import MAX_CONTROLLERS
from clustergen.targets.hyperpod_slurm.rules import rule

_SECTION: Path = ("targets", "hyperpod-slurm")
_PATH: Path = (*_SECTION, "controllers")
_SEVERAL = f"{limits.GUIDE}sagemaker-hyperpod-multihead-slurm.html"
_TWO = """targets: {hyperpod-slurm: {mode: legacy, controllers: 2}}
storage: [{mount: /fsx, type: fsx-lustre, size: 2400GiB}]
slurm:
  accounting:
    endpoint: db.example.com
    secret: arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"""


@rule(
    "SLM358",
    "Several controllers without a database and a shared folder",
    why="Controllers take over from each other, so all of them have to reach the job records and "
    "the state. These cannot be on one of them.",
    source=_SEVERAL,
    bad="targets: {hyperpod-slurm: {mode: legacy, controllers: 2}}",
    good=_TWO,
)
def shared_state(plan: Plan) -> Iterator[Problem]:
    controllers, missing = modes.options(plan).controllers, list(_missing(plan))
    ours = not modes.options(plan).lifecycle
    alone = not plan.existing.cluster
    if controllers > 1 and missing and ours and alone and _legacy(plan):
        yield Problem(
            _PATH,
            f"{controllers} controllers, but no place for the state that they share",
            help=f"add {', and '.join(missing)}",
        )


def _missing(plan: Plan) -> Iterator[str]:
    """Requirements of several controllers that the spec does not meet."""
    if not mounts.writable(plan):
        yield "storage of type fsx-lustre"
    if not isinstance(plan.slurm.accounting, Database):
        yield "slurm.accounting: {endpoint: ..., secret: ...}"


@rule(
    "SLM359",
    "Several controllers without mode: legacy",
    why="Where the API request has the role of each group, the controller's group has one "
    "instance. Only mode: legacy supports several.",
    source=modes.MIGRATION,
    bad="targets: {hyperpod-slurm: {controllers: 2}}",
    good=_TWO,
)
def single_by_api(plan: Plan) -> Iterator[Problem]:
    controllers = modes.options(plan).controllers
    if controllers > 1 and not plan.existing.cluster and not _legacy(plan):
        yield unwanted(
            _PATH, f"{controllers} controllers", help="write mode: legacy, or remove controllers"
        )


@rule(
    "SLM360",
    "Overlay that changes the number of controllers",
    why="The lifecycle scripts are made for the number of controllers in the spec; one that only "
    "the overlay adds would start a separate Slurm cluster.",
    source=_SEVERAL,
    bad="""targets:
  hyperpod-slurm:
    mode: legacy
    overlay: {InstanceGroups: [{InstanceGroupName: controller, InstanceCount: 2}]}""",
    good=_TWO,
)
def overlay_count(plan: Plan) -> Iterator[Problem]:
    controllers = modes.options(plan).controllers
    for path, count in _overlay_counts(plan):
        if count != controllers and _legacy(plan):
            yield unwanted(
                path,
                f"{count} controllers, but scripts for {controllers}",
                help=f"write targets.hyperpod-slurm.controllers: {count}, and remove this"
                if 1 <= count <= MAX_CONTROLLERS
                else "remove it",
            )


def _overlay_counts(plan: Plan) -> Iterator[tuple[Path, int]]:
    groups, name = plan.overlay.get("InstanceGroups"), modes.options(plan).controller_group
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        if isinstance(group, Mapping) and group.get("InstanceGroupName") == name:
            count = group.get("InstanceCount")
            if isinstance(count, int):
                yield (*_SECTION, "overlay", "InstanceGroups", index, "InstanceCount"), count


def _legacy(plan: Plan) -> bool:
    return modes.mode(plan) == "legacy"
