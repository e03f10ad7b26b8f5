"""A group that is added to a cluster of others, on the real Slurm: what its users then see."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest

from clustergen.base.artifacts import Json
from tests.services.hyperpod.real_slurm import Cluster, checked, cluster
from tests.services.hyperpod.test_added_nodes import SPEC
from tests.support import debian
from tests.support.tiers import needs

pytestmark = needs(debian.impossible)

ROLES = {
    "controller": {"NodeType": "Controller"},
    "login": {"NodeType": "Login"},
    "old": {"NodeType": "Compute", "PartitionNames": ["old"]},
}
MACHINE = {"InstanceType": "ml.m5.xlarge", "InstanceCount": 1}
THEIRS: list[Json] = [
    {"InstanceGroupName": name, **MACHINE, "SlurmConfig": role} for name, role in ROLES.items()
]
# As AWS's own scripts do on each node of the owner.
OWNER = """
mkdir -p /fsx
mount -t lustre fs-0a1b2c3d4e5f67890@tcp:/abcdefgh /fsx
for user in alice:2001 bob:2002; do
  name=${user%:*}
  useradd --uid "${user#*:}" --create-home --home-dir "/fsx/$name" --shell /bin/bash "$name"
done
"""


@pytest.fixture(scope="module")
def joined() -> Iterator[Cluster]:
    with cluster(checked(SPEC), theirs=THEIRS) as made:
        made.boot()
        for group in THEIRS:
            made.run(made.of(group["InstanceGroupName"])[0], OWNER)
        runs = made.lifecycle(*made.of("h200"))
        assert {name: run.text for name, run in runs.items() if run.status} == {}
        made.wait_until_idle()
        yield made


def as_alice(made: Cluster, group: str, script: str) -> str:
    """What a login shell of hers prints, on a node of `group`."""
    return made.run(made.of(group)[0], f"su --login alice --command {shlex.quote(script)}").text


def test_jobs_on_added_nodes_are_those_of_the_users_of_the_cluster(joined: Cluster) -> None:
    job = "echo $(whoami) $(pwd) ~ >of-$SLURM_PROCID; echo results >>/fsx/alice/all"
    as_alice(joined, "login", f"srun --partition=h200 --nodes=2 bash -c {shlex.quote(job)}")
    seen = as_alice(joined, "login", "cat of-0 of-1 all; stat -c %U of-0 all")
    home = "alice /fsx/alice /fsx/alice"
    assert seen.splitlines() == [home, home, "results", "results", "alice", "alice"]


def test_users_who_log_in_on_an_added_node_are_at_home(joined: Cluster) -> None:
    as_alice(joined, "login", "echo here >from-login")
    look = "pwd; cat from-login .ssh/authorized_keys; srun --partition=old pwd"
    seen = as_alice(joined, "h200", look)
    assert seen.splitlines() == ["/fsx/alice", "here", "ssh-ed25519 AAAA of-alice", "/fsx/alice"]


def test_jobs_without_a_partition_may_run_on_added_nodes(joined: Cluster) -> None:
    """As the README of the bundle says."""
    nodes = ",".join(joined.of("h200"))
    assert as_alice(joined, "login", f"srun --nodelist={nodes} echo ran").split() == ["ran"] * 2


def test_nodes_can_be_drained_before_a_pause(joined: Cluster) -> None:
    """With the commands of the README."""
    [text] = re.findall("To let jobs finish first, .*", joined.files["README.md"])
    first, second = joined.of("h200")
    drain, running = (
        command.replace("NODES", f"{first},{second}") for command in text.split("`")[3:7:2]
    )
    submit = "sbatch --partition=h200 --output=%j.out"
    work = "until [ -e end ]; do sleep 1; done; echo done"
    as_alice(joined, "login", f"{submit} --nodelist={first} --wrap {shlex.quote(work)}")
    joined.wait(f"{running} --noheader", " R ")
    joined.run(joined.of("h200")[1], drain.replace('sudo "$(which scontrol)"', "scontrol"))
    as_alice(joined, "login", f"{submit} --wrap hostname")
    joined.wait("sinfo -h -N -p h200 -o %T | sort", "^drained\ndraining$")
    assert len(joined.run(joined.controller, f"{running} --noheader").text.splitlines()) == 1
    as_alice(joined, "login", "touch end")
    joined.wait(f"{running} --noheader | wc -l", "^0$")
    assert as_alice(joined, "login", "cat *.out") == "done\n"
    resume = f"scontrol update nodename={first},{second} state=resume"
    joined.run(joined.controller, f"scancel --user=alice; {resume}")
