"""Where AWS does not answer, a finding says what was not checked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clustergen import targets
from clustergen.base import account
from clustergen.base.findings import Finding
from clustergen.checking import preflight
from clustergen.cli import main
from tests.checking.preflight.account import Account, error
from tests.checking.preflight.test_accounts import NOW
from tests.checking.preflight.test_rules import BASE, EXISTING, PC, planned, seen
from tests.commands.test_no_secret_leaves import leaked
from tests.support.planted import Planted

IDENTITY = "sts:GetCallerIdentity"
SUBNETS = "ec2:DescribeSubnets"


def found(wrong: dict[str, Any]) -> list[Finding]:
    return seen(PC, wrong)


def codes(findings: list[Finding]) -> list[str]:
    return [finding.code for finding in findings]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({IDENTITY: "ExpiredToken"}, "PRE001"),
        ({IDENTITY: "InvalidClientTokenId"}, "PRE001"),
        ({SUBNETS: "AuthFailure"}, "PRE001"),
        ({SUBNETS: "RequestExpired"}, "PRE001"),
        ({SUBNETS: "UnauthorizedOperation"}, "PRE004"),
        ({"fsx:DescribeFileSystems": "AccessDeniedException"}, "PRE004"),
        ({"s3:HeadBucket": "403"}, "PRE004"),
        ({SUBNETS: "RequestLimitExceeded"}, "PRE005"),
        ({"service-quotas:GetServiceQuota": "TooManyRequestsException"}, "PRE005"),
        ({"iam:GetRole": "Throttling"}, "PRE005"),
        ({SUBNETS: "InternalError"}, "PRE006"),
    ],
)
def test_a_refusal_is_one_finding(wrong: dict[str, Any], code: str) -> None:
    assert codes(found(wrong)) == [code]


def test_checks_without_an_answer_are_named_and_the_others_run() -> None:
    wrong = {SUBNETS: "UnauthorizedOperation", "ec2:DescribeImages": {"State": "disabled"}}
    image, denied = found(wrong)
    assert image.code == "PRE055"
    assert "The subnet has too few free addresses" in denied.message
    assert "the policy needs ec2:DescribeSubnets" in denied.message
    assert "--policy" in denied.help


def test_without_permission_for_identity_the_checks_run() -> None:
    assert found({IDENTITY: "AccessDenied"})[0].code == "PRE004"


def test_an_answer_in_another_form_is_not_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stub would reject it, but a service may change."""
    monkeypatch.setattr("tests.checking.preflight.account._validate", lambda *_: None)
    (finding,) = found({"ec2:DescribeImages": [{"Id": "ami-1"}]})
    assert finding.code == "PRE006"
    assert "not understood: KeyError('ImageId')" in finding.message


def _raises(name: str, **arguments: Any) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        import botocore.exceptions

        raise getattr(botocore.exceptions, name)(**arguments)

    return call


@pytest.mark.parametrize(
    ("error", "arguments", "code"),
    [
        ("NoCredentialsError", {}, "PRE001"),
        ("ProfileNotFound", {"profile": "work"}, "PRE001"),
        ("UnauthorizedSSOTokenError", {}, "PRE001"),
        ("CredentialRetrievalError", {"provider": "p", "error_msg": "e"}, "PRE001"),
        ("EndpointConnectionError", {"endpoint_url": "https://ec2"}, "PRE002"),
        ("ConnectTimeoutError", {"endpoint_url": "https://ec2"}, "PRE002"),
        ("ReadTimeoutError", {"endpoint_url": "https://ec2"}, "PRE002"),
        ("SSLError", {"endpoint_url": "https://ec2", "error": "e"}, "PRE002"),
        ("ProxyConnectionError", {"proxy_url": "http://proxy"}, "PRE002"),
    ],
)
def test_no_credentials_and_no_network(error: str, arguments: dict[str, Any], code: str) -> None:
    """One finding, and no further call."""
    plan, refuse = planned(BASE), _raises(error, **arguments)
    client = type("Client", (), {"get_caller_identity": refuse})
    asked = preflight.Account(plan.region, lambda *_: client())
    (finding,) = preflight.run(plan, targets.load("pcs").traits, asked, NOW, lambda *_: None)
    assert (finding.code, finding.could_not) == (code, True)


