"""Slurm's settings: what clustergen says of a value is what real Slurm does with it."""

import pytest

from clustergen.base.findings import Problem, Severity
from clustergen.plan import slurm_settings
from clustergen.plan.limits import SlurmSettings
from clustergen.plan.slurm import Setting
from clustergen.plan.slurm_settings import Service
from tests.support.checking import Fragments
from tests.validators.slurm.verdicts import VERSIONS, Verdict, verdicts

VERDICTS = verdicts()


def errors(verdict: Verdict, version: str) -> list[Problem]:
    service = Service("Slurm", SlurmSettings(source=""), version, database=False)
    setting = Setting(("slurm",), verdict.scope, verdict.name, verdict.value)
    found = [check(setting, service) for check in slurm_settings.CHECKS]
    return [problem for problem in found if problem and problem.severity is None]


@pytest.mark.parametrize(
    "verdict", VERDICTS, ids=[f"{each.scope} {each.name}={each.value}" for each in VERDICTS]
)
def test_only_what_slurm_rejects_is_an_error(verdict: Verdict) -> None:
    ours = tuple(bool(errors(verdict, version)) for version in VERSIONS)
    assert ours == verdict.rejected


def test_the_table_has_valid_and_invalid_values() -> None:
    rejected = sum(any(each.rejected) for each in VERDICTS)
    assert rejected > 80
    assert len(VERDICTS) - rejected > 80


PC, PCS, HP = "parallelcluster", "pcs", "hyperpod-slurm"
ERROR, WARNING = Severity.ERROR, Severity.WARNING
QUEUE = "queues: [{name: q, node_groups: [h200], %s}]"
SETTINGS = "slurm: {settings: {%s}}"
CASES = [
    # Names and values, wherever they are written.
    (PC, "slurm: {settings: {PriorityWeigthFairshare: 1}}", "SLM004", ERROR),
    (HP, "slurm: {cgroup_settings: {ConstrainRAM: true}}", "SLM004", ERROR),
    (PC, "queues: [{name: q, node_groups: [h200], slurm: {GraceTyme: 5}}]", "SLM004", ERROR),
    (PC, "slurm: {settings: {JobRequeue: true}}", "SLM005", ERROR),
    (PCS, "node_groups: [{name: h200, slurm: {Weight: ten}}]", "SLM005", ERROR),
    (HP, "slurm: {settings: {PrologFlags: Serail}}", "SLM005", ERROR),
    (PCS, "slurm: {settings: {SchedulerParameters: bf_windw=9}}", "SLM006", WARNING),
    (PC, "slurm: {settings: {SelectType: select/cons_res}}", "SLM005", ERROR),
    (HP, "slurm: {settings: {MetricsType: metrics/openmetrics}}", "SLM007", WARNING),
    (PC, "slurm: {settings: {AccountingStorageLoc: x}}", "SLM007", ERROR),
    # A line end would add a line of the user's to the file.
    (PC, 'slurm: {settings: {PrivateData: "jobs\\nProlog=/x"}}', "SLM008", ERROR),
    (PCS, 'slurm: {settings: {Licenses: "a:1\\nProlog=/x"}}', "SLM008", ERROR),
    (PC, 'queues: [{name: q, node_groups: [h200], slurm: {QOS: "a\\nb"}}]', "SLM008", ERROR),
    # What settings need.
    (PC, "slurm: {settings: {AccountingStorageEnforce: limits}}", "SLM011", WARNING),
    (PCS, "slurm: {settings: {AccountingStorageTRES: gres/gpu}}", "SLM011", ERROR),
    (PC, "queues: [{name: q, node_groups: [h200], slurm: {QOS: high}}]", "SLM011", ERROR),
    (PC, "slurm: {settings: {PreemptMode: REQUEUE}}", "SLM012", ERROR),
    (PC, "slurm: {settings: {PreemptType: preempt/partition_prio}}", "SLM012", ERROR),
    (PCS, "queues: [{name: que, node_groups: [h200], time_limit: 0s}]", "SLM013", WARNING),
    (PC, QUEUE % "time_limit: 1d, slurm: {DefaultTime: 2-0}", "SLM013", WARNING),
    (HP, "slurm: {cgroup_settings: {ConstrainDevices: true}}", "SLM015", WARNING),
    (PC, "slurm: {settings: {MinJobAge: 60, minjobage: 90}}", "SLM010", ERROR),
    (PC, QUEUE % "default: true, slurm: {Default: 'YES'}", "SLM010", ERROR),
    # What has to be there when slurmctld starts.
    (PC, "slurm: {settings: {JobSubmitPlugins: 'throttle,lua'}}", "SLM026", WARNING),
    (HP, "slurm: {settings: {PrologSlurmctld: /opt/prolog.sh}}", "SLM026", WARNING),
    (PC, "slurm: {settings: {TopologyPlugin: topology/tree}}", "SLM026", WARNING),
    (PC, "slurm: {settings: {JobCompType: jobcomp/script}}", "SLM027", ERROR),
    (HP, "slurm: {settings: {MCSParameters: 'select:research'}}", "SLM027", ERROR),
    (PC, SETTINGS % "JobContainerType: job_container/tmpfs, PrologFlags: Alloc", "SLM027", ERROR),
]


@pytest.mark.parametrize(("target", "fragment", "code", "severity"), CASES)
def test_found(target: str, fragment: str, code: str, severity: Severity) -> None:
    found = [f for f in Fragments(target).checked(fragment).findings if f.code == code]
    assert [f.severity for f in found] == [severity]
    assert found[0].help


QUIET = [
    # A key with the value of its field.
    (PC, QUEUE % "time_limit: 1d, slurm: {MaxTime: 1-00:00:00}"),
    (PC, "slurm: {settings: {priorityweightage: 10, PrologFlags: 'alloc,contain'}}"),
    (PC, "slurm: {settings: {SchedulerParameters: 'bf_window=4320,defer'}}"),
    (PCS, "slurm: {accounting: managed, settings: {PriorityWeightTRES: GRES/gpu=1000}}"),
    (HP, "slurm: {settings: {LaunchParameters: use_interactive_step}}"),
    (PC, "slurm: {settings: {CliFilterPlugins: lua, MCSPlugin: mcs/user}}"),
    (
        PC,
        "slurm: {settings: {JobSubmitPlugins: lua}}\n"
        "software: {scripts: [{run: 's3://my-bucket/a.sh', when: start}]}",
    ),
    (PC, "slurm: {settings: {JobContainerType: job_container/tmpfs, PrologFlags: contain}}"),
]


@pytest.mark.parametrize(("target", "fragment"), QUIET)
def test_nothing_is_found(target: str, fragment: str) -> None:
    found = Fragments(target).checked(fragment).findings
    assert [f for f in found if f.code.startswith("SLM")] == []
