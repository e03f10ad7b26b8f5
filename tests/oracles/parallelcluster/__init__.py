"""ParallelCluster's own schema and validators as a judge of rendered `cluster.yaml` files.

Only the standard library may be imported here: this package is also loaded by the interpreter of
the judge's own environment.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.oracles.parallelcluster.environment import python_for_validators
from tests.oracles.parallelcluster.instance_types import instance_facts
from tests.oracles.placeholders import fill, names_in, value_for

_PROJECT = Path(__file__).resolve().parents[3]

Facts = Mapping[str, Mapping[str, Any]]
"""What the account says of an id, beyond or against what the judge assumes: the id, then fields of
its entry in the AWS response (`{"subnet-0...": {"MapPublicIpOnLaunch": True}}`)."""


@dataclass(frozen=True, slots=True)
class Message:
    """One finding of ParallelCluster; a refusal by the schema has the validator `Schema`."""

    level: str
    validator: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A `cluster.yaml` text with the name its cluster will have."""

    text: str
    cluster_name: str = "judged"
    facts: Facts | None = None


def judge(files: Iterable[Path]) -> dict[Path, list[Message]]:
    """What ParallelCluster says of each file; placeholders are filled first. One process for all."""
    paths = list(files)
    documents = [Document(path.read_text(encoding="utf-8")) for path in paths]
    return dict(zip(paths, judge_documents(documents), strict=True))


def judge_documents(documents: Iterable[Document]) -> list[list[Message]]:
    """What ParallelCluster says of each document, in their order, in one process."""
    questions = [_question(document) for document in documents]
    if not questions:
        return []
    done = subprocess.run(
        [_python(), "-m", "tests.oracles.parallelcluster.judge", str(instance_facts())],
        input=json.dumps(questions),
        cwd=_PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the ParallelCluster judge failed:\n{done.stderr}")
    return [[Message(*m) for m in json.loads(line)] for line in done.stdout.splitlines()]


def _python() -> str:
    return str(python_for_validators(_PROJECT))


def _question(document: Document) -> dict[str, Any]:
    facts = {**_facts_of_the_foundation(document.text), **(document.facts or {})}
    text = fill(document.text, region=_region(document.text))
    return {"name": document.cluster_name, "text": text, "facts": facts}


def _region(text: str) -> str:
    found = re.search(r"^Region: *[\"']?([a-z0-9-]+)", text, re.MULTILINE)
    return found[1] if found else "us-east-1"


def _facts_of_the_foundation(text: str) -> dict[str, dict[str, Any]]:
    """Facts that a placeholder's name gives away.

    A public subnet hands out public addresses. A file system of the foundation lets in the members
    of the foundation's own security group and nobody else.
    """
    names = names_in(text)
    groups = [value_for(n) for n in names if "SecurityGroup" in n] or [
        value_for("FoundationSecurityGroupId")
    ]
    public = {value_for(n): {"MapPublicIpOnLaunch": True} for n in names if "PublicSubnet" in n}
    stores = {value_for(n): {"SecurityGroups": groups} for n in names}
    file_systems = {i: fact for i, fact in stores.items() if i.startswith(("fs-", "fsvol-"))}
    return {**public, **file_systems}
