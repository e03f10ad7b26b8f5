"""ParallelCluster's own answer to an update of `cluster.yaml`.

`pcluster update-cluster` compares the configurations as they are written, and has a policy for
each key. https://docs.aws.amazon.com/parallelcluster/latest/ug/using-pcluster-update-cluster-v3.html
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.oracles.parallelcluster import PROJECT
from tests.oracles.parallelcluster.environment import python_for_validators


@dataclass(frozen=True, slots=True)
class Change:
    """One change, and whether it is accepted now."""

    path: str
    policy: str
    accepted: bool
    reason: str


def changes(
    base: Mapping[str, Any], target: Mapping[str, Any], *, fleet: bool = True, login: bool = True
) -> list[Change]:
    """What an update from `base` to `target` changes, while fleet and login nodes run or not."""
    asked = {"base": base, "target": target, "fleet": fleet, "login": login}
    done = subprocess.run(
        [
            python_for_validators(PROJECT),
            *("-m", "tests.oracles.parallelcluster.update_runner"),
        ],
        cwd=PROJECT,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    rows = json.loads(done.stdout)
    return [
        Change(path, policy, check == "SUCCEEDED", reason) for path, policy, check, reason in rows
    ]
