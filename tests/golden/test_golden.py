"""What is rendered is what was reviewed. To rebuild, from the top of the checkout:

python -m tests.golden.test_golden
"""

from pathlib import Path

import pytest

from clustergen import bundle
from clustergen.base.artifacts import Bundle
from clustergen.bundle import renderer
from tests.support.checking import check_example

FOLDER = Path(__file__).parent

# Small enough to read: a cluster of one GPU node, one of two queues with EFA and Lustre, one whose
# lifecycle scripts do everything, nodes of an EKS cluster, and queues that two teams share.
GOLDEN = [
    ("single-gpu-dev", "pcs"),
    ("hpc8a-two-queues", "parallelcluster"),
    ("hyperpod-slurm-customer-managed", "hyperpod-slurm"),
    ("hyperpod-eks-mig", "hyperpod-eks"),
    ("eks-p5en-capacity-block", "eks"),
    ("batch-fair-share", "batch"),
]


def files(spec: str, target: str) -> Bundle:
    """The bundle of an example. That the validators accept it, `test_specs.py` shows."""
    return renderer.render(check_example(spec, target), target)


@pytest.mark.parametrize(("spec", "target"), GOLDEN)
def test_rendered_as_reviewed(spec: str, target: str) -> None:
    found = bundle.check(FOLDER / spec / target, files(spec, target))
    assert [f"{f.message}\n{f.help}" for f in found] == []


def test_no_temporary_files_remain() -> None:
    there = {(path.parent.name, path.name) for path in FOLDER.glob("*/*") if path.is_dir()}
    assert there - {("golden", "__pycache__")} == set(GOLDEN)


if __name__ == "__main__":
    for spec, target in GOLDEN:
        bundle.write(FOLDER / spec / target, files(spec, target), force=True)
