"""The command of `--drain` in the real Slurm."""

from clustergen.deployment import slurm_nodes
from tests.support import debian
from tests.support.checking import Fragments
from tests.support.slurm import pcs
from tests.support.slurm.cluster import cluster
from tests.support.tiers import needs

pytestmark = needs(debian.impossible)


def test_the_node_with_an_address_is_drained() -> None:
    """Services tell Slurm the address of a node once its instance runs."""
    with cluster(debian.OLDEST) as made:
        made.start(pcs.configuration(Fragments("pcs").files("")), per_group=2)
        first, second = made.running[:2]
        made.ask(f"scontrol update nodename={second} nodeaddr=10.0.0.50")
        made.put("/rig/drain.sh", slurm_nodes.draining("10.0.0.5"))
        assert "Slurm has no node with the address 10.0.0.5" in made.run("bash /rig/drain.sh").text
        made.put("/rig/drain.sh", slurm_nodes.draining("10.0.0.50"))
        assert second in made.ask("bash /rig/drain.sh")
        states = made.ask(f"sinfo -hN -n {first},{second} -o '%N %T' | sort -u").splitlines()
        assert states == [f"{first} idle", f"{second} drained"]
