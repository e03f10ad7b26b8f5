"""Job records and the settings of their database."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import Plan
from clustergen.services.slurm import accounts
from clustergen.spec.quantities import format_duration
from clustergen.targets.pcs import limits
from clustergen.targets.pcs.options import Options
from clustergen.targets.pcs.rules import rule, warning

_PURGE = ("targets", "pcs", "purge_accounting")


@rule(
    "SLM207",
    "Job records cannot be kept for this time",
    why="PCS purges records after a whole number of days, at least one.",
    source=limits.CREATE_CLUSTER,
    bad="slurm: {accounting: managed}\ntargets: {pcs: {purge_accounting: 12h}}",
)
def purge_time(plan: Plan) -> Iterator[Problem]:
    seconds = plan.options_as(Options).purge_accounting
    if seconds is None:
        return
    days, rest = divmod(seconds, limits.SECONDS_PER_DAY)
    lowest, highest = limits.PURGE_DAYS
    if rest or not lowest <= days <= highest:
        nearest = min(max(days + bool(rest), lowest), highest)
        yield Problem(
            _PURGE,
            f"{format_duration(seconds)} is not {lowest} to {highest:,} whole days",
            help=f"write {nearest}d",
            fix=unsafe(put(_PURGE, f"{nearest}d")),
        )


@warning(
    "SLM208",
    "Accounting setting without accounting",
    why="The setting is about the database of job records, which this cluster does not have.",
    source=f"{limits.USER_GUIDE}slurm-accounting.html",
    bad="slurm: {slurmdbd_settings: {PurgeJobAfter: 12month}}",
)
def no_accounting(plan: Plan) -> Iterator[Problem]:
    if plan.slurm.accounting != "off" or not plan.creates_cluster:
        return
    for path, given in (
        (_PURGE, plan.options_as(Options).purge_accounting),
        (("slurm", "slurmdbd_settings"), plan.slurm.slurmdbd_settings),
    ):
        if given:
            yield Problem(
                path,
                f"{path[-1]} without accounting",
                help="write slurm.accounting: managed",
                fix=unsafe(put(("slurm", "accounting"), "managed")),
            )


@warning(
    "SLM215",
    "Accounts that you have to create",
    why="Slurm refuses the jobs of users without an account. clustergen creates accounts on a "
    "login node, because compute nodes do not run all the time.",
    source=f"{limits.USER_GUIDE}slurm-accounting.html",
    bad="slurm: {accounting: managed, settings: {AccountingStorageEnforce: limits}}",
)
def accounts_not_created(plan: Plan) -> Iterator[Problem]:
    if plan.login is None and accounts.needed(plan) and plan.creates_cluster:
        place = ("slurm", "accounts") if plan.slurm.accounts else ("slurm", "accounting")
        yield Problem(
            place,
            "no job runs until root has run scripts/accounts.sh accounts.tsv, in a copy of the "
            "bundle on a node",
            help="add login to the spec, and it runs there automatically",
            fix=unsafe(put(("login",), {})),
        )
