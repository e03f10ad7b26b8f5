"""``clustergen diff --live``: what was changed outside the stacks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from clustergen.analysis.diff import Diff, compare, render
from clustergen.analysis.diff.drift import Drifted
from clustergen.analysis.diff.live import Live
from clustergen.base import account
from clustergen.cli import main
from tests.analysis.diff.test_live import MISSING, PCS, SPEC, Answer, Client, running, spec, target
from tests.support.tables import flow

__all__ = ["target"]

FOUNDATION = "small-foundation"
GROWN = flow("""
LogicalResourceId: StorageWork
ResourceType: AWS::FSx::FileSystem
StackResourceDriftStatus: MODIFIED
PropertyDifferences: [{PropertyPath: /StorageCapacity, ExpectedValue: '4800', ActualValue: '7200',
  DifferenceType: NOT_EQUAL}]
""")
GONE = {
    "LogicalResourceId": "NatGateway",
    "ResourceType": "AWS::EC2::NatGateway",
    "StackResourceDriftStatus": "DELETED",
}
ALWAYS = {"StackId": FOUNDATION, "Timestamp": "2026-11-20T00:00:00Z"}


@dataclass
class Account:
    """A deployed bundle with changes made by hand: one page for each, and a slow detection."""

    target: str
    changes: Sequence[Mapping[str, Any]] = ()
    status: str = "DETECTION_COMPLETE"
    denied: bool = False
    waited: list[float] = field(default_factory=list)
    text: str = SPEC

    def __call__(self, service: str, operation: str, arguments: Mapping[str, Any]) -> Answer:
        match operation:
            case "detect_stack_drift" if self.denied:
                return ("AccessDenied", "no")
            case "detect_stack_drift" if arguments["StackName"] != FOUNDATION:
                return MISSING
            case "detect_stack_drift":
                return {"StackDriftDetectionId": "a-detection"}
            case "describe_stack_drift_detection_status":
                status = self.status if self.waited else "DETECTION_IN_PROGRESS"
                reason = {"DetectionStatusReason": "no permission to read StorageWork"}
                known = {**ALWAYS, "StackDriftDetectionId": "a-detection"}
                return {**known, **reason, "DetectionStatus": status}
            case "describe_stack_resource_drifts":
                return self._page(int(arguments.get("NextToken", 0)))
        answer: Answer = running(self.target, self.text)(service, operation, arguments)
        return answer

    def _page(self, number: int) -> Answer:
        found = [{**ALWAYS, **each} for each in self.changes[number : number + 1]]
        last = number + 1 >= len(self.changes)
        return {"StackResourceDrifts": found} | ({} if last else {"NextToken": str(number + 1)})

    def difference(self, text: str = SPEC) -> Diff:
        new = spec(text, self.target)
        live = Live(new, lambda service, _: Client(service, self), wait=self.waited.append)
        found = compare(live, new, self.target)
        assert found
        return found


@pytest.mark.sampled(3)
def test_a_change_by_hand_is_drift_and_no_effect(target: str) -> None:
    """CloudFormation compares templates: a deployment of the same spec leaves it."""
    account = Account(target, [GROWN, GONE])
    found = account.difference()
    assert (found.kind, account.waited) == ("none", [5])
    assert found.drift
    assert found.drift.found == (
        Drifted(
            FOUNDATION, "StorageWork", "AWS::FSx::FileSystem", "StorageCapacity", "4800", "7200"
        ),
        Drifted(FOUNDATION, "NatGateway", "AWS::EC2::NatGateway", "", "", ""),
    )


def test_without_drift_nothing_is_printed() -> None:
    text = render("text", [Account(PCS).difference()])
    assert text == "pcs: none (nothing that runs changes)\n"


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_forms(form: str) -> None:
    text = " ".join(render(form, [Account(PCS, [GROWN, GONE]).difference()]).split())
    assert "Changed outside the stacks" in text
    assert "- StorageWork: StorageCapacity is 7200, and 4800 in the template" in text
    assert "- NatGateway was deleted" in text
    assert "Not known" not in text


def test_json() -> None:
    [found] = json.loads(render("json", [Account(PCS, [GROWN]).difference()]))["differences"]
    assert found["drift"] == [
        {
            "stack": FOUNDATION,
            "resource": "StorageWork",
            "type": "AWS::FSx::FileSystem",
            "property": "StorageCapacity",
            "expected": "4800",
            "actual": "7200",
        }
    ]


def test_what_cloudformation_cannot_read_is_named() -> None:
    """Results of other resources are there."""
    found = Account(PCS, [GONE], status="DETECTION_FAILED").difference()
    text = " ".join(render("text", [found]).split())
    assert "NatGateway was deleted" in text
    assert "Not known: drift of small-foundation: no permission to read StorageWork" in text


def test_a_missing_permission_does_not_hide_effects() -> None:
    grown = SPEC.replace("4800GiB", "7200GiB")
    found = Account(PCS, denied=True).difference(grown)
    assert found.kind == "in-place"
    text = " ".join(render("text", [found]).split())
    assert "drift of small-foundation: AccessDenied: no; the policy needs" in text
    assert "cloudformation:DetectStackDrift" in text


def test_drift_fails_on_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"{SPEC}targets: {{pcs: {{}}}}\n"
    Path("spec.yaml").write_text(text)
    for changes, statuses in (([GROWN], (1, 0)), ([], (0, 0))):
        made = Account(PCS, changes, waited=[5], text=text)
        monkeypatch.setattr(account, "clients", lambda service, _, made=made: Client(service, made))
        for level, status in zip(("any", "leftover"), statuses, strict=True):
            assert main(["diff", "--live", "spec.yaml", "--fail-on", level]) == status
            capsys.readouterr()
