"""Problems of comments that ignore findings, and of ``--ignore``."""

from functools import partial

from clustergen.base.findings import Severity, own_rule

_OPEN = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6, ssh_from: [0.0.0.0/0]}"""
_CLOSED = _OPEN.replace("0.0.0.0/0", "203.0.113.0/24")
_GROUP = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]\n"
_GOOD = f"{_OPEN}  # clustergen: ignore[NET013] because a firewall filters it\n{_GROUP}"

common_rule = partial(own_rule, severity=Severity.WARNING, good=_GOOD)

UNREADABLE = common_rule(
    code="SPC053",
    title="An ignore comment in the wrong form",
    why="A misspelled comment would ignore nothing, and nobody would notice.",
    bad=f"{_OPEN}  # clustergen: ignore NET013, for now\n{_GROUP}",
)
NO_REASON = common_rule(
    code="SPC054",
    title="An ignore comment without a reason",
    why="The next reader has to know whether the finding still needs to be ignored.",
    bad=f"{_OPEN}  # clustergen: ignore[NET013]\n{_GROUP}",
)
UNUSED = common_rule(
    code="SPC055",
    title="An ignore comment that hides nothing",
    why="It would hide the next finding with this code, which nobody has reviewed.",
    bad=f"{_CLOSED}  # clustergen: ignore[NET013] because a firewall filters it\n{_GROUP}",
)
ERROR = common_rule(
    code="SPC056",
    title="An ignored error",
    why="An error is what the service rejects, so only warnings and notes can be ignored.",
    bad=f"{_CLOSED}\n"
    "# clustergen: ignore[CAP001] because it worked before\n"
    "node_groups: [{name: h200, instance_type: p5en.47xlarge, count: 2}]\n",
)
