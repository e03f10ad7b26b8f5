"""The starter specs: each is explained, and passes as written."""

from pathlib import Path

import pytest

import clustergen
from clustergen.base import resources
from clustergen.base.findings import errors
from clustergen.cli import main

PRESETS = sorted(resources.tree("templates").joinpath("presets").glob("*.yaml"))
NAMES = {"cpu-hpc", "gpu-slurm", "kubernetes", "spot-finetune", "trainium"}
STARTERS = {"kubernetes": ["hyperpod-eks", "eks"], "trainium": ["parallelcluster"]}
SCHEMA = "# yaml-language-server: $schema=./clustergen.schema.json"


def test_the_presets() -> None:
    assert {path.stem for path in PRESETS} == NAMES


@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.stem)
def test_a_starter_passes(preset: Path, tmp_path: Path) -> None:
    assert main(["init", "--preset", preset.stem, str(tmp_path)]) == 0
    assert main(["check", str(tmp_path / "cluster.yaml")]) == 0
    assert (tmp_path / "clustergen.schema.json").exists()


@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.stem)
def test_a_starter_renders_for_the_targets_that_it_names(preset: Path) -> None:
    checked = clustergen.check([preset])
    rendered = [name for name in checked.plans if name and clustergen.render(checked, name)]
    assert rendered == STARTERS.get(preset.stem, ["parallelcluster", "pcs"])
    assert errors(checked.findings) == []


@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.stem)
def test_a_starter_describes_itself(preset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, empty, purpose = preset.read_text(encoding="utf-8").splitlines()[:3]
    assert (first, empty) == (SCHEMA, "#")
    main(["init", "--preset", "list"])
    assert f"{preset.stem:<14} {purpose.removeprefix('# ')}\n" in capsys.readouterr().out
