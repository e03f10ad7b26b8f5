"""Next steps that the README of every Slurm target has."""

import re

import pytest

from tests.support.checking import Fragments

DATABASE = """
slurm:
  accounting:
    endpoint: slurm.cluster-abcdefghijkl.us-east-1.rds.amazonaws.com
    user: slurm
    secret: arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf
"""
EXISTING = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-az6
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}]
"""


@pytest.mark.parametrize("target", ["parallelcluster", "hyperpod-slurm"])
def test_a_database_in_a_new_vpc_needs_the_foundation_first(target: str) -> None:
    files = Fragments(target).files(DATABASE)
    steps = files["README.md"].partition("## Next steps")[2]
    assert steps.index("./deploy.sh --foundation") < steps.index("./deploy.sh --dry-run")
    assert "--foundation`" not in Fragments(target).files(DATABASE + EXISTING)["README.md"]


HYPERPOD = Fragments("hyperpod-slurm")
READ = """
users: [{name: alice, uid: 2001}]
slurm: {accounting: managed, accounts: [{name: research, users: [alice]}]}
"""


def test_who_deploys_with_cloudformation_uploads_what_nodes_read() -> None:
    """Nodes whose table of users is not there fail."""
    files = HYPERPOD.files(READ)
    (step,) = (
        line for line in files["README.md"].splitlines() if "`cluster.template.json`" in line
    )
    sources = re.findall(
        r"s3://\S+[.]tsv", "\n".join(files[name] for name in files if ".json" in name)
    )
    assert len(sources) == 2
    assert [source for source in sources if f".tsv {source}`" not in step] == []


@pytest.mark.parametrize("enforced", [True, False])
def test_who_leaves_an_account(enforced: bool) -> None:
    """Without enforcement, Slurm takes jobs for any account."""
    setting = ", settings: {AccountingStorageEnforce: associations}" if enforced else ""
    page = HYPERPOD.files(READ.replace("[alice]}]", "[alice]}]" + setting))["README.md"]
    assert ("cannot submit jobs in it any more" in page) is enforced
