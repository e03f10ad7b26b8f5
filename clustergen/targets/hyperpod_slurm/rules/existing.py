"""Slurm of an existing cluster, whose controller the bundle does not set up."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.limits import PARAMETERS_FILE
from clustergen.services.hyperpod.rules.existing import example
from clustergen.services.slurm import timetable
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import MODE, QUEUE_FIELDS, note, rule, warning

_SCRIPTS = "lifecycle: {source: 's3://sagemaker-setup/src', on_create: on_create.sh}"
_LIMITED = "queues: [{name: h200, node_groups: [h200], time_limit: 2d}]"
_PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/november"
_ENDING = f"capacity: {{training_plan: '{_PLAN}', ends: 2030-12-17T11:30:00Z}}"


@rule(
    "SLM366",
    "Scripts of the bundle beside those of an existing cluster",
    why="Lifecycle scripts must be the same for all groups: the controller reads the partitions "
    f"from {PARAMETERS_FILE} in their folder.",
    source=modes.MIGRATION,
    bad=example(", mode: legacy"),
    good=example(f", mode: legacy, {_SCRIPTS}"),
)
def legacy(plan: Plan) -> Iterator[Problem]:
    options = modes.options(plan)
    if not plan.creates_cluster and options.mode == "legacy" and not options.lifecycle:
        yield Problem(
            MODE,
            "mode: legacy needs the scripts that the cluster has",
            help="write lifecycle: {source: s3://..., on_create: ...} of a group in aws sagemaker "
            f"describe-cluster --cluster-name {plan.cluster_name}, and add the new groups to "
            f"{PARAMETERS_FILE} in that folder. If the groups of the cluster have SlurmConfig, "
            "remove mode instead",
        )


@warning(
    "SLM367",
    "Limit of a queue on an existing cluster",
    why="HyperPod creates the partition of an added group. Its limits are in the controller's "
    "slurm.conf, which scripts of the bundle do not change.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-ref.html",
    bad=f"{_LIMITED}\n{example()}",
)
def limits_of_queues(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues if not plan.creates_cluster else ():
        for path in (queue.at(field) for field in QUEUE_FIELDS):
            if plan.wrote(*path):
                yield unwanted(
                    path,
                    f"{path[-1]} has no effect on the partition {queue.name} of an existing "
                    "cluster",
                    help="have the owner of the cluster write it in slurm.conf",
                )


@note(
    "SLM368",
    "Users that an existing controller may not know",
    why="slurmctld looks up the users of jobs. Scripts of the bundle create them on added nodes "
    "only.",
    source="https://slurm.schedmd.com/quickstart_admin.html",
    bad=f"users: [{{name: alice, uid: 2001}}]\n{example()}",
    good=example(),
)
def users(plan: Plan) -> Iterator[Problem]:
    if plan.users and not plan.creates_cluster:
        yield Problem(
            ("users",),
            f"only the added nodes get {plan.users[0].name}"
            f"{f' and {len(plan.users) - 1} more' if len(plan.users) > 1 else ''}",
            help="compare their ids with `id NAME` on the controller, and have its owner add those "
            "who are missing there",
        )


@warning(
    "CAP352",
    "End of capacity that an existing controller does not know",
    why="The controller keeps jobs off nodes whose capacity ends. An existing controller does not "
    "run the bundle's script that does this.",
    source="https://slurm.schedmd.com/reservations.html",
    bad=f"node_groups: [{{name: h200, {_ENDING}}}]\n{example()}",
    good=f"node_groups: [{{name: h200, capacity: {{training_plan: '{_PLAN}'}}}}]\n{example()}",
)
def dates(plan: Plan) -> Iterator[Problem]:
    if plan.creates_cluster or not timetable.wanted(plan):
        return
    for group in plan.node_groups:
        if group.capacity.dated:
            yield Problem(
                group.at("capacity"),
                f"nothing keeps jobs off the nodes of {group.name} before its capacity ends",
                help="create a reservation on the controller: scontrol create reservation "
                "flags=maint,ignore_jobs users=root duration=unlimited nodes=... starttime=...",
            )
