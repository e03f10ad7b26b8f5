"""The policy: what the checks call, no more, and nothing that changes or reveals anything."""

import json
from pathlib import Path

import pytest

from clustergen import targets
from clustergen.base import account
from clustergen.base.text_lists import word_set
from clustergen.checking import preflight
from clustergen.checking.preflight.case import Case
from clustergen.cli import main
from tests.checking.preflight.account import Account
from tests.checking.preflight.test_accounts import NOW, look
from tests.checking.preflight.test_rules import BASE, PC, RULES, SPECS, planned
from tests.support import service_models

READS = ("Describe", "Get", "List", "Head")
REVEALS = {"secretsmanager:GetSecretValue", "s3:GetObject", "ssm:GetParameter", "kms:Decrypt"}


def actions(policy: object) -> list[str]:
    (statement,) = policy["Statement"]  # type: ignore[index]
    found: list[str] = statement["Action"]
    return found


def test_every_action_only_reads() -> None:
    found = actions(preflight.policy())
    assert found == sorted(set(found))
    assert all(action.partition(":")[2].startswith(READS) for action in found)
    assert REVEALS.isdisjoint(found)


def test_every_call_is_one_of_the_service() -> None:
    for rule in RULES.values():
        for call in rule.calls:
            service, _, operation = call.partition(":")
            assert operation in service_models.model(service).operation_names


def test_every_declared_call_is_made_for_some_spec() -> None:
    made: set[str] = set()
    for spec in {PC, *SPECS.values()}:
        plan = planned(spec)
        asked = Account(plan)
        look(plan, asked)
        made |= set(asked.calls)
    declared = {call for rule in RULES.values() for call in rule.calls}
    assert made <= declared | {"sts:GetCallerIdentity"}
    assert declared - made <= RARE


RARE = word_set("""
    amp:DescribeWorkspace batch:DescribeJobQueues cloudformation:GetTemplateSummary
    ec2:DescribeSnapshots ec2:DescribeVpcEndpoints eks:DescribeCluster eks:ListNodegroups
    fsx:DescribeFileCaches iam:GetInstanceProfile iam:GetUser resource-groups:ListGroupResources
    sagemaker:DescribeTrainingPlan service-quotas:GetAWSDefaultServiceQuota
""")
"""Calls for other specs and answers: tests/checking/preflight/test_cases.py makes them."""


def test_a_call_that_is_not_declared_fails() -> None:
    plan = planned(BASE)
    asked = preflight.Account(plan.region, Account(plan).clients)
    case = Case(plan, targets.load("pcs").traits, asked, NOW, ())
    with pytest.raises(AssertionError, match="DescribeAvailabilityZones is not among"):
        list(RULES["PRE010"].find(case))


def test_the_command_prints_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["preflight", "--policy"]) == 0
    everything = actions(json.loads(capsys.readouterr().out))
    Path("spec.yaml").write_text(BASE.text)
    assert main(["preflight", "--policy", "spec.yaml", "--target", "pcs"]) == 0
    some = actions(json.loads(capsys.readouterr().out))
    assert set(some) < set(everything)
    assert "sts:GetCallerIdentity" in some
    assert "ec2:DescribeImages" not in some


def test_actions_have_the_names_of_iam() -> None:
    assert account.action("efs:DescribeMountTargets") == "elasticfilesystem:DescribeMountTargets"
    assert account.action("s3:HeadBucket") == "s3:ListBucket"
    assert account.action("amp:DescribeWorkspace") == "aps:DescribeWorkspace"
