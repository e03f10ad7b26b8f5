"""The user's database for job records."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.findings import Problem, Severity, drop, put, unsafe
from clustergen.plan import slurm
from clustergen.plan.model import Database, Plan
from clustergen.plan.slurm import Setting
from clustergen.rules.services import rule

_SLURM_CONF = "https://slurm.schedmd.com/slurm.conf.html"

_DATABASE = "slurm: {{accounting: {{endpoint: db.example.com, secret: '{}'}}}}"


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
    limit, database = plan.limits.secret, plan.slurm.accounting
    if limit is None or not isinstance(database, Database):
        return
    pattern = f"arn:{plan.partition}:secretsmanager:{plan.region}:[0-9]{{12}}:secret:.+"
    if not re.fullmatch(pattern, database.secret):
        yield Problem(
            ("slurm", "accounting", "secret"),
            f"{database.secret} is not a secret of Secrets Manager in {plan.region}",
            help=f"write arn:{plan.partition}:secretsmanager:{plan.region}:ACCOUNT:secret:NAME",
            source=limit.source,
        )


@rule(
    "SLM011",
    "Setting that needs accounting",
    fixes="unsafe",
    why="Limits, shares and qualities of service are in the accounting database. Without one, "
    "slurmctld does not start with some of these settings, and ignores the others.",
    source="https://slurm.schedmd.com/accounting.html",
    target="pcs",
    bad="slurm: {settings: {AccountingStorageTRES: gres/gpu}}",
    good="slurm: {accounting: managed, settings: {AccountingStorageTRES: gres/gpu}}",
)
def without_accounting(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None or plan.slurm.accounting != "off":
        return
    for setting in slurm.written(plan):
        if found := _without_accounting(setting):
            what, severity = found
            yield Problem(
                setting.path,
                f"{setting.name} needs accounting, which is off: {what}",
                help="turn slurm.accounting on, or remove the setting",
                fix=unsafe(drop(setting.path)),
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
    fixes="unsafe",
    why="Accounts and qualities of service are in the accounting database.",
    source="https://slurm.schedmd.com/accounting.html",
    target="pcs",
    bad="slurm: {accounts: [{name: vision}]}",
    good="slurm: {accounting: managed, accounts: [{name: vision}]}\nlogin: {}",
)
def accounts_without_accounting(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None or plan.slurm.accounting != "off":
        return
    for field in ("accounts", "qos"):
        if getattr(plan.slurm, field):
            yield Problem(
                ("slurm", field),
                f"slurm.{field} needs accounting, which is off",
                help="turn slurm.accounting on, or remove it",
                fix=unsafe(drop(("slurm", field))),
                on_key=True,
            )


@rule(
    "SLM019",
    "Quality of service that cannot preempt",
    fixes="unsafe",
    why="Jobs preempt others by their quality of service only with PreemptType=preempt/qos.",
    source="https://slurm.schedmd.com/preempt.html",
    target="pcs",
    severity=Severity.WARNING,
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


@rule(
    "SLM021",
    "Database in another region",
    why="Every change of a job is written to the database, and the host of another region is "
    "reached only where the networks are connected.",
    source="https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Aurora.Endpoints.Cluster.html",
    target="parallelcluster",
    severity=Severity.WARNING,
    bad="""slurm:
  accounting:
    endpoint: slurm.cluster-abcdefghijkl.us-west-2.rds.amazonaws.com
    secret: arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3""",
    good="""slurm:
  accounting:
    endpoint: slurm.cluster-abcdefghijkl.us-east-1.rds.amazonaws.com
    secret: arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3""",
)
def database_region(plan: Plan) -> Iterator[Problem]:
    database = plan.slurm.accounting
    if plan.limits.secret is None or not isinstance(database, Database):
        return
    found = re.search(r"\.([a-z0-9-]+)\.rds\.amazonaws\.com", database.endpoint)
    if found and found[1] != plan.region:
        yield Problem(
            ("slurm", "accounting", "endpoint"),
            f"the database is in {found[1]}, the cluster in {plan.region}",
            help=f"name a database of {plan.region}",
        )
