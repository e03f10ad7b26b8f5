"""ParallelCluster's own schema and validators as a validator of rendered `cluster.yaml` files.

Only the standard library may be imported here: this package is also loaded by the interpreter of
the validator's own environment.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.validators.parallelcluster.environment import python_for_validators
from tests.validators.parallelcluster.instance_types import instance_facts
from tests.validators.placeholders import fill, names_in, value_for

PROJECT = Path(__file__).resolve().parents[3]

Facts = Mapping[str, Mapping[str, Any]]
"""What the account says of an id, beyond what the validator assumes: the id, then fields of
its entry in the AWS response (`{"subnet-0...": {"MapPublicIpOnLaunch": True}}`)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One finding of ParallelCluster; a rejection by the schema has the validator `Schema`."""

    level: str
    validator: str
    text: str


def validator(files: Iterable[Path]) -> dict[Path, list[Message]]:
    """What ParallelCluster says of each file, its placeholders filled; one process for all."""
    with ParallelCluster() as validators:
        return {path: validators.validator(path.read_text(encoding="utf-8")) for path in files}


class ParallelCluster:
    """ParallelCluster's validators in a process of their own: to start it takes seconds, to ask it
    a quarter of one."""

    def __init__(self) -> None:
        # A file, not a pipe: nothing reads it while the validator runs.
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        python = python_for_validators(PROJECT)
        self._process = subprocess.Popen(
            [
                str(python),
                "-m",
                "tests.validators.parallelcluster.validator",
                str(instance_facts()),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=PROJECT,
            encoding="utf-8",
        )

    def __enter__(self) -> ParallelCluster:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()
        self._errors.close()

    def validator(
        self, text: str, cluster_name: str = "validated", facts: Facts | None = None
    ) -> list[Message]:
        """Everything that the schema and the validators say of a `cluster.yaml` text.

        `facts` is what the account holds beyond what the text lets one guess.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(_question(text, cluster_name, facts or {})), file=self._process.stdin)
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            self._errors.seek(0)
            raise RuntimeError(f"the ParallelCluster validator stopped:\n{self._errors.read()}")
        return [Message(*message) for message in json.loads(answer)]

    def model(self, text: str) -> Any:
        """The configuration in ParallelCluster's own object model, with all its defaults."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        question = {**_question(text, "modelled", {}), "model": True}
        print(json.dumps(question), file=self._process.stdin)
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def _question(text: str, cluster_name: str, facts: Facts) -> dict[str, Any]:
    filled = fill(text, region=_region(text))
    return {
        "name": cluster_name,
        "text": filled,
        "facts": {**_facts_of_the_foundation(text), **facts},
    }


def _region(text: str) -> str:
    found = re.search(r"^Region: *[\"']?([a-z0-9-]+)", text, re.MULTILINE)
    return found[1] if found else "us-east-1"


def _facts_of_the_foundation(text: str) -> dict[str, dict[str, Any]]:
    """Facts that a placeholder's name gives away.

    A public subnet hands out public addresses. The foundation's file systems let in the members of
    its security group of every node; where the user brought groups of his own, those.
    """
    names = names_in(text)
    public = {value_for(n): {"MapPublicIpOnLaunch": True} for n in names if "PublicSubnet" in n}
    brought = re.search(r"\bsg-[0-9a-z]+", text) and _EVERY_NODE not in names
    stores = [value_for(name) for name in names if re.search(r"Id$", name)]
    lets_in = {} if brought else {"SecurityGroups": [value_for(_EVERY_NODE)]}
    return {**public, **{i: lets_in for i in stores if i.startswith(("fs-", "fsvol-"))}}


_EVERY_NODE = "ClusterSecurityGroupId"
