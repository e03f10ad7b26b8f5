"""The user's database for job records."""

import difflib
import re
from collections.abc import Iterator

from clustergen.base.findings import Problem, Severity, put, unsafe, unwanted
from clustergen.plan import slurm
from clustergen.plan.model import Database, Plan
from clustergen.plan.slurm import Setting
from clustergen.rules.services import rule, warning
from clustergen.services.slurm import accounts

_SLURM_CONF = "https://slurm.schedmd.com/slurm.conf.html"

_DATABASE = "slurm: {{accounting: {{endpoint: db.example.com, secret: '{}'}}}}"
_AURORA = """slurm:
  accounting:
    endpoint: slurm.cluster-abcdefghijkl.{}.rds.amazonaws.com
    secret: arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"""


@rule(
    "SLM003",
    "Not a secret of Secrets Manager",
    why="The password of the accounting database is read from Secrets Manager in the cluster's own "
    "region.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html",
    target="parallelcluster",
    bad=_DATABASE.format("arn:aws:secretsmanager:eu-west-1:111122223333:secret:slurm-a1b2c3"),
    good=_DATABASE.format("arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"),
)
def secret(plan: Plan) -> Iterator[Problem]:
    source, database = plan.limits.accounting_database, plan.slurm.accounting
    if not source or not isinstance(database, Database):
        return
    pattern = f"arn:{plan.partition}:secretsmanager:{plan.region}:[0-9]{{12}}:secret:.+"
    if not re.fullmatch(pattern, database.secret):
        yield Problem(
            ("slurm", "accounting", "secret"),
            f"{database.secret} is not a secret of Secrets Manager in {plan.region}",
            help=f"write arn:{plan.partition}:secretsmanager:{plan.region}:ACCOUNT:secret:NAME",
            source=source,
        )


