"""Plans of spec fragments for the HyperPod targets."""

from __future__ import annotations

from clustergen import placeholders
from clustergen.artifacts import Bundle
from clustergen.hyperpod import scripts
from clustergen.hyperpod.steps import Mode
from clustergen.plan.model import Plan
from tests.checking import Fragments

TARGETS = {"slurm": "hyperpod-slurm", "eks": "hyperpod-eks"}
MODES: tuple[Mode, ...] = ("extended", "customer-managed", "legacy", "kubernetes")
"""The mode of every lifecycle set there is."""


def plan_of(text: str = "", orchestrator: str = "slurm") -> Plan:
    """The plan of `text`, a spec fragment laid over the smallest spec."""
    return Fragments(TARGETS[orchestrator]).faulty_plan(text)


def lifecycle_of(text: str, mode: Mode) -> Bundle:
    """A lifecycle set as it is in the bundle."""
    return scripts.lifecycle(plan_of(text, "eks" if mode == "kubernetes" else "slurm"), mode)


def filled(bundle: Bundle) -> dict[str, str]:
    """Files by name, with some value for each placeholder of the documents."""
    files = {}
    for artifact in bundle:
        text = artifact.text
        if artifact.path.endswith(".json"):
            values = {name: f"value-of-{name}.example" for name in placeholders.names(text)}
            text, missing = placeholders.fill(text, values)
            assert missing == []
        files[artifact.path.rpartition("/")[2]] = text
    return files
