"""What we did not write accepts every bundle: the API's model, CloudFormation's, shellcheck."""

import pytest

from tests.support.checking import broken
from tests.targets.hyperpod_slurm.planned import files_of, request_of
from tests.targets.hyperpod_slurm.specs import SPECS
from tests.validators.hyperpod import cluster_violations


@pytest.mark.parametrize("name", SPECS)
def test_the_validators_accept(name: str) -> None:
    assert cluster_violations(files_of(SPECS[name]), "us-east-1") == []


@pytest.mark.parametrize("name", SPECS)
def test_rendered_documents_have_no_findings(name: str) -> None:
    assert broken("hyperpod-slurm", request_of(SPECS[name])) == []


@pytest.mark.parametrize("name", SPECS)
def test_a_bundle_has_all_its_parts(name: str) -> None:
    files = set(files_of(SPECS[name]))
    assert {"deploy.sh", "verify.sh", "README.md", "update-cluster.json"} <= files
    assert any(path.startswith("smoke/") for path in files)
