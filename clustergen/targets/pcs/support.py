"""How AWS PCS supports each feature: ``support.json``, and a row with a number."""

from pathlib import Path

from clustergen.plan.features import support, supported
from clustergen.targets.pcs.limits import AGENT, CREATE_NODE_GROUP

SUPPORT = supported(
    Path(__file__),
    special={
        "nodes.image": support(
            "full", f"AmiId; the image needs the PCS agent {AGENT} or later", CREATE_NODE_GROUP
        ),
    },
)
