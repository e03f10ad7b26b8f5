"""Files and ``--set`` arguments that cannot be read."""

from clustergen.base.findings import own_rule
from clustergen.spec.source import limits

UNREADABLE = own_rule(
    code="SPC001",
    title="The file cannot be read",
    why="A spec is a file of UTF-8 text that the user who runs clustergen may read.",
    could_not=True,
)
TOO_LARGE = own_rule(
    code="SPC006",
    title="The file is too large to be a spec",
    why=f"A file over {limits.SIZE // 1024} KiB, or with more than {limits.NODES} values, "
    "is a mistaken file name far more often than a cluster.",
)
NOT_A_MAPPING = own_rule(
    code="SPC011",
    title="The file does not contain `key: value` pairs",
    why="A spec is a mapping with at least version, name, region, network and node_groups.",
    bad="- version: 1\n",
    good="version: 1\n",
)
SET = own_rule(
    code="SPC012",
    title="A --set without effect",
    why="--set PATH=VALUE changes one value. A path that leads nowhere is a typing error "
    "and would change nothing.",
)
