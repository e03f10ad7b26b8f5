"""The external database of Slurm's job records."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, unwanted
from clustergen.plan.model import Database, Plan
from clustergen.services.hyperpod import limits
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.rules import note, warning

_ARN = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"
_PATH: Path = ("slurm", "accounting")


@warning(
    "SLM353",
    "Database user outside the secret",
    why="HyperPod reads user and password from the secret.",
    source=limits.ORCHESTRATOR,
    bad=f"""slurm:
  accounting: {{endpoint: db.example.com, user: slurmdbd, secret: "{_ARN}"}}""",
)
def user(plan: Plan) -> Iterator[Problem]:
    given = plan.slurm.accounting
    if isinstance(given, Database) and modes.by_service(plan) and plan.wrote(*_PATH, "user"):
        yield unwanted(
            (*_PATH, "user"),
            f"HyperPod does not get the user {given.user}",
            help='keep {"username": ..., "password": ...} in the secret',
        )


@note(
    "SLM369",
    "Users of all nodes can read the password of the database",
    why="Users of a node can use its role, and that of all nodes then reads the secret.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/iam-roles-for-amazon-ec2.html",
    bad=f"""slurm: {{accounting: {{endpoint: db.example.com, secret: "{_ARN}"}}}}
targets: {{hyperpod-slurm: {{leave_out: [controller-role]}}}}""",
    good=f"""slurm: {{accounting: {{endpoint: db.example.com, secret: "{_ARN}"}}}}""",
)
def shared_role(plan: Plan) -> Iterator[Problem]:
    own = dict(plan.shared.slurm_machines)["head_node"] if plan.creates_cluster else None
    if not isinstance(plan.slurm.accounting, Database) or own is None or own.role or own.adds:
        return
    if "controller-role" not in plan.shared.unused:
        return
    yield Problem(
        ("targets", "hyperpod-slurm", "leave_out"),
        "without a role of the controller alone, users of every node can read the password",
        help="a new cluster can do without this; a controller that exists keeps its role",
    )
