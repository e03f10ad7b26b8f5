"""Placeholders in documents, and the files that their values come from."""

import json
from pathlib import Path

import pytest

from clustergen.spec import placeholders

NAMES = [
    ("SubnetId: ${PrivateSubnetId}", {"PrivateSubnetId"}),
    ('["${A1b}", "${A1b}", "x${VpcId}y"]', {"A1b", "VpcId"}),
    ("${HOME} ${PATH} ${AWS::Region} ${vpcId} ${Vpc.Id} $VpcId {VpcId} ${} ${ VpcId }", set()),
]


@pytest.mark.parametrize(("text", "expected"), NAMES)
def test_names(text: str, expected: set[str]) -> None:
    assert placeholders.names(text) == expected


# text, outputs, filled text, missing
FILLED = [
    ("a: ${VpcId}\n", {"VpcId": "vpc-1"}, "a: vpc-1\n", []),
    ("${VpcId}${VpcId}", {"VpcId": "v"}, "vv", []),
    ("${VpcId}", {}, "${VpcId}", ["VpcId"]),
    ("${Zz} ${Aa}", {"Other": "x"}, "${Zz} ${Aa}", ["Aa", "Zz"]),
    ("${HOME}", {"HOME": "x"}, "${HOME}", []),
    ("${VpcId}", {"VpcId": "${Other}"}, "${VpcId}", ["VpcId"]),
    ("${VpcId}", {"VpcId": 'x", "y": "z'}, "${VpcId}", ["VpcId"]),
    ("${VpcId}", {"VpcId": "a\nb"}, "${VpcId}", ["VpcId"]),
    ("${VpcId}", {"VpcId": ""}, "${VpcId}", ["VpcId"]),
    (
        "${Arn}",
        {"Arn": "arn:aws:iam::1:role/a_b+c=d,e.f@g-h"},
        "arn:aws:iam::1:role/a_b+c=d,e.f@g-h",
        [],
    ),
]


@pytest.mark.parametrize(("text", "outputs", "filled", "missing"), FILLED)
def test_fill(text: str, outputs: dict[str, str], filled: str, missing: list[str]) -> None:
    assert placeholders.fill(text, outputs) == (filled, missing)


def described(**outputs: str) -> list[dict[str, str]]:
    return [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()]


# document, outputs, codes
READ = [
    ({"foundation": {"VpcId": "vpc-1", "X": "y"}}, {"VpcId": "vpc-1", "X": "y"}, []),
    ({"VpcId": "vpc-1"}, {"VpcId": "vpc-1"}, []),
    (described(VpcId="vpc-1"), {"VpcId": "vpc-1"}, []),
    ({"Stacks": [{"StackName": "s", "Outputs": described(VpcId="vpc-1")}]}, {"VpcId": "vpc-1"}, []),
    ({"StackName": "s", "Outputs": described(VpcId="vpc-1")}, {"VpcId": "vpc-1"}, []),
    ({"a": {"VpcId": "v", "X": "1"}, "b": {"VpcId": "v", "X": "2"}}, {"VpcId": "v"}, ["SPC042"]),
    ({"Stacks": [{"StackName": "s"}]}, {}, ["SPC041"]),
    ({"Stacks": None}, {}, ["SPC041"]),
    ({}, {}, ["SPC041"]),
    ([1, None, ["x"]], {}, ["SPC041"]),
    ("vpc-1", {}, ["SPC041"]),
    ([{"OutputKey": "VpcId", "OutputValue": 3}], {}, ["SPC041"]),
]


@pytest.mark.parametrize(("document", "outputs", "codes"), READ)
def test_read_outputs(
    tmp_path: Path, document: object, outputs: dict[str, str], codes: list[str]
) -> None:
    path = tmp_path / "outputs.json"
    path.write_text(json.dumps(document))
    found, findings = placeholders.read_outputs(path)
    assert found == outputs
    assert [finding.code for finding in findings] == codes
    assert [f.could_not for f in findings] == [code == "SPC041" for code in codes]


@pytest.mark.parametrize("content", [b"VpcId: vpc-1", b"\xff", b"[" * 100_000, b""])
def test_files_that_are_not_json(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "outputs"
    path.write_bytes(content)
    found, findings = placeholders.read_outputs(path)
    assert (found, [finding.code for finding in findings]) == ({}, ["SPC040"])


@pytest.mark.parametrize("name", ["", "missing", "nul\0"])
def test_names_that_are_not_files(tmp_path: Path, name: str) -> None:
    assert [f.code for f in placeholders.read_outputs(f"{tmp_path}/{name}")[1]] == ["SPC040"]


def test_unfilled_names_the_file_and_the_output() -> None:
    (finding,) = placeholders.unfilled("cluster.yaml", ["VpcId"])
    assert finding.code == "SPC043"
    assert finding.message == "cluster.yaml needs VpcId, which is not among the outputs"
