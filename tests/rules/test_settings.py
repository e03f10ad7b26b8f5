"""Slurm's settings: what clustergen says of a value is what real Slurm does with it."""

from __future__ import annotations

import pytest

from clustergen.findings import Problem
from clustergen.plan import slurm_settings
from clustergen.plan.limits import SlurmSettings
from clustergen.plan.slurm import Setting
from clustergen.plan.slurm_settings import Service
from tests.oracles.slurm.verdicts import VERSIONS, Verdict, verdicts

VERDICTS = verdicts()


def errors(verdict: Verdict, version: str) -> list[Problem]:
    service = Service("Slurm", SlurmSettings(source=""), version, database=False)
    setting = Setting(("slurm",), verdict.scope, verdict.name, verdict.value)
    found = [check(setting, service) for check in slurm_settings.CHECKS]
    return [problem for problem in found if problem and problem.severity is None]


@pytest.mark.parametrize(
    "verdict", VERDICTS, ids=[f"{each.scope} {each.name}={each.value}" for each in VERDICTS]
)
def test_what_slurm_refuses_is_an_error_and_nothing_else_is(verdict: Verdict) -> None:
    ours = tuple(bool(errors(verdict, version)) for version in VERSIONS)
    assert ours == verdict.refused


def test_the_table_has_both_kinds() -> None:
    refused = sum(any(each.refused) for each in VERDICTS)
    assert refused > 80
    assert len(VERDICTS) - refused > 80
