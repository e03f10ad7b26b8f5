"""The real Slurm notices settings that are not what the plan promises: one fault at a time."""

import re
from collections.abc import Iterator

import pytest

from tests.services.slurm.test_real_configuration import CONFIGURATIONS
from tests.support import debian
from tests.support.checking import check_example, example_files
from tests.support.slurm.answers import differences
from tests.support.slurm.cluster import Cluster, Refused, cluster
from tests.support.tiers import needs

pytestmark = needs(debian.impossible)

PC, PCS = "parallelcluster", "pcs"
TWO, BLOCKS = "hpc8a-two-queues", "p6e-gb200-ultraserver"
SPOT, SHARES = "g6e-spot-finetune", "mixed-fair-share"
REFUSED = "refused"
YAML, JSON, ACCOUNTS = "cluster.yaml", "cluster.template.json", "accounts.tsv"
VALUE = r'",\s*"ParameterValue": "'
FAULTS = [
    # Spec, target, file, what stands there, the fault, and how a message about it begins.
    (TWO, PC, YAML, 'MaxTime: "2-', 'MaxTime: "20-', "production: time limit"),
    (TWO, PC, YAML, 'MaxTime: "2-', 'MaxTyme: "2-', REFUSED),
    (TWO, PC, YAML, 'MaxTime: "0-00:30:00"', 'MaxTime: "soon"', REFUSED),
    (TWO, PC, YAML, "JobExclusiveAllocation: true", "Note: x", "production: exclusive"),
    (TWO, PC, YAML, 'Default: "YES"', 'Default: "NO"', "production: default"),
    (TWO, PC, YAML, "PriorityTier: 100", "PriorityTier: 10", "debug: priority"),
    (TWO, PC, YAML, "PriorityJobFactor: 100", "PriorityJobFactor: 1", "debug: priority"),
    (TWO, PC, YAML, "PriorityTier: 100", "PriorityTeer: 100", REFUSED),
    (TWO, PC, YAML, "MaxCount: 64", "MaxCount: 6", "production: nodes"),
    (TWO, PC, YAML, "Name: debug", "Name: debugg", "queues"),
    (TWO, PC, YAML, "InstanceType: hpc8a.96xlarge", "InstanceType: p5.48xlarge", "hpc: GPUs"),
    (BLOCKS, PC, YAML, "MinCount: 18", "MinCount: 9", "gb200: blocks"),
    (TWO, PCS, JSON, f"EnforcePartLimits{VALUE}ALL", "NO", "EnforcePartLimits"),
    (TWO, PCS, JSON, "EnforcePartLimits", "EnforcePartLimit", REFUSED),
    (TWO, PCS, JSON, f"OverSubscribe{VALUE}EXCLUSIVE", "EXCLUSIV", REFUSED),
    (TWO, PCS, JSON, '"MaxInstanceCount": 4', '"MaxInstanceCount": 3', "debug: nodes"),
    (SPOT, PCS, JSON, f"JobRequeue{VALUE}1", "0", "JobRequeue"),
    (SHARES, PCS, JSON, "gpu=l40s", "gpu=l4", "gpu: missing features"),
    (SHARES, PCS, JSON, f"PreemptMode{VALUE}REQUEUE", "REQUEU", REFUSED),
    (SHARES, PCS, JSON, f"PriorityWeightFairshare{VALUE}10000", "1", "PriorityWeightFairshare"),
    (SHARES, PCS, ACCOUNTS, "account vision root 70", "account vision root 7", "account vision"),
    (SHARES, PCS, ACCOUNTS, "preempts high low", "preempts high -", "QOS high"),
    (SHARES, PCS, ACCOUNTS, "user bob vision", "user alice vision", "user bob in vision"),
]


@pytest.fixture(scope="module")
def machine() -> Iterator[Cluster]:
    with cluster(debian.OLDEST) as made:
        yield made


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault[1]}-{fault[-1]}")
def test_a_fault_is_noticed(machine: Cluster, fault: tuple[str, ...]) -> None:
    name, target, path, old, new, noticed = fault
    files = dict(example_files(name, target))
    files[path] = with_fault(files[path], old, new)
    found = found_by(machine, files, name, target)
    assert any(line.startswith(noticed) for line in found), found


def with_fault(text: str, old: str, new: str) -> str:
    """The text with another value of a setting, or with something else in one place."""
    start, value, _ = old.partition(VALUE)
    pattern = f'({start}{value})[^"]*' if value else re.escape(old)
    changed, count = re.subn(pattern, rf"\g<1>{new}" if value else new, text, count=1)
    assert count == 1, f"nowhere: {old}"
    return changed


def found_by(machine: Cluster, files: dict[str, str], name: str, target: str) -> list[str]:
    try:
        machine.start(CONFIGURATIONS[target](files), per_group=0)
    except Refused as refused:
        return [f"{REFUSED}: {refused}"]
    return differences(check_example(name, target).plans[target], machine, jobs=False)
