"""What is rendered, before ParallelCluster's own schema and validators, and the shell's."""

import pytest

from clustergen.base.findings import errors
from clustergen.base.text_lists import word_set
from clustergen.targets.parallelcluster.emit import CONFIGURATION
from tests.targets.parallelcluster.planned import every_finding, files
from tests.targets.parallelcluster.specs import SPECS
from tests.validators.parallelcluster import ParallelCluster
from tests.validators.shell import script_violations

# No key pair is required: users log in with their own keys or Session Manager. The user may set
# efa: false, and EFA of types that differ in cards is left off. A reservation fixes where its
# instances are, so no placement group is made beside it; a group of the user's own is the user's
# choice. Trainium is no NVIDIA GPU: what the images have for it is known to those who chose it.
EXPLAINED = word_set("""
    KeyPairValidator InstancesEFAValidator EfaValidator EfaPlacementGroupValidator
    PlacementGroupCapacityReservationValidator InstanceTypeAcceleratorManufacturerValidator
""")

BY_NAME = pytest.mark.parametrize("name", SPECS)


@BY_NAME
def test_the_spec_has_no_errors(name: str) -> None:
    assert errors(every_finding(SPECS[name])) == []


@pytest.mark.sampled(8)
@BY_NAME
def test_parallelcluster_and_the_shell_accept_every_spec(
    name: str, parallelcluster: ParallelCluster
) -> None:
    rendered = files(SPECS[name])
    messages = parallelcluster.validator(rendered[CONFIGURATION], cluster_name="example")
    serious = [m for m in messages if m.level != "INFO"]
    assert [m for m in serious if m.level == "ERROR"] == []
    assert [m for m in serious if m.validator not in EXPLAINED] == []
    shell = {path: text for path, text in rendered.items() if path.endswith((".sh", ".sbatch"))}
    assert script_violations(shell) == []
