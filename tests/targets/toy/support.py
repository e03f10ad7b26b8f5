"""What the toy makes of each feature."""

from clustergen.base.text_lists import words
from clustergen.plan.features import FEATURES, Support, support
from tests.targets.toy.limits import GUIDE

FULL = words("capacity.on-demand capacity.spot instances.hpc nodes.image nodes.scaling")
LEFT_OUT = words("head.node login.nodes network.efa nodes.smt placement.cluster storage.efs")

NONE = Support("none", "no toy has it: remove it", GUIDE)
SUPPORT = {
    **{feature.id: NONE for feature in FEATURES},
    **dict.fromkeys(LEFT_OUT, support("ignored", "toys do not have it", GUIDE)),
    **dict.fromkeys(FULL, Support("full", "a member of its group", GUIDE)),
}
