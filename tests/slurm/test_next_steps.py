"""Next steps that the README of every Slurm target has."""

from __future__ import annotations

import pytest

from tests.checking import Fragments

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
    assert "--foundation  " in files["deploy.sh"]
    assert "--foundation`" not in Fragments(target).files(DATABASE + EXISTING)["README.md"]
