"""The real slurmctld starts with a setting that needs something once that is there."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from clustergen.base.text_lists import words
from clustergen.facts.catalog.slurm import Need, every_need
from tests.support import debian
from tests.support.slurm.cluster import Cluster, cluster
from tests.support.slurm.configuration import Configuration, Nodes, instance_type
from tests.support.tiers import needs

pytestmark = needs(debian.impossible)

PLAIN = Configuration(
    cluster=("SelectType=select/cons_tres", "AccountingStorageType=accounting_storage/none"),
    nodes=(Nodes("plain", "plain", 1, instance_type("m7i.4xlarge"), {"CPUs": "1"}),),
    partitions=("PartitionName=plain Nodes=ALL Default=YES State=UP",),
)
PROGRAM = "/rig/program.sh"
_OF_BUFFERS = words("""
    job_process pools job_teardown setup data_in test_data_in real_size paths pre_run post_run
    test_data_out data_out get_status
""")
FILES = {
    "burst_buffer.lua": "".join(
        f"function slurm_bb_{name}() return slurm.SUCCESS end\n" for name in _OF_BUFFERS
    ),
    "helpers.conf": "Feature=fast Helper=/bin/true\n",
    "job_submit.lua": """
function slurm_job_submit(job, part_list, uid) return slurm.SUCCESS end
function slurm_job_modify(job, record, part_list, uid) return slurm.SUCCESS end
""",
    "jobcomp.lua": "function slurm_jobcomp_log_record(record) return slurm.SUCCESS end\n",
    "slurm.key": "0123456789abcdef" * 64,
    "topology/block": "BlockName=b Nodes=plain-1\nBlockSizes=1\n",
    "topology/tree": "SwitchName=s Nodes=plain-1\n",
}
"""A file, by its name or by the value that reads it."""
VALUES = {
    ("JobCompType", "jobcomp/filetxt"): "/var/log/slurm/jobs",
    ("JobCompType", "jobcomp/script"): PROGRAM,
    ("MCSParameters", ""): "mcs/group",
    ("MCSPlugin", "mcs/group"): "select:alice",
}
"""Values of the setting that is needed."""


@pytest.fixture(scope="module")
def machine() -> Iterator[Cluster]:
    with cluster(debian.OLDEST) as made:
        yield made


@pytest.mark.parametrize("need", every_need(), ids=lambda need: f"{need.key}={need.value}")
def test_slurmctld_needs_it(machine: Cluster, need: Need) -> None:
    value = need.value or (PROGRAM if need.program else "select:alice")
    alone = replace(PLAIN, cluster=(*PLAIN.cluster, f"{need.key}={value}"))
    machine.run(f"rm -f /etc/slurm/*.lua /etc/slurm/*.key /etc/slurm/helpers.conf {PROGRAM}")
    said = machine.said_at_start(alone)
    missing = need.file or need.setting or PROGRAM
    if (need.key, need.value) != ("JobCompType", "jobcomp/filetxt"):
        assert missing in said
    assert "fatal" in said or "retrying" in said or "cannot stat" in said
    if need.setting:
        other = need.flag or VALUES[need.key, need.value]
        alone = replace(alone, cluster=(*alone.cluster, f"{need.setting}={other}"))
    if need.file == "topology.conf":
        alone = replace(alone, topology=tuple(FILES[need.value].splitlines()))
    elif need.file:
        machine.put(f"/etc/slurm/{need.file}", FILES[need.file], 0o600)
        machine.ask(f"chown slurm /etc/slurm/{need.file}")
    machine.put(PROGRAM, "#!/bin/sh\n", 0o755)
    machine.start(alone, per_group=0)


def test_what_needs_nothing(machine: Cluster) -> None:
    """Filters of commands, and programs of nodes."""
    lines = ("CliFilterPlugins=lua", "Prolog=/missing", "HealthCheckProgram=/missing")
    machine.start(replace(PLAIN, cluster=(*PLAIN.cluster, *lines)), per_group=0)
