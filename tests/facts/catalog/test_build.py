"""The committed data is what the build makes of its sources."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clustergen.facts.catalog import rows
from clustergen.facts.catalog.lookup import DATA
from tests.support.tables import flow
from tools.catalog import build, survey


def test_committed_data_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--check"]) == 0, capsys.readouterr().out


def test_check_sees_a_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in DATA.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes().replace(b"use1-dfw2-az1", b""))
    monkeypatch.setattr(build, "DATA", tmp_path)
    (tmp_path / "corrections.json").write_bytes((DATA / "corrections.json").read_bytes())
    assert build.main(["--check"]) == 1
    assert "instances.jsonl is not what would be built" in capsys.readouterr().out


def answer(name: str, **more: Any) -> dict[str, Any]:
    """A DescribeInstanceTypes answer, as small as the build takes it."""
    card = {
        "NetworkCardIndex": 0,
        "MaximumNetworkInterfaces": 4,
        "InterfaceTypes": ["interface", "efa", "efa-only"],
    }
    return {
        "InstanceType": name,
        "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
        "VCpuInfo": {"DefaultVCpus": 8, "DefaultCores": 4, "DefaultThreadsPerCore": 2},
        "MemoryInfo": {"SizeInMiB": 16384},
        "NetworkInfo": {
            "NetworkPerformance": "4x 100 Gigabit",
            "Ipv4AddressesPerInterface": 50,
            "EfaInfo": {"MaximumEfaInterfaces": 1},
            "NetworkCards": [card],
        },
        "SupportedUsageClasses": ["capacity-block", "on-demand", "spot"],
        "PlacementGroupInfo": {"SupportedStrategies": ["cluster", "partition", "spread"]},
        "SupportedBootModes": ["legacy-bios", "uefi"],
        "BareMetal": False,
        "BurstablePerformanceSupported": False,
        "CurrentGeneration": True,
    } | more


def built(*answers: dict[str, Any]) -> dict[str, rows.Row]:
    offerings = {"us-east-1": {"use1-az2": frozenset(found["InstanceType"] for found in answers)}}
    facts = {found["InstanceType"]: found for found in answers}
    files = build.build(survey.Survey(facts, offerings, "a test", "2026-01-01"))
    lines = files["instances.jsonl"].splitlines()
    return {row["name"]: row for row in map(json.loads, lines)}


def test_a_new_type_needs_no_code() -> None:
    assert built(answer("p9.48xlarge"))["p9.48xlarge"] == flow("""
        {name: p9.48xlarge, vcpus: 8, valid_tpc: [2], mem: 16384, gbps: 400.0, cards: 1x4ieo,
          efa: 1, usage: [on-demand, spot, capacity-block], zones: '2'}
    """)


def test_missing_facts_of_ec2_are_added() -> None:
    assert built(answer("p9.48xlarge"))["p6e-gb200.36xlarge"]["gbps"] == 1600


def test_wrong_facts_of_ec2_are_corrected() -> None:
    device = {"Count": 1, "Name": "Trainium2", "MemoryInfo": {"SizeInMiB": 524288}}
    row = built(answer("trn2.3xlarge", NeuronInfo={"NeuronDevices": [device]}))["trn2.3xlarge"]
    assert row["accelerator"] == ["neuron", "AWS", "Trainium2", 1, 98304]


NEURON = {"Count": 2, "Name": "Trainium2", "MemoryInfo": {"SizeInMiB": 524288}}

# instance type -> accelerator, with corrections of the family and of one of its types
CORRECTED = {
    "p9.24xlarge": ["neuron", "AWS", "Trainium2", 2, 98304],
    "p9.48xlarge": ["neuron", "AWS", "Trainium9", 1, 65536],
    "p9en.48xlarge": ["neuron", "AWS", "Trainium2", 2, 524288],
}


def test_a_family_is_corrected_and_a_type_after_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = {"accelerator": ["neuron", "AWS", "Trainium9", 1, 65536]}
    corrections = {
        "families": {"p9": {"date": "2026-01-01", "row": {"accelerator": {"memory_mib": 98304}}}},
        "types": {"p9.48xlarge": {"date": "2026-01-01", "row": whole}},
    }
    (tmp_path / "corrections.json").write_text(json.dumps(corrections))
    monkeypatch.setattr(build, "DATA", tmp_path)
    rows = built(*(answer(name, NeuronInfo={"NeuronDevices": [NEURON]}) for name in CORRECTED))
    assert {name: rows[name]["accelerator"] for name in CORRECTED} == CORRECTED


def test_a_whole_correction_yields_to_ec2() -> None:
    assert built(answer("p6e-gb200.36xlarge"))["p6e-gb200.36xlarge"]["cards"] == "1x4ieo"


def test_a_live_survey_replaces_its_own_region_only() -> None:
    old = survey.Survey({"a": {}, "b": {"x": 1}}, {"r1": {}, "r2": {}}, "old", "2026-01-01")
    new = survey.Survey({"b": {"x": 2}}, {"r2": {"z": frozenset("b")}}, "new", "2026-02-02")
    both = survey.merged(old, new)
    assert both.facts == {"a": {}, "b": {"x": 2}}
    assert both.offerings == {"r1": {}, "r2": {"z": frozenset("b")}}
    assert (both.source, both.date) == ("old (2026-01-01); then new", "2026-02-02")


class Ec2:
    """Answers as boto3's EC2 client does, page by page."""

    def __init__(self, service: str, region_name: str) -> None:
        assert (service, region_name) == ("ec2", "us-east-1")

    def get_paginator(self, operation: str) -> Ec2:
        self.operation = operation
        return self

    def paginate(self, **arguments: str) -> list[dict[str, Any]]:
        if self.operation == "describe_instance_types":
            return [
                {"InstanceTypes": [answer("p8.48xlarge")]},
                {"InstanceTypes": [answer("p9.48xlarge")]},
            ]
        assert arguments == {"LocationType": "availability-zone-id"}
        offer = {"InstanceType": "p9.48xlarge", "Location": "use1-az4"}
        return [{"InstanceTypeOfferings": [offer]}, {"InstanceTypeOfferings": []}]


def test_an_account_is_read_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", SimpleNamespace(client=Ec2))
    found = survey.from_aws("us-east-1", "2026-03-03")
    assert list(found.facts) == ["p8.48xlarge", "p9.48xlarge"]
    assert found.offerings == {"us-east-1": {"use1-az4": frozenset({"p9.48xlarge"})}}
    assert (found.source.endswith("in us-east-1"), found.date) == (True, "2026-03-03")


def test_provenance_is_complete() -> None:
    groups = json.loads((DATA / "provenance.json").read_text(encoding="ascii"))
    assert set(groups) == {
        "instance facts",
        "offerings",
        "hyperpod names",
        "nitro generation",
        "corrections",
    }
    for group in groups.values():
        assert group["source"]
        assert re.fullmatch(r"2026-\d\d(-\d\d)?", group["date"])


def test_each_correction_has_a_reason_and_a_source() -> None:
    corrections = json.loads((DATA / "corrections.json").read_text())
    assert set(corrections) == {"families", "types"}
    for correction in (one for group in corrections.values() for one in group.values()):
        assert correction["why"]
        assert correction["source"].startswith("https://")
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", correction["date"])


def test_data_stays_small() -> None:
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 500_000
