"""The user's own lifecycle scripts."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits, own_scripts
from clustergen.services.hyperpod.service_mounts import mounted_everywhere
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import MODE, QUEUE_FIELDS, rule, warning

_PATH: Path = ("targets", "hyperpod-slurm", "lifecycle")
_SETTINGS = ("settings", "cgroup_settings", "accounts", "qos")


def _with(entry: str, mode: str = "api") -> str:
    own = f"{{source: 's3://sagemaker-setup/src', {entry}}}"
    return f"targets: {{hyperpod-slurm: {{mode: {mode}, lifecycle: {own}}}}}"


@rule(
    "SLM364",
    "Lifecycle script that does not fit the mode",
    why="OnInitComplete runs after HyperPod has set Slurm up, which it does in mode: api. OnCreate "
    "replaces that set-up, as in the other modes.",
    source=limits.SLURM_API,
    bad=_with("on_create: on_create.sh"),
    good=_with("on_init_complete: setup.sh"),
)
def fitting_script(plan: Plan) -> Iterator[Problem]:
    own, by_service = modes.options(plan).lifecycle, modes.options(plan).mode == "api"
    if own and by_service and own.on_create:
        yield Problem(
            MODE if plan.wrote(*MODE) else (*_PATH, "on_create"),
            "mode: api, in which HyperPod sets Slurm up",
            help="write mode: customer-managed or legacy, or on_init_complete instead",
        )
    if own and not by_service and own.on_init_complete:
        yield Problem(
            MODE,
            f"mode: {modes.options(plan).mode}, in which HyperPod does not set Slurm up",
            help="write on_create instead, or mode: api",
        )


@warning(
    "SLM365",
    "Something that your lifecycle scripts have to do",
    why="On the nodes, clustergen does what HyperPod does not with lifecycle scripts. Your own "
    "scripts replace them, and clustergen does not know what yours do.",
    source=limits.SLURM_API,
    bad="users: [{name: alice, uid: 2001}]\n" + _with("on_init_complete: setup.sh"),
    good="users: [{name: alice, uid: 2001}]\ntargets: {hyperpod-slurm: {mode: api}}",
)
def left_to_the_user(plan: Plan) -> Iterator[Problem]:
    if modes.options(plan).lifecycle:
        yield from own_scripts.problems(_undone(plan))


def _undone(plan: Plan) -> Iterator[Path]:
    yield from own_scripts.on_every_node(plan)
    if plan.users:
        yield ("users",)
    yield from (("slurm", field) for field in _SETTINGS if getattr(plan.slurm, field))
    for queue in plan.queues:
        yield from (queue.at(field) for field in QUEUE_FIELDS if plan.wrote(*queue.at(field)))
    if plan.monitoring.of_nodes:
        fields = (("monitoring", field) for field in ("metrics", "interval"))
        yield from (path for path in fields if plan.wrote(*path))
    if plan.resilience.auto_resume:
        yield ("resilience", "auto_resume")
    yield from _unknown_to_the_service(plan)
    if not modes.by_service(plan):
        yield from _set_up(plan)


def _unknown_to_the_service(plan: Plan) -> Iterator[Path]:
    """Storage that HyperPod does not mount itself, and partitions that it does not make."""
    legacy = modes.mode(plan) == "legacy"
    mounted = () if legacy else mounted_everywhere(plan)
    yield from (item.path for item in plan.storage if item not in mounted)
    # provisioning_parameters.json beside the scripts has the partitions.
    yield from (queue.path for queue in plan.queues if legacy and plan.wrote(*queue.path))


def _set_up(plan: Plan) -> Iterator[Path]:
    """What HyperPod sets up with Slurm where scripts do not."""
    if plan.software.containers != "none":
        yield ("software", "containers")
    if plan.slurm.accounting != "off":
        yield ("slurm", "accounting")
