"""Every bundle of ParallelCluster and PCS in the real Slurm, which says what the plan promises."""

from collections.abc import Iterator

import pytest

from tests.support import debian
from tests.support.checking import EXAMPLES, check_example, example_files
from tests.support.slurm import parallelcluster, pcs
from tests.support.slurm.answers import differences
from tests.support.slurm.cluster import Cluster, cluster
from tests.support.tiers import needs
from tests.targets.parallelcluster.planned import PARALLELCLUSTER
from tests.targets.test_specs import ANSWERS

pytestmark = needs(debian.impossible)

CONFIGURATIONS = {"parallelcluster": parallelcluster.configuration, "pcs": pcs.configuration}
BUNDLES = [
    (name, target)
    for name, answers in ANSWERS.items()
    for target in CONFIGURATIONS
    if not answers[target]
    # The cluster, which exists, configures Slurm.
    and (name, target) != ("pcs-existing-cluster", "pcs")
]
METRICS_SINCE = "25.11"
"""Bundles with metrics of nodes have MetricsType."""


@pytest.fixture(scope="module")
def machine(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """One machine for all bundles of a version; each starts Slurm again."""
    with cluster(request.param) as made:
        yield made


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("machine", "name", "target"),
    [
        (version, name, target)
        for version in debian.SUITES
        for number, (name, target) in enumerate(BUNDLES)
        # The oldest runs all that it can, the newest the others, and one of three again.
        if ("metrics:" not in EXAMPLES[name].read_text(encoding="utf-8"))
        is (version < METRICS_SINCE)
        or (version >= METRICS_SINCE and number % 3 == 0)
    ],
    indirect=["machine"],
)
def test_slurm_is_as_planned(machine: Cluster, name: str, target: str) -> None:
    machine.start(CONFIGURATIONS[target](example_files(name, target)))
    assert differences(check_example(name, target).plans[target], machine) == []
    assert machine.complaints() == []


@pytest.mark.parametrize("machine", debian.SUITES, indirect=True)
def test_blocks_are_an_ultraserver(machine: Cluster) -> None:
    files = example_files("p6e-gb200-ultraserver", "parallelcluster")
    machine.start(parallelcluster.configuration(files), per_group=18)
    all_nodes = machine.as_user("srun --nodes=18 --gpus-per-node=4 --segment=9 hostname")
    assert sorted(all_nodes.text.split()) == sorted(machine.running)


@pytest.mark.parametrize("machine", debian.SUITES, indirect=True)
def test_a_partition_has_some_nodes_of_a_group(machine: Cluster) -> None:
    files = PARALLELCLUSTER.files("""
node_groups: [{name: cpu, instance_type: c7i.large, count: {min: 1, max: 4}}]
queues:
  - {name: first, node_groups: [cpu], nodes: {cpu: 1-2}, default: true}
  - {name: rest, node_groups: [cpu], nodes: {cpu: "3,4"}}
  - {name: all, node_groups: [cpu]}
""")
    machine.start(parallelcluster.configuration(files), per_group=4)
    srun = "srun --nodes={} {} hostname 2>/dev/null"
    ran = {
        queue: sorted(machine.as_user(srun.format(nodes, queue)).text.split())
        for queue, nodes in (("", 2), ("--partition=rest", 2), ("--partition=all", 4))
    }
    first, rest = ["all-dy-cpu-1", "all-st-cpu-1"], ["all-dy-cpu-2", "all-dy-cpu-3"]
    assert ran == {"": first, "--partition=rest": rest, "--partition=all": sorted(first + rest)}
    assert machine.complaints() == []
    too_many = machine.as_user("srun --partition=rest --nodes=3 hostname")
    assert too_many.status != 0
