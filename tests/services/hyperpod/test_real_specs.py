"""HyperPod's bundles, in every mode, with the real Slurm: what they set up, and twice."""

import pytest

from clustergen.base.text_lists import word_set
from tests.services.hyperpod.real_slurm import ETC, Cluster, cluster
from tests.support import debian
from tests.support.checking import check_example
from tests.support.slurm import noise
from tests.support.slurm.answers import differences
from tests.support.tiers import needs
from tests.targets.test_specs import ANSWERS

pytestmark = needs(debian.impossible)

ONE_OF_EACH_MODE = word_set("""
    hyperpod-slurm-bootstrap hyperpod-slurm-customer-managed hyperpod-slurm-legacy
    hyperpod-slurm-scripts
""")
JOINED = "hyperpod-existing-cluster"
"""Its controller is that of another bundle."""
SPECS = [
    name for name, answers in ANSWERS.items() if not answers["hyperpod-slurm"] and name != JOINED
]
STATE = f"""
find {ETC} /etc/systemd/system /etc/passwd /home -type f -exec md5sum {{}} + | sort
mount | sort
sacctmgr --noheader --parsable2 show associations format=account,user,share 2>/dev/null || true
"""


def run_set(made: Cluster) -> None:
    runs = made.lifecycle()
    assert {name: run.text for name, run in runs.items() if run.status} == {}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "version"),
    [
        (name, version)
        for name in SPECS
        for version in debian.SUITES
        if version == debian.OLDEST or name in ONE_OF_EACH_MODE
    ],
)
def test_slurm_is_as_planned(name: str, version: str) -> None:
    checked = check_example(name, "hyperpod-slurm")
    with cluster(checked, version=version, per_group=1) as made:
        made.boot()
        if made.entry:
            run_set(made)
        made.wait_until_idle()
        assert differences(checked.plans["hyperpod-slurm"], made.questions()) == []
        before = {node.name: made.run(node.name, STATE).text for node in made.nodes}
        if made.entry:
            run_set(made)
        assert before == {node.name: made.run(node.name, STATE).text for node in made.nodes}
        for node in made.nodes:
            logs = made.run(node.name, "cat /var/log/slurm/*.log /var/log/*.start || true").text
            assert noise.complaints(logs) == []
