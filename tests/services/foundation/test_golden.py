"""A few whole templates; `python -m tests.services.foundation.test_golden` rewrites them."""

from pathlib import Path

import pytest

from clustergen.services import foundation
from tests.services.foundation.planned import plan_of

GOLDEN = Path(__file__).with_name("golden")
SPECS = sorted(GOLDEN.glob("*.yaml"))


def rendered(spec: Path) -> str:
    artifact = foundation.emit(plan_of(spec.read_text(encoding="utf-8")))
    assert artifact is not None
    return artifact.text


def golden(spec: Path) -> Path:
    return spec.with_suffix(".template.json")


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_golden(spec: Path) -> None:
    assert rendered(spec) == golden(spec).read_text(encoding="utf-8")


if __name__ == "__main__":
    for path in SPECS:
        golden(path).write_text(rendered(path), encoding="utf-8")
