"""Who creates an EKS cluster is its administrator already, and cannot be named once more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.checking import Fragments
from tests.support.cloud.commands import reaching
from tests.targets.hyperpod_eks.new_cluster import NEW, files_of_new

ADMIN = "kubernetes: {admins: ['arn:aws:iam::111122223333:role/teams/platform']}"
SESSIONS = "arn:aws:sts::111122223333:assumed-role"
CALLERS = [
    (f"{SESSIONS}/platform/me", False, 2),
    (f"{SESSIONS}/platform/me", True, 0),
    (f"{SESSIONS}/deployer/platform", False, 0),
    ("arn:aws:iam::111122223333:user/me", False, 0),
]


def files(target: str) -> Mapping[str, str]:
    if target == "hyperpod-eks":
        return files_of_new(f"{NEW}{ADMIN}")
    return Fragments(target).files(ADMIN)


@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
@pytest.mark.parametrize(("caller", "exists", "status"), CALLERS)
def test_the_creator_of_the_cluster_has_an_access_entry(
    tmp_path: Path, target: str, caller: str, exists: bool, status: int
) -> None:
    with reaching(tmp_path, files(target)) as made:
        made.account.answers["sts get-caller-identity"] = {"Arn": caller}
        if exists:
            made.account.eks.clusters.add("example")
        done = made.deploy()
        assert done.returncode == status, done.stderr
        assert ("remove it from kubernetes.admins" in done.stderr) == (status == 2)
        applied = made.account.calling("example-eks", "execute-change-set")
        assert bool(applied) == (status == 0)