def test_without_botocore(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "botocore.config", None)
    plan = planned(BASE)
    asked = preflight.Account(plan.region, account.clients)
    (finding,) = preflight.run(plan, targets.load("pcs").traits, asked, NOW, lambda *_: None)
    assert finding.code == "PRE003"
    assert "pip install botocore" in finding.help


def test_clients_try_calls_a_few_times() -> None:
    client = account.clients("sts", "us-east-1")
    assert client.meta.config.retries["total_max_attempts"] == account.ATTEMPTS
    assert client.meta.config.connect_timeout == account.CONNECT_SECONDS


# -- the command --------------------------------------------------------------------------------


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "spec.yaml"
    path.write_text(EXISTING)
    return path


def use(monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any]) -> None:
    asked = Account(planned(PC), wrong)
    monkeypatch.setattr(account, "clients", asked.clients)


@pytest.mark.parametrize(
    ("wrong", "arguments", "status"),
    [
        ({}, [], 0),
        ({"ec2:DescribeImages": {"State": "disabled"}}, [], 1),
        ({SUBNETS: "UnauthorizedOperation"}, [], 0),
        ({SUBNETS: "UnauthorizedOperation"}, ["--strict"], 1),
        ({SUBNETS: "UnauthorizedOperation"}, ["--strict", "--ignore", "PRE004"], 0),
        ({IDENTITY: "ExpiredToken"}, [], 2),
        ({}, ["--target", "pcs"], 1),
    ],
)
def test_the_exit_status(
    spec: Path,
    monkeypatch: pytest.MonkeyPatch,
    wrong: dict[str, Any],
    arguments: list[str],
    status: int,
) -> None:
    use(monkeypatch, wrong)
    assert main(["preflight", str(spec), *arguments]) == status


def test_findings_have_positions_and_every_form(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, {"ec2:DescribeImages": {"State": "disabled"}})
    for form in ("text", "concise", "json", "sarif", "github", "gitlab", "markdown"):
        assert main(["preflight", str(spec), "--output", form]) == 1
        out = capsys.readouterr().out
        assert "PRE055" in out
        assert "spec.yaml" in out
    assert main(["preflight", spec.name, "--output", "concise"]) == 1
    assert capsys.readouterr().out.startswith("spec.yaml:17:12: error[PRE055]")


def test_what_aws_answers_is_shown_without_secrets(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A secret in each answer, and in the reason why there is none."""
    planted = Planted(2)
    said = set()
    for call, wrong in (
        (IDENTITY, None),
        (SUBNETS, None),
        ("ec2:DescribeImages", None),
        ("ec2:DescribeImages", "State"),
        (SUBNETS, "VpcId"),
        (SUBNETS, "AvailabilityZoneId"),
    ):
        secret = json.loads(planted.kind())
        broken = error("InternalError", "", f"the password={planted.named()} of {secret} is wrong")
        use(monkeypatch, {call: {wrong: secret} if wrong else broken})
        for form in ("text", "json", "sarif", "github", "gitlab", "markdown", "concise"):
            main(["preflight", str(spec), "--output", form])
            said.add("".join(capsys.readouterr()))
    assert leaked("".join(said), planted.parts) == []
    assert "***" in "".join(said)


def test_a_comment_ignores_a_warning(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = {"ec2:DescribeImages": {"DeprecationTime": "2020-01-01T00:00:00.000Z"}}
    use(monkeypatch, old)
    assert main(["preflight", str(spec), "--strict"]) == 1
    image = "image: ami-0a1b2c3d4e5f60005"
    comment = "  # clustergen: ignore[PRE058] because we copied it"
    spec.write_text(EXISTING.replace(image, image + comment))
    assert main(["preflight", str(spec), "--strict"]) == 0
    capsys.readouterr()
    main(["check", str(spec)])
    assert "no PRE058 to ignore" not in capsys.readouterr().out


def test_errors_of_the_spec_come_first(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, {})
    spec.write_text(EXISTING.replace("count: 4", "count: four"))
    assert main(["preflight", str(spec)]) == 1
    assert "SPC" in capsys.readouterr().out


def test_a_target_is_needed(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec.write_text(BASE.text)
    assert main(["preflight", str(spec)]) == 2
    assert "--target" in capsys.readouterr().err
