"""The runner: `python -m tests.validators.parallelcluster.update_runner`, in its environment.

Reads a list of two configurations each as JSON, `{base, target, fleet, login}`, from standard
input, and prints what `pcluster update-cluster` says to each change while the compute fleet and the
login nodes run or do not: for each a list of `[path, policy, check, reason]`.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from dataclasses import dataclass
from typing import Any

os.environ |= {"AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}

from pcluster.config.config_patch import ConfigPatch


@dataclass(frozen=True)
class Cluster:
    """The two questions that update policies ask of a cluster."""

    fleet: bool
    login: bool
    name: str = "example"

    def has_running_capacity(self, updated_value: bool = False) -> bool:
        return self.fleet

    def has_running_login_nodes(
        self, updated_value: bool = False, pool_name: str | None = None
    ) -> bool:
        return self.login


def main() -> None:
    """Answer all questions."""
    logging.disable(logging.CRITICAL)
    json.dump([_answer(request) for request in json.load(sys.stdin)], sys.stdout)


def _answer(request: dict[str, Any]) -> list[list[Any]]:
    cluster = Cluster(request["fleet"], request["login"])
    patch = ConfigPatch(cluster, base_config=request["base"], target_config=request["target"])
    _, rows = patch.check()
    return [[".".join([*row[0], row[1]]), row[7], row[4], row[5]] for row in rows[1:]]


if __name__ == "__main__":
    main()
