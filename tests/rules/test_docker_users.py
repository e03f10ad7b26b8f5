"""Users in the group docker are a known limit of the targets that make them members."""

import pytest

from tests.support.checking import Fragments

SPEC = "software: {containers: docker}\nusers: [{name: alice, uid: 2001}]\n"
LEGACY = "targets: {hyperpod-slurm: {mode: legacy}}"
CASES = [
    ("parallelcluster", SPEC, True),
    ("pcs", SPEC, True),
    ("hyperpod-slurm", SPEC + LEGACY, True),
    # HyperPod sets up Docker, and adds no user to the group.
    ("hyperpod-slurm", SPEC, False),
    ("pcs", SPEC.replace("docker", "pyxis"), False),
]


@pytest.mark.parametrize(("target", "spec", "expected"), CASES)
def test_the_readme_says_that_they_are_root(target: str, spec: str, expected: bool) -> None:
    files = Fragments(target).files(spec)
    limits = files["README.md"].partition("## Known limits")[2].partition("\n## ")[0]
    assert ("members of the group docker" in limits) == expected
    scripts = "".join(text for path, text in files.items() if path.endswith("containers.sh"))
    assert ("usermod --append --groups docker" in scripts and "docker" in spec) == expected
