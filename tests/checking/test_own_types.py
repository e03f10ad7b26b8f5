"""Instance types that a project describes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clustergen.checking.compiler import check_text
from clustergen.editor import checking, choices
from clustergen.facts.catalog import find, lookup
from tests.checking.test_project import BASE, Capture, run
from tests.targets.test_specs import ANSWERS

CARD = {"MaximumNetworkInterfaces": 4, "InterfaceTypes": ["interface", "efa", "efa-only"]}
TYPE: dict[str, Any] = {
    "InstanceType": "p9.48xlarge",
    "CurrentGeneration": True,
    "SupportedUsageClasses": ["spot", "on-demand", "of-the-future"],
    "BareMetal": False,
    "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
    "VCpuInfo": {"DefaultVCpus": 192, "DefaultCores": 96, "DefaultThreadsPerCore": 2},
    "MemoryInfo": {"SizeInMiB": 4 << 20},
    "InstanceStorageInfo": {"Disks": [{"SizeInGB": 3800, "Count": 8}]},
    "NetworkInfo": {
        "NetworkPerformance": "8x 800 Gigabit",
        "NetworkCards": [{"NetworkCardIndex": index, **CARD} for index in range(8)],
        "EfaInfo": {"MaximumEfaInterfaces": 8},
        "Ipv4AddressesPerInterface": 50,
    },
    "GpuInfo": {
        "Gpus": [
            {"Name": "R200", "Manufacturer": "NVIDIA", "Count": 8, "MemoryInfo": {"SizeInMiB": 1}}
        ]
    },
    "PlacementGroupInfo": {"SupportedStrategies": ["cluster"]},
    "SupportedBootModes": ["uefi"],
    "BurstablePerformanceSupported": False,
}
SPEC = BASE.replace("p5en", "p9")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working folder, with a project that describes types; no other test knows these."""
    monkeypatch.setattr(lookup, "_OWN", {})
    (tmp_path / "clustergen.toml").write_text('[catalog]\nfiles = ["types.json"]\n')
    (tmp_path / "spec.yaml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    monkeypatch.undo()
    lookup.describe(tmp_path, {})  # forgets what was looked up
    choices.forget()


def answer(**changes: Any) -> str:
    """What EC2 answers of a type."""
    return json.dumps({"InstanceTypes": [{**TYPE, **changes}]})


def describe(**changes: Any) -> None:
    Path("types.json").write_text(answer(**changes))


def test_a_type_of_the_project_works_on_every_target(capsys: Capture) -> None:
    describe()
    given = [word for name in next(iter(ANSWERS.values())) for word in ("--target", name)]
    status, out, _ = run(capsys, "check", "spec.yaml", *given, "--output", "json")
    found = json.loads(out)["findings"]
    assert status == 0
    assert [each["code"] for each in found].count("CAP032") == 1
    plan = check_text(SPEC, targets=["pcs"]).plans["pcs"]
    assert len(plan.node_groups[0].interfaces) == 8
    _, out, _ = run(capsys, "catalog", "p9.48xlarge")
    assert "8 x NVIDIA R200" in out
    assert "a file of the project" in out
    _, out, _ = run(capsys, "cost", "spec.yaml", "--target", "hyperpod-slurm")
    assert "no price of HyperPod ml.p9.48xlarge is known" in " ".join(out.split())


def test_our_own_row_counts_once_there_is_one(capsys: Capture) -> None:
    describe(InstanceType="p5en.48xlarge", SupportedBootModes=["legacy-bios"])
    status, _, _ = run(capsys, "catalog", "p5en.48xlarge")
    known = find("p5en.48xlarge")
    assert status == 0
    assert known
    assert not known.own
    assert "uefi" in known.boot_modes


WRONG: dict[str, tuple[str, str]] = {
    "no file": ("", "no such file"),
    "no JSON": ("{", "Expecting"),
    "another answer": ('{"Instances": []}', "it has no InstanceTypes"),
    "no facts": ('{"InstanceTypes": [{"InstanceType": "p9.48xlarge"}]}', "p9.48xlarge: no "),
    "a name of SageMaker": (
        answer(InstanceType="ml.p9.48xlarge"),
        "ml.p9.48xlarge: no name of an instance type",
    ),
    "no threads": (
        answer(VCpuInfo={**TYPE["VCpuInfo"], "DefaultThreadsPerCore": 0}),
        "p9.48xlarge: not in the form",
    ),
    "no object": ('{"InstanceTypes": ["p9.48xlarge"]}', "item 1: "),
    "text for a number": (
        answer(MemoryInfo={"SizeInMiB": "many"}),
        "p9.48xlarge: memory_mib: ",
    ),
    "more EFA than cards": (
        answer(NetworkInfo={**TYPE["NetworkInfo"], "EfaInfo": {"MaximumEfaInterfaces": 9}}),
        "p9.48xlarge: 9 EFA interfaces, and 8 network cards that have one",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_cannot_be_read_is_a_finding(name: str, capsys: Capture) -> None:
    text, reason = WRONG[name]
    if text:
        Path("types.json").write_text(text)
    status, out, err = run(capsys, "check", "spec.yaml", "--output", "concise")
    assert status == 2
    assert "PRJ011" in out + err
    assert "clustergen.toml:2:" in out + err
    assert reason.lower() in (out + err).lower()


def test_two_files_may_have_one_type_with_the_same_facts(capsys: Capture) -> None:
    Path("clustergen.toml").write_text('[catalog]\nfiles = ["types.json", "more.json"]\n')
    describe()
    for facts, status in ((TYPE, 0), ({**TYPE, "BareMetal": True}, 2)):
        Path("more.json").write_text(json.dumps({"InstanceTypes": [facts]}))
        assert run(capsys, "check", "spec.yaml", "--target", "pcs")[0] == status


@pytest.mark.parametrize("unknown", ["zq9.48xlarge", "p9.24xlarge"])
def test_an_unknown_type_says_how_to_describe_it(unknown: str, capsys: Capture) -> None:
    describe()
    run(capsys, "catalog", "p9.48xlarge")
    text = SPEC.replace("p9.48xlarge", unknown)
    [finding] = [f for f in check_text(text).findings if f.code == "CAP001"]
    assert "[catalog] in clustergen.toml" in finding.help
    assert finding.fix is None


def test_an_editor_notices_a_change(folder: Path) -> None:
    name = str(folder / "spec.yaml")

    def codes() -> set[str]:
        about = checking.context(name)
        found = (*checking.check(name, about, {name: SPEC}), *about.problems)
        return {each.code for each in found} & {"CAP001", "PRJ011"}

    assert codes() == {"CAP001", "PRJ011"}
    describe()
    assert codes() == set()
    assert "p9.48xlarge" in {type.name for type, _ in choices.known_types()}
    describe(InstanceType="p9.24xlarge")
    assert codes() == {"CAP001"}


def test_the_file_may_be_that_of_powershell(capsys: Capture) -> None:
    Path("types.json").write_text(answer(), encoding="utf-16")
    assert run(capsys, "catalog", "p9.48xlarge")[0] == 0


def test_nothing_is_said_that_the_description_does_not_say(capsys: Capture) -> None:
    describe()
    Path("spec.yaml").write_text(SPEC.replace("count: 2", "count: 2, mig: {1g.10gb: 7}"))
    _, out, err = run(capsys, "check", "spec.yaml", "--target", "eks")
    assert "the MIG profiles of p9.48xlarge are not known" in out + err
    for given in (["spec.yaml"], ["--accelerator", "R200", "--count", "16"]):
        _, out, err = run(capsys, "recommend", *given, "--for", "7d")
        assert "nothing says where EC2 offers it" in out + err
        assert "training plans" not in out + err


@pytest.mark.parametrize(("maker", "warned"), [("NVIDIA", False), ("AMD", True)])
def test_images_have_drivers_of_some_makers(maker: str, warned: bool, capsys: Capture) -> None:
    gpu = {**TYPE["GpuInfo"]["Gpus"][0], "Manufacturer": maker}
    describe(GpuInfo={"Gpus": [gpu]})
    _, out, err = run(capsys, "check", "spec.yaml", "--target", "eks")
    assert ("IMG501" in out + err) == warned