@rule(
    "SLM011",
    "Setting that needs accounting",
    why="Limits, shares and qualities of service are in the accounting database. Without one, "
    "slurmctld does not start with some of these settings, and ignores the others.",
    source="https://slurm.schedmd.com/accounting.html",
    bad="slurm: {settings: {AccountingStorageTRES: gres/gpu}}",
    good="slurm: {accounting: managed, settings: {AccountingStorageTRES: gres/gpu}}",
)
def without_accounting(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None or plan.slurm.accounting != "off":
        return
    for setting in slurm.written(plan):
        if found := _without_accounting(setting):
            what, severity = found
            yield unwanted(
                setting.path,
                f"{setting.name} needs accounting, which is off: {what}",
                help="turn slurm.accounting on, or remove the setting",
                severity=severity,
            )


_STOPS = "slurmctld does not start"


def _without_accounting(setting: Setting) -> tuple[str, Severity] | None:
    """The effect of a setting in a cluster without accounting."""
    value = setting.value.lower()
    match setting.scope, setting.key:
        case "cluster", "accountingstoragetres" if "/" in value:
            return _STOPS, Severity.ERROR
        case "partition", "qos" | "allowqos" | "denyqos":
            return "there is no quality of service", Severity.ERROR
        case "cluster", "accountingstorageenforce" if value not in ("0", "none"):
            return "Slurm enforces nothing", Severity.WARNING
        case "cluster", "preempttype" if value == "preempt/qos":
            return "there is one quality of service, and no job preempts another", Severity.WARNING
        case "cluster", "priorityweightfairshare" | "priorityweightqos" | "priorityweightassoc":
            return "it has no effect", Severity.WARNING
    return None


@rule(
    "SLM017",
    "Weight of GPUs that Slurm does not count",
    why="slurmctld does not start with a weight of a resource that AccountingStorageTRES lacks.",
    source=f"{_SLURM_CONF}#OPT_AccountingStorageTRES",
    target="parallelcluster",
    bad="slurm: {settings: {PriorityWeightTRES: GRES/gpu=1000}}",
    good="slurm: {settings: {PriorityWeightTRES: CPU=1000}}",
)
def uncounted(plan: Plan) -> Iterator[Problem]:
    limits = plan.limits.slurm_settings
    if limits is None or (limits.tracks_gpus and plan.slurm.accounting != "off"):
        return
    counted = {
        name
        for setting in slurm.written(plan)
        if setting.key == "accountingstoragetres"
        for name in setting.value.lower().split(",")
    }
    for setting in slurm.written(plan):
        if setting.key not in ("priorityweighttres", "tresbillingweights"):
            continue
        named = [part.partition("=")[0].lower() for part in setting.value.split(",")]
        for name in named:
            if name.startswith("gres/") and not counted & {name, name.rpartition(":")[0]}:
                yield Problem(
                    setting.path,
                    f"{setting.name} has a weight for {name}, which Slurm does not count",
                    help=f"with accounting, add slurm.settings: {{AccountingStorageTRES: {name}}}",
                )


@rule(
    "SLM018",
    "Accounts without accounting",
    why="Accounts and qualities of service are in the accounting database.",
    source="https://slurm.schedmd.com/accounting.html",
    bad="slurm: {accounts: [{name: vision}]}",
    good="slurm: {accounting: managed, accounts: [{name: vision}]}\nlogin: {}",
)
def accounts_without_accounting(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None or plan.slurm.accounting != "off":
        return
    for field in ("accounts", "qos"):
        if getattr(plan.slurm, field):
            yield unwanted(
                ("slurm", field),
                f"slurm.{field} needs accounting, which is off",
                help="turn slurm.accounting on, or remove it",
                on_key=True,
            )


@warning(
    "SLM019",
    "Quality of service that cannot preempt",
    why="Jobs preempt others by their quality of service only with PreemptType=preempt/qos.",
    source="https://slurm.schedmd.com/preempt.html",
    bad="slurm: {accounting: managed, qos: [{name: low}, {name: high, preempts: [low]}]}",
    good="""slurm:
  accounting: managed
  qos: [{name: low}, {name: high, preempts: [low]}]
  settings: {PreemptType: preempt/qos, PreemptMode: REQUEUE}
login: {}""",
)
def cannot_preempt(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None:
        return
    kinds = [each.value for each in slurm.written(plan) if each.key == "preempttype"]
    for qos in plan.slurm.qos:
        if qos.preempts and kinds != ["preempt/qos"]:
            yield Problem(
                (*qos.path, "preempts"),
                f"jobs of {qos.name} preempt no others: PreemptType is not preempt/qos",
                help="add slurm.settings: {PreemptType: preempt/qos, PreemptMode: REQUEUE}",
                fix=unsafe(
                    put(("slurm", "settings", "PreemptType"), "preempt/qos"),
                    put(("slurm", "settings", "PreemptMode"), "REQUEUE"),
                ),
            )


@warning(
    "SLM023",
    "Share or priority without weight",
    why="Slurm weighs shares of accounts and priorities of qualities of service with 0, unless "
    "settings say otherwise: all jobs then have the same priority.",
    source="https://slurm.schedmd.com/priority_multifactor.html#config",
    bad="slurm: {accounting: managed, qos: [{name: high, priority: 100}]}",
    good="""slurm:
  accounting: managed
  qos: [{name: high, priority: 100}]
  settings: {PriorityWeightQOS: 10000}
login: {}""",
)
def without_weight(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None:
        return
    written = {each.key for each in slurm.written(plan)}
    shares = [(*each.path, "fair_share") for each in plan.slurm.accounts if each.fair_share > 1]
    priorities = [(*each.path, "priority") for each in plan.slurm.qos if each.priority]
    for paths, weight in ((shares, "PriorityWeightFairshare"), (priorities, "PriorityWeightQOS")):
        if paths and weight.lower() not in written:
            yield Problem(
                paths[0],
                f"{paths[0][-1]} changes the order of no jobs: {weight} is 0",
                help=f"add slurm.settings: {{{weight}: 10000}}",
                fix=unsafe(put(("slurm", "settings", weight), 10000)),
            )


@warning(
    "SLM025",
    "Qualities of service that Slurm does not enforce",
    why="Slurm checks who may use a quality of service only if AccountingStorageEnforce contains "
    "qos. Without it, all users can submit jobs with all of them, even those that preempt others.",
    source=f"{_SLURM_CONF}#OPT_AccountingStorageEnforce",
    bad="""slurm:
  accounting: managed
  accounts: [{name: robots, qos: [low]}]
  qos: [{name: low}, {name: high}]
  settings: {AccountingStorageEnforce: "associations,limits"}""",
)
def open_to_all(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None or not plan.creates_cluster:
        return
    every = {each.name for each in plan.slurm.qos}
    limited = [each for each in plan.slurm.accounts if each.qos and {*each.qos} < every]
    if limited and not accounts.enforced(plan) & {"qos", "all"}:
        setting, value = "AccountingStorageEnforce", "associations,limits,qos"
        yield Problem(
            (*limited[0].path, "qos"),
            "users of every account can submit jobs with every quality of service",
            help=f"add slurm.settings: {{{setting}: {value}}}",
            fix=unsafe(put(("slurm", "settings", setting), value)),
        )


@warning(
    "SLM024",
    "Quality of service of a queue before it exists",
    why="slurmctld does not start if a partition has a quality of service that the database does "
    "not have. The bundle creates those of `slurm.qos` once slurmctld runs: a new cluster fails.",
    source="https://slurm.schedmd.com/qos.html#partition",
    bad="""slurm: {accounting: managed, qos: [{name: high}]}
login: {}
queues: [{name: train, node_groups: [h200], slurm: {QOS: high}}]""",
    good="""slurm: {accounting: managed, qos: [{name: high}]}
login: {}
queues: [{name: train, node_groups: [h200], slurm: {AllowQoS: high}}]""",
)
def early_qos(plan: Plan) -> Iterator[Problem]:
    """HyperPod's controller runs before its partitions get settings, and these are tried again."""
    if plan.limits.slurm_settings is None or plan.sagemaker or not plan.creates_cluster:
        return
    for each in slurm.written(plan) if plan.slurm.accounting != "off" else ():
        if (each.scope, each.key) == ("partition", "qos") and each.value.lower() != "normal":
            yield Problem(
                each.path,
                f"slurmctld does not start before the quality of service {each.value} exists",
                help="deploy a new cluster without it, and add it in a second deployment",
            )


@warning(
    "SLM021",
    "Database in another region",
    why="Every change of a job is written to the database, and the host of another region is "
    "reached only where the networks are connected.",
    source="https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Aurora.Endpoints.Cluster.html",
    target="parallelcluster",
    bad=_AURORA.format("us-west-2"),
    good=_AURORA.format("us-east-1"),
)
def database_region(plan: Plan) -> Iterator[Problem]:
    database = plan.slurm.accounting
    if not plan.limits.accounting_database or not isinstance(database, Database):
        return
    found = re.search(r"\.([a-z0-9-]+)\.rds\.amazonaws\.com", database.endpoint)
    if found and found[1] != plan.region:
        yield Problem(
            ("slurm", "accounting", "endpoint"),
            f"the database is in {found[1]}, the cluster in {plan.region}",
            help=f"name a database of {plan.region}",
        )


_ZOE = (
    "login: {{}}\nusers: [{{name: alice, uid: 2001}}]\nslurm: {{accounting: managed, "
    "accounts: [{{name: vision, users: [{}]}}]}}"
)


@warning(
    "SLM022",
    "Member of an account who is not a user of the cluster",
    why="Slurm takes any name as a member. The user who was meant cannot submit jobs in the "
    "account, and nothing reports the name.",
    source="https://slurm.schedmd.com/accounting.html",
    bad=_ZOE.format("alise"),
    good=_ZOE.format("alice"),
)
def unknown_member(plan: Plan) -> Iterator[Problem]:
    """Where the spec has the users: those of a directory or of images are not known."""
    if plan.limits.slurm_settings is None or getattr(plan.options, "directory", None):
        return
    users = [user.name for user in plan.users]
    known = {*users, accounts.image_user(plan), "root"}
    for account in plan.slurm.accounts if users else ():
        for index, name in enumerate(account.users):
            if name not in known:
                near = difflib.get_close_matches(name, users, n=1)
                yield Problem(
                    (*account.path, "users", index),
                    f"{name} is not in users",
                    help=f"did you mean {near[0]}?" if near else "add it to users, or remove it",
                )
