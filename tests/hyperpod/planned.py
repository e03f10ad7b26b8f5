"""Plans of spec fragments for the HyperPod targets."""

from __future__ import annotations

import functools
import json

from clustergen import placeholders, source, spec, targets
from clustergen.artifacts import Bundle
from clustergen.findings import EXAMPLE_BASE
from clustergen.hyperpod import scripts
from clustergen.plan.build import build
from clustergen.plan.model import Plan

TARGETS = {"slurm": "hyperpod-slurm", "eks": "hyperpod-eks"}
SETS = (("slurm", "api"), ("slurm", "customer-managed"), ("slurm", "legacy"), ("eks", ""))
"""Orchestrator and mode of every lifecycle set there is."""


@functools.cache
def plan_of(text: str = "", orchestrator: str = "slurm") -> Plan:
    """The plan of `text`, a spec fragment laid over the smallest spec."""
    base, _ = source.read_text(EXAMPLE_BASE)
    over, found = source.read_text(text or "{}")
    assert base is not None
    assert over is not None, found
    merged, _ = source.read_text(json.dumps(source.merge(base.data, over.data)))
    assert merged is not None
    parsed, formal = spec.parse(merged)
    assert parsed is not None, formal
    traits = targets.load(TARGETS[orchestrator]).traits
    plan, more = build(parsed, traits, merged.written())
    assert plan is not None, more
    return plan


def lifecycle_of(text: str, orchestrator: str, mode: str) -> Bundle:
    """A lifecycle set as it stands in the bundle."""
    return scripts.lifecycle(plan_of(text, orchestrator), orchestrator, mode)


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
