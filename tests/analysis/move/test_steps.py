"""The steps of ``clustergen move``, carried out as printed in the simulated account."""

import dataclasses
import json
import os
import shlex
import shutil
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from clustergen import targets
from clustergen.cli import main
from tests.support.cloud.commands import Bundle, reaching

SPEC = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6}
node_groups: [{name: gpu, instance_type: p5.48xlarge, count: 2%s}]
storage: [{mount: /work, type: fsx-lustre, size: 4800GiB}]
kubernetes: {public_endpoint_from: [198.51.100.0/24]}
targets: {%s}
"""
HELD = ", capacity: {reservation: cr-0a1b2c3d4e5f67890}"
STORAGE = "storagework-0a1b"
REFUSED = {frozenset({"eks", "hyperpod-eks"}), frozenset({"hyperpod-slurm", "hyperpod-eks"})}
"""Pairs that would be one cluster in AWS."""
PAIRS = [pair for pair in permutations(targets.NAMES, 2) if frozenset(pair) not in REFUSED]
ROUND = [
    ("parallelcluster", "pcs"),
    ("pcs", "hyperpod-slurm"),
    ("hyperpod-slurm", "eks"),
    ("eks", "batch"),
    ("batch", "hyperpod-eks"),
    ("hyperpod-eks", "parallelcluster"),
]
"""Each target is left once, and entered once."""
CHOSEN = PAIRS if os.environ.get("CLUSTERGEN_ALL_MOVES") else ROUND


class Mover:
    """Carries out the steps, with the spec and the account."""

    def __init__(self, folder: Path, made: Bundle, capsys: Any, group: str = "") -> None:
        self.made, self.capsys, self.group = made, capsys, group
        self.spec, self.out = folder / "spec.yaml", folder / "out"

    def name(self, *named: str) -> None:
        """Edit the targets of the spec."""
        sections = ", ".join(f"{name}: {{}}" for name in named)
        self.spec.write_text(SPEC % (self.group, sections))

    def clustergen(self, *words: str) -> str:
        status = main([*words, "--out", str(self.out)])
        out: str = self.capsys.readouterr().out
        assert status == 0, out
        return out

    def plan(self, old: str, new: str) -> Any:
        words = ("move", str(self.spec), "--from", old, "--to", new, "--output", "json")
        return json.loads(self.clustergen(*words))

    def do(self, command: str) -> None:
        """Scripts of bundles and clustergen run."""
        program, *words = shlex.split(command)
        if words[:1] == ["preflight"]:
            return  # only reads
        if program == "clustergen":
            self.clustergen(words[0], str(self.spec))
        elif program.endswith("/deploy.sh"):
            bundle = dataclasses.replace(self.made, folder=Path(program).parent)
            done = bundle.deploy(*words)
            assert done.returncode == 0, (command, done.stderr)
        elif program == "rm":
            shutil.rmtree(words[-1])

    @property
    def stacks(self) -> dict[str, Any]:
        found: dict[str, Any] = self.made.account.cloudformation.stacks
        return found

    @property
    def storage(self) -> str:
        return str(self.stacks["example-foundation"].ids["StorageWork"])


@pytest.fixture
def mover(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Mover]:
    with reaching(tmp_path, {}) as made:
        yield Mover(tmp_path, made, capsys)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("old", "new"), CHOSEN)
def test_the_steps_keep_the_data(old: str, new: str, mover: Mover) -> None:
    """There and back and there again; the file system is the same after every command."""
    mover.name(old)
    mover.clustergen("render", str(mover.spec))
    mover.do(f"{mover.out}/example/{old}/deploy.sh")
    phases = mover.plan(old, new)["phases"]
    mover.name(old, new)
    made = False
    for phase in phases:
        made = made or phase["title"].startswith("create")
        if phase["title"].startswith("remove"):
            mover.do(phase["commands"][0])
            mover.name(new)
            phase["commands"].pop(0)
        for command in phase["commands"]:
            mover.do(command)
            assert mover.storage == STORAGE
        if phase["title"].startswith(("cut over", "drain")) and made:
            for command in phase["back_commands"]:
                mover.do(command)
            mover.do(f"{mover.out}/example/{old}/deploy.sh --pause")
            mover.do(f"{mover.out}/example/{new}/deploy.sh --resume")
    orphans = mover.made.account.cloudformation.orphans
    assert {type for type, _ in orphans} <= {"AWS::Logs::LogGroup"}
    assert sorted(path.name for path in (mover.out / "example").iterdir()) == [new]
    mover.do(f"{mover.out}/example/{new}/deploy.sh")
    assert mover.storage == STORAGE


@pytest.mark.parametrize("group", ["", HELD])
def test_the_new_cluster_can_be_given_up(group: str, mover: Mover) -> None:
    """Back from the phase that creates it, whether the old one is paused by then or not."""
    mover.group = group
    mover.name("pcs")
    mover.clustergen("render", str(mover.spec))
    mover.do(f"{mover.out}/example/pcs/deploy.sh")
    before = set(mover.stacks), mover.stacks["example-foundation"].resources
    phases = mover.plan("pcs", "batch")["phases"]
    mover.name("pcs", "batch")
    for phase in phases:
        for command in phase["commands"]:
            mover.do(command)
        if phase["title"].startswith("create"):
            break
    assert "example-batch" in mover.stacks
    for command in phase["back_commands"]:
        if command.startswith("clustergen"):
            mover.name("pcs")
        mover.do(command)
    assert (set(mover.stacks), mover.stacks["example-foundation"].resources) == before
    assert mover.made.account.pcs.groups["pcs-gpu"].minimum == 2
