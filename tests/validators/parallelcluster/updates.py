"""ParallelCluster's own answer to an update of `cluster.yaml`.

`pcluster update-cluster` compares the configurations as they are written, and has a policy for
each key. https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.validators.parallelcluster import PROJECT
from tests.validators.parallelcluster.environment import python_for_validators


@dataclass(frozen=True, slots=True)
class Change:
    """One change, and whether it is accepted now."""

    path: str
    policy: str
    accepted: bool
    reason: str


Answers = list[list[Change]]


def changes_of_all(
    pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]], *, login: bool = True
) -> Answers:
    """The changes of each pair while its nodes run, `login` nodes or not; one process for all."""
    requests = [
        {"base": base, "target": target, "fleet": True, "login": login and "LoginNodes" in base}
        for base, target in pairs
    ]
    done = subprocess.run(
        [python_for_validators(PROJECT), *("-m", "tests.validators.parallelcluster.update_runner")],
        cwd=PROJECT,
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [
        [Change(path, policy, check == "SUCCEEDED", reason) for path, policy, check, reason in rows]
        for rows in json.loads(done.stdout)
    ]
