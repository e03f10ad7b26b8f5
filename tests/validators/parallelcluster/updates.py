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


def changes(
    base: Mapping[str, Any], target: Mapping[str, Any], *, fleet: bool = True, login: bool = True
) -> list[Change]:
    """What an update from `base` to `target` changes, while fleet and login nodes run or not."""
    [found] = _answers([{"base": base, "target": target, "fleet": fleet, "login": login}])
    return found


def changes_of_all(pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> Answers:
    """The changes of each pair while all of its nodes run; one process for all."""
    return _answers(
        [
            {"base": base, "target": target, "fleet": True, "login": "LoginNodes" in base}
            for base, target in pairs
        ]
    )


def _answers(requests: list[dict[str, Any]]) -> Answers:
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
